// What fields, selects and scrollers are, hold and take.

// control is the form control a label stands for, the element itself otherwise.
const control = el => tagOf(el) === 'label' && el.control ? el.control : el;

// chooses tells what files a field takes.
function chooses(el) {
  const e = control(el), File = tagOf(e) === 'input' && e.type === 'file';
  return { File, Many: File && (e.multiple || e.webkitdirectory), Off: disabled(e) };
}

const textTypes = new Set(['text', 'search', 'url', 'tel', 'email', 'password', 'number', '']);
const setTypes = new Set(['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range']);

// field finds what a text goes into: the element, its label's control, or the
// one editable thing inside it.
function field(el) {
  el = control(el);
  const fits = e => tagOf(e) === 'textarea' || (e instanceof HTMLElement && editable(e)) ||
    (tagOf(e) === 'input' && (textTypes.has(e.type) || setTypes.has(e.type)));
  if (fits(el)) return el;
  if (tagOf(el) === 'input' || tagOf(el) === 'select') return null;
  const all = [...allIn(el, 'input, textarea, [contenteditable]')].filter(e => fits(e) && visible(e));
  return all.length === 1 ? all[0] : null;
}

const changed = el => {
  el.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
  el.dispatchEvent(new Event('change', { bubbles: true }));
};

const inputType = el => tagOf(control(el)) === 'input' ? control(el).type : '';

// fill makes a field ready for the text to be put in, or puts in what cannot
// be typed.
function fill(el, text) {
  const f = field(el);
  if (!f) return { why: tagOf(control(el)) === 'select' ? 'select' : ['checkbox', 'radio'].includes(inputType(el)) ? 'check' : inputType(el) === 'file' ? 'file' : 'nofield', by: said(el) };
  if (!visible(f)) return { why: 'hidden' };
  if (disabled(f)) return { why: 'disabled' };
  if (f.readOnly || attr(f, 'aria-readonly') === 'true') return { why: 'readonly' };
  bringIntoView(f, { block: 'nearest', inline: 'nearest', behavior: 'instant' });
  focusOn(f);
  if (tagOf(f) === 'input' && setTypes.has(f.type)) return assign(f, text);
  if (f.type === 'number' && text !== '' && !Number.isFinite(Number(text))) return { why: 'value', by: 'a number' };
  if (tagOf(f) === 'input' || tagOf(f) === 'textarea') f.select();
  else getSelection().selectAllChildren(f);
  return { type: true };
}

const forms = { date: 'yyyy-mm-dd', time: 'hh:mm', 'datetime-local': 'yyyy-mm-ddThh:mm', month: 'yyyy-mm', week: 'yyyy-Www', color: '#rrggbb' };

function assign(f, text) {
  const want = f.type === 'color' ? text.trim().toLowerCase() : text.trim(), had = f.value;
  f.value = want;
  const fits = f.type === 'range' ? Number(f.value) === Number(want) && want !== '' : f.value === want;
  if (!fits) {
    const range = 'a number from ' + (f.min || 0) + ' to ' + (f.max || 100) + (f.step && f.step !== '1' ? ' in steps of ' + f.step : '');
    f.value = had;
    return { why: 'value', by: f.type === 'range' ? range : forms[f.type] };
  }
  if (f.value !== had) changed(f);
  return { done: true };
}

// filled tells what a field holds after typing; a password is told by its
// length.
function filled(el, want) {
  const f = field(el);
  if (!f) return { ok: true };
  if (tagOf(f) !== 'input' && tagOf(f) !== 'textarea') return { ok: true };
  if (f.value === want || f.value.replace(/\r\n?/g, '\n') === want.replace(/\r\n?/g, '\n')) return { ok: true };
  return { ok: false, has: f.type === 'password' ? f.value.length + ' characters' : f.value.slice(0, 200) };
}

// focus puts the focus on an element, the caret behind its text.
function focus(el) {
  const f = field(el) || control(el);
  if (!visible(f)) return { why: 'hidden' };
  if (disabled(f)) return { why: 'disabled' };
  let at = focusedIn(document);
  while (at && shadowOf(at) && shadowOf(at).activeElement) at = shadowOf(at).activeElement;
  const root = treeOf(f);
  if (at === f || (typeOf(root) === 11 && root.activeElement === f)) return {};
  focusOn(f);
  if (tagOf(f) === 'textarea' || (tagOf(f) === 'input' && textTypes.has(f.type) && f.selectionEnd !== null)) {
    f.setSelectionRange(f.value.length, f.value.length);
  } else if (editable(f)) {
    const s = getSelection();
    s.selectAllChildren(f);
    s.collapseToEnd();
  }
  return {};
}

// ticked is the state of a checkbox, radio button or switch: null, it has none.
function ticked(el) {
  el = control(el);
  if (tagOf(el) === 'input' && (el.type === 'checkbox' || el.type === 'radio')) {
    return { on: el.indeterminate ? null : el.checked, radio: el.type === 'radio' };
  }
  const role = attr(el, 'role');
  if (['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio', 'option', 'treeitem'].includes(role)) {
    return { on: attr(el, 'aria-checked') === 'true', radio: role.endsWith('radio') };
  }
  return { why: 'nocheck', by: said(el) };
}

// target is what the mouse aims at for an element: a control that is itself out
// of sight is reached through its label.
function target(el) {
  if (visible(el) || !('labels' in el) || tagOf(el) === 'form' || !el.labels) return el;
  return [...el.labels].find(visible) || el;
}

const tidy = s => s.replace(/\s+/g, ' ').trim();

// select chooses options of a native select by label or value.
function select(el, wants) {
  el = control(el);
  if (tagOf(el) !== 'select') return { why: 'noselect', by: said(el) };
  if (disabled(el)) return { why: 'disabled' };
  const options = [...el.options];
  const chosen = [];
  for (const want of wants) {
    const o = options.find(o => tidy(o.label) === tidy(want)) || options.find(o => o.value === want) ||
      options.find(o => tidy(o.label).toLowerCase() === tidy(want).toLowerCase());
    if (!o) return { why: 'nooption', by: want, has: options.slice(0, 30).map(o => tidy(o.label)), more: Math.max(0, options.length - 30) };
    if (o.disabled || (tagOf(o.parentElement) === 'optgroup' && o.parentElement.disabled)) return { why: 'offoption', by: want };
    chosen.push(o);
  }
  if (!el.multiple && chosen.length > 1) return { why: 'single' };
  const before = options.map(o => o.selected).join();
  if (el.multiple) for (const o of options) o.selected = chosen.includes(o);
  else chosen[0].selected = true;
  if (options.map(o => o.selected).join() !== before) changed(el);
  return { done: chosen.map(o => tidy(o.label)) };
}

const scrolls = (el, axis) => {
  const s = getComputedStyle(el);
  return axis(el) && /auto|scroll|overlay/.test(s.overflowY);
};

// scroller is what scrolls: the element or what it lies in, else the page, else
// what fills the page.
const scrollingOf = reader(D, 'scrollingElement');

function scroller(el) {
  const tall = e => fullHeightOf(e) > heightOf(e) + 1;
  for (let n = el; n && n !== rootElement() && n !== bodyOf(document); n = up(n)) if (scrolls(n, tall)) return n;
  const page = scrollingOf(document) || rootElement();
  if (el || tall(page)) return page;
  let best = page, area = 0;
  for (const e of allIn(document, '*')) {
    if (!tall(e) || !scrolls(e, tall)) continue;
    const r = rectOf(e), a = r.width * r.height;
    if (a > area) [best, area] = [e, a];
  }
  return best;
}

const topOf = reader(E, 'scrollTop');
const scrollIn = reader(E, 'scrollTo');

function scroll(el, to, by) {
  if (el && !to && !by) {
    bringIntoView(el, { block: 'center', inline: 'center', behavior: 'instant' });
    return {};
  }
  const s = scroller(el), from = topOf(s);
  scrollIn(s, { top: to === 'top' ? 0 : to === 'bottom' ? fullHeightOf(s) : from + by, behavior: 'instant' });
  return { moved: Math.round(topOf(s) - from), at: Math.round(topOf(s)), of: Math.round(fullHeightOf(s) - heightOf(s)) };
}

// said in the page: as it is drawn, through open shadow roots, and what fields hold.
function holds(text) {
  const want = tidy(text);
  const has = s => typeof s === 'string' && tidy(s).includes(want);
  const look = root => {
    const words = e => e instanceof HTMLElement && has(innerTextOf(e));
    const tops = typeOf(root) === 9 ? [bodyOf(root) || rootElement()] : [...root.children];
    if (tops.some(e => e && words(e))) return true;
    for (const e of allIn(root, '*')) {
      if (shadowOf(e) && look(shadowOf(e))) return true;
      if ((tagOf(e) === 'input' || tagOf(e) === 'textarea') && e.type !== 'password' && has(e.value) && visible(e)) return true;
    }
    return false;
  };
  return look(document);
}

const draggable = el => {
  for (let n = el; n; n = up(n)) {
    if (n instanceof HTMLElement && dragsOf(n)) return true;
  }
  return false;
};

const box = el => { const r = rectOf(el); return { x: r.x, y: r.y, w: r.width, h: r.height }; };

globalThis[Symbol.for('snapscope.act')] = { census, sinceChange, hosts, closed, drawn, visible, said, disabled, place, outward, control, field, fill, filled, focus, ticked, target, select, scroll, holds, draggable, box, chooses };
