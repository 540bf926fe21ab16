// What an action needs to know of an element and to do to it, evaluated beside
// the capture's script in the same isolated world. Answers are plain data; a
// "why" in one says what stands in the way.
(() => {
'use strict';
if (globalThis.__snapact) return;

// A form's fields hide its own properties behind their names, so what is asked
// of an ancestor is asked of the prototypes.
const getter = (proto, name) => Object.getOwnPropertyDescriptor(proto, name).get;
const parentOf = getter(Node.prototype, 'parentElement');
const slotOf = getter(Element.prototype, 'assignedSlot');
const attr = (el, name) => Element.prototype.getAttribute.call(el, name);

// The tree as it is drawn: out of slots and shadow roots.
function up(n) {
  const slot = n instanceof Element ? slotOf.call(n) : n.assignedSlot;
  if (slot) return slot;
  const parent = parentOf.call(n);
  if (parent) return parent;
  const root = Node.prototype.getRootNode.call(n);
  return root instanceof ShadowRoot ? root.host : null;
}

function inside(node, el) {
  for (let n = node; n; n = up(n)) if (n === el) return true;
  // A closed root's own nodes end at the host the page knows.
  return false;
}

function styled(el) {
  if (el.checkVisibility && !el.checkVisibility({ visibilityProperty: true })) return false;
  return true;
}

const rectsOf = el => [...el.getClientRects()].filter(r => r.width > 0 && r.height > 0);

function visible(el) {
  if (!styled(el)) {
    // An element that is display: contents has no box, but its children do.
    return getComputedStyle(el).display === 'contents' && [...el.children].some(visible);
  }
  if (rectsOf(el).length) return true;
  return el.localName === 'area' || [...el.children].some(c => styled(c) && rectsOf(c).length);
}

function said(el) {
  if (!el) return 'nothing';
  let s = '<' + el.localName;
  if (el.id) s += ' id="' + el.id.slice(0, 40) + '"';
  else if (typeof el.className === 'string' && el.className.trim()) s += ' class="' + el.className.trim().slice(0, 40) + '"';
  s += '>';
  const text = (attr(el, 'aria-label') || el.innerText || '').trim().replace(/\s+/g, ' ');
  return text ? s + ' “' + (text.length > 40 ? text.slice(0, 40) + '…' : text) + '”' : s;
}

function disabled(el) {
  if (el.matches(':disabled')) return true;
  for (let n = el; n; n = up(n)) if (attr(n, 'aria-disabled') === 'true') return true;
  return false;
}

function hitAt(el, x, y) {
  let root = el.getRootNode();
  // A closed root is asked itself: the document would name its host.
  let hit = root.elementFromPoint ? root.elementFromPoint(x, y) : document.elementFromPoint(x, y);
  while (hit && hit.shadowRoot) {
    const deeper = hit.shadowRoot.elementFromPoint(x, y);
    if (!deeper || deeper === hit) break;
    hit = deeper;
  }
  return hit;
}

function accepts(el, hit) {
  if (!hit) return false;
  if (inside(hit, el)) return true;
  // A control and its label act as one.
  const label = hit.closest && hit.closest('label');
  if (label && label.control === el) return true;
  if (el.localName === 'label' && el.control && inside(hit, el.control)) return true;
  // What is drawn for an option's or a table part's own element.
  return el.localName === 'area' && hit.localName === 'img' && hit.useMap === '#' + (el.closest('map') || {}).name;
}

function points(el) {
  const w = innerWidth, h = innerHeight, out = [];
  let rects = rectsOf(el);
  if (el.localName === 'area') return areaPoint(el);
  if (!rects.length) rects = [...el.querySelectorAll('*')].flatMap(rectsOf).slice(0, 5);
  for (const r of rects) {
    const l = Math.max(0, r.left), t = Math.max(0, r.top), rr = Math.min(w, r.right), b = Math.min(h, r.bottom);
    if (rr - l < 1 || b - t < 1) continue;
    for (const [fx, fy] of [[.5, .5], [.25, .5], [.75, .5], [.5, .25], [.5, .75], [.1, .1], [.9, .9]]) {
      out.push([l + (rr - l) * fx, t + (b - t) * fy]);
    }
  }
  return out;
}

function areaPoint(el) {
  const map = el.closest('map');
  const img = map && document.querySelector('img[usemap="#' + CSS.escape(map.name) + '"]');
  if (!img) return [];
  const r = img.getBoundingClientRect(), c = el.coords.split(/[\s,]+/).map(Number);
  let x = r.width / 2, y = r.height / 2;
  if (el.shape === 'circle') [x, y] = c;
  else if (c.length >= 4) {
    const xs = c.filter((_, i) => i % 2 === 0), ys = c.filter((_, i) => i % 2);
    x = (Math.min(...xs) + Math.max(...xs)) / 2;
    y = (Math.min(...ys) + Math.max(...ys)) / 2;
  }
  return [[r.left + x, r.top + y]];
}

const frameTick = () => new Promise(done => { requestAnimationFrame(done); setTimeout(done, 50); });

// still waits until an element that is being animated has come to rest.
async function still(el) {
  const moving = () => document.getAnimations().some(a => a.playState === 'running' && a.effect && a.effect.target &&
    a.effect.getComputedTiming().endTime !== Infinity && inside(el, a.effect.target));
  if (!moving()) return;
  let last = '', same = 0;
  for (let i = 0; i < 60 && same < 2; i++) {
    await frameTick();
    const r = el.getBoundingClientRect(), now = [r.x, r.y, r.width, r.height].join();
    same = now === last && !moving() ? same + 1 : 0;
    last = now;
  }
}

// place finds a point of an element that the mouse reaches, scrolling if need be.
async function place(el, force) {
  if (!el.isConnected) return { why: 'gone' };
  if (el.localName === 'option' || el.localName === 'optgroup') {
    const box = el.closest('select');
    if (box && !(box.size > 1 || box.multiple)) return { why: 'option' };
  }
  if (!visible(el)) return { why: 'hidden' };
  await still(el);
  let hit = null, any = false;
  for (const block of [null, 'center', 'end', 'start', 'nearest']) {
    if (block) (rectsOf(el).length || !el.firstElementChild ? el : el.firstElementChild).scrollIntoView({ block, inline: 'center', behavior: 'instant' });
    for (const [x, y] of points(el)) {
      any = true;
      const got = hitAt(el, x, y);
      if (force || accepts(el, got)) return { x, y };
      hit = hit || got;
    }
  }
  if (!any) return { why: 'outside' };
  if (!hit) return { why: 'outside' };
  return { why: getComputedStyle(el).pointerEvents === 'none' ? 'inert' : 'covered', by: said(hit) };
}

// outward takes a point of an iframe's content to the document around it.
function outward(frame, x, y, scroll) {
  if (!frame.isConnected || !visible(frame)) return { why: 'hidden' };
  const at = () => {
    const r = frame.getBoundingClientRect(), s = getComputedStyle(frame);
    const sx = frame.offsetWidth ? r.width / frame.offsetWidth : 1, sy = frame.offsetHeight ? r.height / frame.offsetHeight : 1;
    return [r.x + (frame.clientLeft + parseFloat(s.paddingLeft) + x) * sx, r.y + (frame.clientTop + parseFloat(s.paddingTop) + y) * sy];
  };
  const out = ([px, py]) => px < 0 || py < 0 || px >= innerWidth || py >= innerHeight;
  let p = at();
  if (scroll && out(p)) {
    frame.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    p = at();
    if (out(p)) {
      scrollBy({ left: p[0] - innerWidth / 2, top: p[1] - innerHeight / 2, behavior: 'instant' });
      p = at();
    }
  }
  if (out(p)) return { why: 'outside' };
  const hit = hitAt(frame, p[0], p[1]);
  if (hit !== frame) return { why: 'covered', by: said(hit) };
  return { x: p[0], y: p[1] };
}

// drawn resolves when what was scrolled has been drawn.
const drawn = async () => { await frameTick(); await frameTick(); return true; };

// Closed shadow roots, as found from outside. A count of the page's nodes made
// outside tells whether there are more than we know of; then what could be a
// host is named, the likeliest first.
const roots = new WeakMap();
const rootOf = el => el.shadowRoot || roots.get(el) || null;
const asked = new WeakSet();
const known = new Set(); // the shadow roots of the last census

function closed(host, root) {
  roots.set(host, root);
  __snapscope.closed(host, root);
}

// less tells whether a text node holds the sign that the count goes by.
const less = n => n.nodeValue.includes('<');

// census counts the elements of the document and the text and comment nodes
// with a "<" in it (plain), and the same inside the shadow roots we know (shaded).
function census(plain) {
  let shaded = 0;
  const inside = root => {
    known.add(new WeakRef(root));
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT | NodeFilter.SHOW_COMMENT);
    while (walk.nextNode()) {
      const n = walk.currentNode;
      if (n.nodeType !== 1) { if (less(n)) shaded++; continue; }
      shaded++;
      const r = rootOf(n);
      if (r) inside(r);
    }
  };
  if (plain) {
    const texts = document.evaluate('count(//text()[contains(.,"<")]|//comment()[contains(.,"<")])', document, null, 1, null);
    return document.getElementsByTagName('*').length + texts.numberValue;
  }
  known.clear();
  for (const el of document.getElementsByTagName('*')) {
    const r = rootOf(el);
    if (r) inside(r);
  }
  return shaded;
}

// quiet resolves when nothing in the document or in the shadow roots of the last
// census has changed for a while, or at most after max milliseconds.
function quiet(ms, max) {
  return new Promise(resolve => {
    const what = { subtree: true, childList: true, attributes: true, characterData: true };
    let timer = 0;
    const done = why => {
      observer.disconnect();
      clearTimeout(timer);
      clearTimeout(limit);
      resolve(why);
    };
    const rest = () => {
      clearTimeout(timer);
      timer = setTimeout(() => done('quiet for ' + ms + ' ms'), ms);
    };
    const observer = new MutationObserver(rest);
    const limit = setTimeout(() => done('still changing after ' + max + ' ms'), max);
    observer.observe(document, what);
    for (const ref of known) {
      const root = ref.deref();
      if (root && root.isConnected) observer.observe(root, what);
    }
    rest();
  });
}

// The elements that may be hosts (DOM, "attach a shadow root"): these, and
// custom elements, whose names have a hyphen.
const hostTags = new Set(('article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span').split(' '));

// hosts lists elements that may be hosts of roots we do not know: those never
// asked about first, custom elements before empty ones before others.
function hosts(max) {
  const ranks = [[], [], [], []];
  const look = root => {
    for (const el of root.querySelectorAll('*')) {
      const r = rootOf(el);
      if (r) look(r);
      else if (el.localName.includes('-')) ranks[asked.has(el) ? 3 : 0].push(el);
      else if (hostTags.has(el.localName)) ranks[asked.has(el) ? 3 : el.childElementCount ? 2 : 1].push(el);
    }
  };
  look(document);
  const out = ranks.flat().slice(0, max);
  for (const el of out) asked.add(el);
  return out;
}

// control is the form control a label stands for, the element itself otherwise.
const control = el => el.localName === 'label' && el.control ? el.control : el;

const textTypes = new Set(['text', 'search', 'url', 'tel', 'email', 'password', 'number', '']);
const setTypes = new Set(['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range']);

// field finds what a text goes into: the element, its label's control, or the
// one editable thing inside it.
function field(el) {
  el = control(el);
  const fits = e => e.localName === 'textarea' || e.isContentEditable ||
    (e.localName === 'input' && (textTypes.has(e.type) || setTypes.has(e.type)));
  if (fits(el)) return el;
  if (el.localName === 'input' || el.localName === 'select') return null;
  const all = [...el.querySelectorAll('input, textarea, [contenteditable]')].filter(e => fits(e) && visible(e));
  return all.length === 1 ? all[0] : null;
}

const changed = el => {
  el.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
  el.dispatchEvent(new Event('change', { bubbles: true }));
};

// fill makes a field ready for the text to be put in, or puts in what cannot
// be typed.
function fill(el, text) {
  const f = field(el);
  if (!f) return { why: control(el).localName === 'select' ? 'select' : ['checkbox', 'radio'].includes(control(el).type) ? 'check' : control(el).type === 'file' ? 'file' : 'nofield', by: said(el) };
  if (!visible(f)) return { why: 'hidden' };
  if (disabled(f)) return { why: 'disabled' };
  if (f.readOnly || attr(f, 'aria-readonly') === 'true') return { why: 'readonly' };
  f.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  f.focus();
  if (f.localName === 'input' && setTypes.has(f.type)) return assign(f, text);
  if (f.type === 'number' && text !== '' && !Number.isFinite(Number(text))) return { why: 'value', by: 'a number' };
  if (f.localName === 'input' || f.localName === 'textarea') f.select();
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
  if (f.localName !== 'input' && f.localName !== 'textarea') return { ok: true };
  if (f.value === want || f.value.replace(/\r\n?/g, '\n') === want.replace(/\r\n?/g, '\n')) return { ok: true };
  return { ok: false, has: f.type === 'password' ? f.value.length + ' characters' : f.value.slice(0, 200) };
}

// focus puts the focus on an element, the caret behind its text.
function focus(el) {
  const f = field(el) || control(el);
  if (!visible(f)) return { why: 'hidden' };
  if (disabled(f)) return { why: 'disabled' };
  let at = document.activeElement;
  while (at && at.shadowRoot && at.shadowRoot.activeElement) at = at.shadowRoot.activeElement;
  if (at === f || (f.getRootNode().activeElement === f)) return {};
  f.focus();
  if (f.localName === 'textarea' || (f.localName === 'input' && textTypes.has(f.type) && f.selectionEnd !== null)) {
    f.setSelectionRange(f.value.length, f.value.length);
  } else if (f.isContentEditable) {
    const s = getSelection();
    s.selectAllChildren(f);
    s.collapseToEnd();
  }
  return {};
}

// ticked is the state of a checkbox, radio button or switch: null, it has none.
function ticked(el) {
  el = control(el);
  if (el.localName === 'input' && (el.type === 'checkbox' || el.type === 'radio')) {
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
  if (visible(el) || !el.labels) return el;
  return [...el.labels].find(visible) || el;
}

const tidy = s => s.replace(/\s+/g, ' ').trim();

// select chooses options of a native select by label or value.
function select(el, wants) {
  el = control(el);
  if (el.localName !== 'select') return { why: 'noselect', by: said(el) };
  if (disabled(el)) return { why: 'disabled' };
  const options = [...el.options];
  const chosen = [];
  for (const want of wants) {
    const o = options.find(o => tidy(o.label) === tidy(want)) || options.find(o => o.value === want) ||
      options.find(o => tidy(o.label).toLowerCase() === tidy(want).toLowerCase());
    if (!o) return { why: 'nooption', by: want, has: options.slice(0, 30).map(o => tidy(o.label)), more: Math.max(0, options.length - 30) };
    if (o.disabled || (o.parentElement.localName === 'optgroup' && o.parentElement.disabled)) return { why: 'offoption', by: want };
    chosen.push(o);
  }
  if (!el.multiple && chosen.length > 1) return { why: 'single' };
  el.focus();
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
function scroller(el) {
  const tall = e => e.scrollHeight > e.clientHeight + 1;
  for (let n = el; n && n !== document.documentElement && n !== document.body; n = up(n)) if (scrolls(n, tall)) return n;
  const page = document.scrollingElement || document.documentElement;
  if (el || tall(page)) return page;
  let best = page, area = 0;
  for (const e of document.querySelectorAll('*')) {
    if (!tall(e) || !scrolls(e, tall)) continue;
    const r = e.getBoundingClientRect(), a = r.width * r.height;
    if (a > area) [best, area] = [e, a];
  }
  return best;
}

function scroll(el, to, by) {
  if (el && !to && !by) {
    el.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    return {};
  }
  const s = scroller(el), from = s.scrollTop;
  const top = to === 'top' ? 0 : to === 'bottom' ? s.scrollHeight : from + by;
  s.scrollTo({ top, behavior: 'instant' });
  return { moved: Math.round(s.scrollTop - from), at: Math.round(s.scrollTop), of: Math.round(s.scrollHeight - s.clientHeight) };
}

// said in the page: as it is drawn, through open shadow roots, and what fields hold.
function holds(text) {
  const want = tidy(text);
  const has = s => typeof s === 'string' && tidy(s).includes(want);
  const look = root => {
    const top = root.body || root;
    if (top.innerText !== undefined ? has(top.innerText) : [...root.children].some(c => has(c.innerText))) return true;
    for (const e of root.querySelectorAll('*')) {
      if (e.shadowRoot && look(e.shadowRoot)) return true;
      if ((e.localName === 'input' || e.localName === 'textarea') && e.type !== 'password' && has(e.value) && visible(e)) return true;
    }
    return false;
  };
  return look(document);
}

const draggable = el => {
  for (let n = el; n; n = up(n)) {
    if (n.draggable) return true;
  }
  return false;
};

const box = el => { const r = el.getBoundingClientRect(); return { x: r.x, y: r.y, w: r.width, h: r.height }; };

globalThis.__snapact = { census, quiet, hosts, closed, drawn, visible, said, disabled, place, outward, control, field, fill, filled, focus, ticked, target, select, scroll, holds, draggable, box };
})();
