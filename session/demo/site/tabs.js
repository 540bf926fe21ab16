// Keyboard behaviour of the usual ARIA widgets, each in a few lines: arrows move
// within a widget, Home and End go to its ends, Enter and Space act, Escape closes.
(() => {
  const $ = id => document.getElementById(id);
  const say = text => { $('said').textContent = text; };
  const all = (sel, root = document) => [...root.querySelectorAll(sel)];

  // step answers the item that an arrow, Home or End leads to from at, going round.
  function step(items, at, key, back = 'ArrowLeft', on = 'ArrowRight') {
    const i = items.indexOf(at);
    switch (key) {
      case on: return items[(i + 1) % items.length];
      case back: return items[(i - 1 + items.length) % items.length];
      case 'Home': return items[0];
      case 'End': return items.at(-1);
    }
  }
  // rove moves the one tab stop of a widget and the focus to an item.
  function rove(items, to) {
    for (const x of items) x.tabIndex = x === to ? 0 : -1;
    to.focus();
  }

  // Tabs: the arrows choose at once.
  const tabs = all('[role=tab]');
  const choose = t => {
    for (const x of tabs) {
      x.setAttribute('aria-selected', String(x === t));
      $(x.getAttribute('aria-controls')).hidden = x !== t;
    }
    rove(tabs, t);
  };
  $('tablist').onclick = e => e.target.role === 'tab' && choose(e.target);
  $('tablist').onkeydown = e => { const t = step(tabs, e.target, e.key); if (t) { e.preventDefault(); choose(t); } };

  // Tree: right opens or enters, left closes or goes out.
  const items = all('[role=treeitem]');
  const shown = () => items.filter(x => !x.parentElement.closest('[aria-expanded=false]'));
  const pick = x => { for (const y of items) y.removeAttribute('aria-selected'); x.setAttribute('aria-selected', 'true'); say(`${x.firstElementChild.textContent} chosen`); };
  const fold = (x, open) => x.hasAttribute('aria-expanded') && x.setAttribute('aria-expanded', String(open));
  $('tree').onclick = e => {
    const x = e.target.closest('[role=treeitem]');
    if (!x) return;
    fold(x, x.getAttribute('aria-expanded') !== 'true');
    rove(items, x);
    pick(x);
  };
  $('tree').onkeydown = e => {
    const x = e.target, open = x.getAttribute('aria-expanded');
    let to = step(shown(), x, e.key, 'ArrowUp', 'ArrowDown');
    if (e.key === 'ArrowRight') open === 'false' ? fold(x, true) : to = x.querySelector('[role=treeitem]');
    else if (e.key === 'ArrowLeft') open === 'true' ? fold(x, false) : to = x.parentElement.closest('[role=treeitem]');
    else if (e.key === 'Enter' || e.key === ' ') pick(x);
    else if (!to) return;
    e.preventDefault();
    if (to) rove(items, to);
  };

  // Menu bar: down opens, escape closes.
  const bars = all('#menubar > [role=menuitem]');
  const menuOf = b => b.querySelector('[role=menu]');
  const shut = () => bars.forEach(b => { if (menuOf(b)) { menuOf(b).hidden = true; b.setAttribute('aria-expanded', 'false'); } });
  const drop = b => {
    shut();
    if (!menuOf(b)) return say('Help opened');
    menuOf(b).hidden = false;
    b.setAttribute('aria-expanded', 'true');
    menuOf(b).querySelector('[tabindex]').focus();
  };
  const act = x => {
    if (x.getAttribute('aria-disabled')) return;
    if (x.role === 'menuitemcheckbox') x.setAttribute('aria-checked', String(x.getAttribute('aria-checked') !== 'true'));
    if (x.role === 'menuitemradio') for (const y of all('[role=menuitemradio]')) y.setAttribute('aria-checked', String(y === x));
    const bar = x.closest('#menubar > [role=menuitem]');
    shut();
    bar.focus();
    say(`${x.textContent} chosen from ${bar.firstChild.textContent.trim()}`);
  };
  $('menubar').onclick = e => {
    const x = e.target.closest('[role^=menuitem]');
    if (!x) return;
    if (!bars.includes(x)) return act(x);
    x.getAttribute('aria-expanded') === 'true' ? shut() : drop(x);
  };
  $('menubar').onkeydown = e => {
    const x = e.target, bar = x.closest('#menubar > [role=menuitem]');
    if (e.key === 'Escape') { shut(); bar.focus(); return; }
    if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); bars.includes(x) ? drop(x) : act(x); return; }
    if (bars.includes(x)) {
      if (e.key === 'ArrowDown') { e.preventDefault(); drop(x); return; }
      const to = step(bars, x, e.key);
      if (to) rove(bars, to);
      return;
    }
    const entries = all('[tabindex]', menuOf(bar));
    const to = step(entries, x, e.key, 'ArrowUp', 'ArrowDown');
    if (to) { e.preventDefault(); to.focus(); }
    else if (e.key === 'ArrowRight' || e.key === 'ArrowLeft') { const b = step(bars, bar, e.key); rove(bars, b); drop(b); }
  };

  // Listbox: the focus stays on the box, aria-activedescendant moves.
  const options = all('#listbox [role=option]');
  const at = o => {
    for (const x of options) x.classList.toggle('at', x === o);
    $('listbox').setAttribute('aria-activedescendant', o.id);
  };
  const toggle = o => {
    if (o.getAttribute('aria-disabled')) return;
    o.setAttribute('aria-selected', String(o.getAttribute('aria-selected') !== 'true'));
    const on = options.filter(x => x.getAttribute('aria-selected') === 'true').map(x => x.textContent);
    say(on.length ? `Reach by ${on.join(', ')}` : 'Do not reach');
  };
  $('listbox').onclick = e => { if (e.target.role === 'option') { at(e.target); toggle(e.target); } };
  $('listbox').onkeydown = e => {
    const now = options.find(x => x.classList.contains('at'));
    const to = now ? step(options, now, e.key, 'ArrowUp', 'ArrowDown') : e.key.startsWith('Arrow') ? options[0] : undefined;
    if (to) { e.preventDefault(); at(to); }
    else if (now && (e.key === ' ' || e.key === 'Enter')) { e.preventDefault(); toggle(now); }
  };

  // Grid: arrows move, Enter edits a number by one.
  const cells = all('#grid td');
  $('grid').onclick = e => { if (e.target.tagName === 'TD') rove(cells, e.target); };
  $('grid').onkeydown = e => {
    const i = cells.indexOf(e.target);
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -3, ArrowDown: 3 }[e.key];
    if (by && cells[i + by] && (Math.abs(by) === 3 || Math.floor(i / 3) === Math.floor((i + by) / 3))) { e.preventDefault(); rove(cells, cells[i + by]); }
    if (e.key === 'Enter' && i % 3) { e.target.textContent = String(Number(e.target.textContent) + 1); say(`${cells[i - i % 3].textContent} is ${e.target.textContent}`); }
  };

  // Combobox with a list that filters.
  const lands = ['Brazil', 'Canada', 'Germany', 'India', 'Japan', 'Kenya', 'Korea', 'Norway', 'Portugal', 'Spain'];
  const list = $('combo-list'), combo = $('combo');
  const close = () => { list.hidden = true; combo.setAttribute('aria-expanded', 'false'); combo.removeAttribute('aria-activedescendant'); };
  const take = o => { combo.value = o.textContent; close(); say(`${o.textContent} chosen`); };
  const offer = () => {
    const found = lands.filter(l => l.toLowerCase().startsWith(combo.value.trim().toLowerCase()));
    list.replaceChildren(...found.map((l, i) => Object.assign(document.createElement('li'), { role: 'option', id: `c${i}`, textContent: l })));
    for (const o of list.children) o.setAttribute('aria-selected', 'false');
    list.hidden = !found.length;
    combo.setAttribute('aria-expanded', String(found.length > 0));
    combo.removeAttribute('aria-activedescendant');
  };
  combo.oninput = offer;
  combo.onkeydown = e => {
    if (e.key === 'Escape') return close();
    if (e.key === 'ArrowDown' && list.hidden) { e.preventDefault(); return offer(); }
    const opts = [...list.children], now = opts.find(o => o.getAttribute('aria-selected') === 'true');
    if (e.key === 'Enter' && now && !list.hidden) { e.preventDefault(); return take(now); }
    if (list.hidden || (e.key !== 'ArrowDown' && e.key !== 'ArrowUp')) return;
    e.preventDefault();
    const to = now ? step(opts, now, e.key, 'ArrowUp', 'ArrowDown') : opts.at(e.key === 'ArrowUp' ? -1 : 0);
    for (const o of opts) o.setAttribute('aria-selected', String(o === to));
    combo.setAttribute('aria-activedescendant', to.id);
  };
  list.onmousedown = e => e.preventDefault();
  list.onclick = e => e.target.role === 'option' && take(e.target);
  combo.onblur = close;

  // Slider and spin button.
  const number = (id, draw) => {
    const n = $(id);
    n.onkeydown = e => {
      const lo = Number(n.getAttribute('aria-valuemin')), hi = Number(n.getAttribute('aria-valuemax')), v = Number(n.getAttribute('aria-valuenow'));
      const to = { ArrowUp: v + 1, ArrowRight: v + 1, ArrowDown: v - 1, ArrowLeft: v - 1, PageUp: v + 5, PageDown: v - 5, Home: lo, End: hi }[e.key];
      if (to === undefined) return;
      e.preventDefault();
      const next = Math.min(hi, Math.max(lo, to));
      n.setAttribute('aria-valuenow', String(next));
      draw(n, next);
    };
  };
  number('vol', (n, v) => { n.firstElementChild.style.width = `${v * 10}%`; say(`Volume ${v}`); });
  number('qty', (n, v) => { n.textContent = String(v); });

  // Disclosure, radio group, three-state box.
  for (const b of all('.fold')) {
    b.onclick = () => {
      const open = b.getAttribute('aria-expanded') !== 'true';
      b.setAttribute('aria-expanded', String(open));
      $(b.getAttribute('aria-controls')).hidden = !open;
    };
  }
  const radios = all('#radios [role=radio]');
  const set = r => { for (const x of radios) x.setAttribute('aria-checked', String(x === r)); rove(radios, r); say(`${r.textContent} theme`); };
  $('radios').onclick = e => e.target.role === 'radio' && set(e.target);
  $('radios').onkeydown = e => {
    const to = step(radios, e.target, e.key, 'ArrowUp', 'ArrowDown') ?? step(radios, e.target, e.key);
    if (to) { e.preventDefault(); set(to); }
  };
  const tick = () => $('tri').setAttribute('aria-checked', String($('tri').getAttribute('aria-checked') !== 'true'));
  $('tri').onclick = tick;
  $('tri').onkeydown = e => { if (e.key === ' ') { e.preventDefault(); tick(); } };

  // Mouse: hover, double click, dragging, the context menu.
  $('tip').onmouseenter = $('tip').onfocus = () => { $('tip-text').hidden = false; };
  $('tip').onmouseleave = $('tip').onblur = () => { $('tip-text').hidden = true; };
  $('rename').ondblclick = () => { $('rename').textContent = $('rename').textContent === 'Untitled' ? 'Renamed' : 'Untitled'; say('Name changed'); };
  $('ctx').oncontextmenu = e => { e.preventDefault(); say('Context menu asked for'); };
  $('ctx').onclick = () => say('Plain click');
  let held = null;
  $('order').onpointerdown = e => { held = e.target.closest('li'); held?.classList.add('held'); };
  addEventListener('pointerup', e => {
    if (!held) return;
    held.classList.remove('held');
    const over = document.elementFromPoint(e.clientX, e.clientY)?.closest('#order li');
    if (over && over !== held) {
      held.compareDocumentPosition(over) & Node.DOCUMENT_POSITION_FOLLOWING ? over.after(held) : over.before(held);
      say(`Order: ${all('#order li').map(l => l.textContent).join(', ')}`);
    }
    held = null;
  });
})();
