// The leads table. Rows are made once and afterwards only moved, hidden or
// touched in the cell that changed: one click changes a few lines of the page,
// as it does in a real application.
(() => {
  const ME = 'Dana Whitfield';
  const $ = id => document.getElementById(id);
  const money = n => '$' + String(n).replace(/\B(?=(\d{3})+$)/g, ',');
  const el = (tag, props, ...kids) => {
    const e = Object.assign(document.createElement(tag), props);
    e.append(...kids);
    return e;
  };
  const body = document.querySelector('#leads tbody');
  const rows = new Map();
  const state = { q: '', stage: '', sort: '', down: false, size: 500, page: 0 };
  let archived = new Set(), opener = null;

  const badge = stage => {
    const b = el('span', { className: 'badge', textContent: stage });
    b.dataset.s = stage;
    return b;
  };

  for (const lead of LEADS) {
    const box = el('input', { type: 'checkbox' });
    box.setAttribute('aria-label', `Select ${lead.name}`);
    box.onchange = picked;
    const open = el('button', { type: 'button', textContent: 'Open' });
    open.setAttribute('aria-label', `Open ${lead.name}`);
    open.onclick = () => show(lead, open);
    const cells = {
      stage: el('td', {}, badge(lead.stage)),
      owner: el('td', { textContent: lead.owner }),
    };
    const tr = el('tr', {},
      el('td', {}, box), el('td', { textContent: lead.name }), el('td', { textContent: lead.title }),
      el('td', { textContent: lead.company }),
      cells.stage, el('td', { textContent: money(lead.value) }), cells.owner, el('td', {}, open));
    tr.setAttribute('aria-label', `${lead.name}, ${lead.title}, ${lead.company}`);
    rows.set(lead, { tr, box, cells });
  }

  function matches(lead, q) {
    return [lead.name, lead.title, lead.company, lead.email].some(s => s.toLowerCase().includes(q));
  }

  function list() {
    const q = state.q.trim().toLowerCase();
    const out = LEADS.filter(l => !archived.has(l) && (!q || matches(l, q)) && (!state.stage || l.stage === state.stage));
    if (state.sort) {
      const key = state.sort === 'stage' ? l => STAGES.indexOf(l.stage) : l => l[state.sort];
      out.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a.id - b.id) * (state.down ? -1 : 1));
    }
    return out;
  }

  // draw puts the rows of the current view in order; a row that stays keeps its element.
  function draw() {
    const all = list();
    const pages = Math.max(1, Math.ceil(all.length / state.size));
    state.page = Math.min(state.page, pages - 1);
    const from = state.page * state.size;
    body.replaceChildren(...all.slice(from, from + state.size).map(l => rows.get(l).tr));
    const n = all.length;
    $('count').textContent = n === 1 ? '1 lead' : `${n} leads`;
    $('where').textContent = n ? `${from + 1}–${Math.min(n, from + state.size)} of ${n}` : 'Nothing matches';
    $('prev').disabled = state.page === 0;
    $('next').disabled = state.page === pages - 1;
    $('clear').hidden = !state.q && !state.stage;
    heading();
    for (const b of document.querySelectorAll('[data-sort]')) {
      b.closest('th').setAttribute('aria-sort', b.dataset.sort === state.sort ? (state.down ? 'descending' : 'ascending') : 'none');
    }
  }

  function totals() {
    const sum = test => LEADS.filter(l => !archived.has(l) && test(l)).reduce((n, l) => n + l.value, 0);
    $('k-open').textContent = money(sum(l => l.stage !== 'Won' && l.stage !== 'Lost'));
    $('k-won').textContent = money(sum(l => l.stage === 'Won'));
    $('k-deals').textContent = String(LEADS.filter(l => !archived.has(l) && l.stage === 'Won').length);
    $('k-lost').textContent = money(sum(l => l.stage === 'Lost'));
  }

  function chosen() {
    return LEADS.filter(l => rows.get(l).box.checked);
  }

  function picked() {
    const on = chosen();
    for (const [l, r] of rows) r.tr.classList.toggle('on', r.box.checked && !archived.has(l));
    $('picked').textContent = on.length ? `${on.length} selected` : 'None selected';
    for (const b of document.querySelectorAll('[data-bulk]')) b.disabled = !on.length;
    heading();
  }

  // heading makes the box above the column say all, some or none of the rows in view.
  function heading() {
    const view = list();
    const n = view.filter(l => rows.get(l).box.checked).length;
    $('all').checked = n > 0 && n === view.length;
    $('all').indeterminate = n > 0 && n < view.length;
  }

  function setStage(lead, stage) {
    lead.stage = stage;
    rows.get(lead).cells.stage.replaceChildren(badge(stage));
    totals();
  }

  function setOwner(lead, owner) {
    lead.owner = owner;
    rows.get(lead).cells.owner.textContent = owner;
  }

  const people = n => n === 1 ? '1 lead' : `${n} leads`;
  const bulk = {
    assign(on) { on.forEach(l => setOwner(l, ME)); toast(`${people(on.length)} assigned to ${ME}`); },
    stage(on) { on.forEach(l => setStage(l, 'Contacted')); toast(`${people(on.length)} marked as contacted`); },
    archive(on) {
      on.forEach(l => { archived.add(l); rows.get(l).box.checked = false; });
      picked(); totals(); draw();
      toast(`${people(on.length)} archived`);
    },
    clear(on) { on.forEach(l => { rows.get(l).box.checked = false; }); picked(); },
  };
  for (const b of document.querySelectorAll('[data-bulk]')) b.onclick = () => bulk[b.dataset.bulk](chosen());
  $('all').onchange = () => {
    for (const l of list()) rows.get(l).box.checked = $('all').checked;
    picked();
  };

  // go takes a new view into the history, so that back undoes a search.
  function go(change) {
    Object.assign(state, change, { page: change.page ?? 0 });
    const p = new URLSearchParams();
    if (state.q) p.set('q', state.q);
    if (state.stage) p.set('stage', state.stage);
    if (state.size !== 500) p.set('size', state.size);
    if (state.page) p.set('page', state.page + 1);
    const to = location.pathname + (p.size ? '?' + p : '');
    if (to !== location.pathname + location.search) history.pushState(null, '', to);
    draw();
  }

  function read() {
    const p = new URLSearchParams(location.search);
    const size = Number(p.get('size'));
    state.q = p.get('q') ?? '';
    state.stage = STAGES.includes(p.get('stage')) ? p.get('stage') : '';
    state.size = [25, 50, 100].includes(size) ? size : 500;
    state.page = Math.max(0, (Number(p.get('page')) || 1) - 1);
    $('q').value = state.q;
    $('stage').value = state.stage;
    $('size').value = String(state.size);
    hint('');
    draw();
  }

  // hint lists a few matches under the search field while one types; the table waits for Enter.
  function hint(text) {
    const q = text.trim().toLowerCase();
    const found = q ? LEADS.filter(l => !archived.has(l) && matches(l, q)) : [];
    $('hints').hidden = !q;
    $('hints').replaceChildren(...found.slice(0, 5).map(l => el('li', { textContent: `${l.name}, ${l.company}` })),
      ...(q ? [el('li', { className: 'soft', textContent: found.length > 5 ? `${found.length} matches, Enter shows all` : `${found.length} matches` })] : []));
  }

  $('q').oninput = () => hint($('q').value);
  $('filter').onsubmit = e => { e.preventDefault(); hint(''); go({ q: $('q').value }); };
  $('q').onkeydown = e => { if (e.key === 'Enter') { e.preventDefault(); $('filter').requestSubmit(); } };
  $('stage').append(el('option', { value: '', textContent: 'All stages' }), ...STAGES.map(s => el('option', { value: s, textContent: s })));
  $('stage').onchange = () => go({ stage: $('stage').value });
  $('size').onchange = () => go({ size: Number($('size').value) });
  $('prev').onclick = () => go({ page: state.page - 1 });
  $('next').onclick = () => go({ page: state.page + 1 });
  $('clear').onclick = () => { $('q').value = ''; $('stage').value = ''; hint(''); go({ q: '', stage: '' }); };
  $('export').onclick = () => { const n = chosen().length; toast(n ? `Export of ${people(n)} is on its way to ${ME}` : 'Export of every lead is on its way'); };
  $('add').onclick = () => { location.href = '/form'; };
  for (const b of document.querySelectorAll('[data-sort]')) {
    b.onclick = () => {
      state.down = state.sort === b.dataset.sort && !state.down;
      state.sort = b.dataset.sort;
      state.page = 0;
      draw();
    };
  }
  addEventListener('popstate', read);

  // show opens the drawer on a lead. It does not make the page behind it inert.
  function show(lead, from) {
    opener = from;
    const d = $('drawer');
    const close = el('button', { type: 'button', textContent: 'Close' });
    close.onclick = hide;
    const stage = el('select', {}, ...STAGES.map(s => el('option', { textContent: s, selected: s === lead.stage })));
    stage.onchange = () => { setStage(lead, stage.value); log(`Stage set to ${stage.value}`); toast(`${lead.name} is now ${stage.value}`); };
    const note = el('textarea', { rows: 3 });
    const add = el('button', { type: 'button', textContent: 'Add note', className: 'primary' });
    const story = el('ol', {});
    lead.story ??= [`Created by ${OWNERS[lead.id % OWNERS.length]}`, 'Intro mail sent'];
    const log = text => { lead.story.push(text); story.append(el('li', { textContent: text })); };
    lead.story.forEach(t => story.append(el('li', { textContent: t })));
    add.onclick = () => {
      if (!note.value.trim()) return toast('Write the note first');
      log(`${ME}: ${note.value.trim()}`);
      note.value = '';
      toast('Note added');
    };
    const facts = el('dl', {});
    for (const [k, v] of [['Company', lead.company], ['Email', lead.email], ['Phone', lead.phone], ['Value', money(lead.value)]]) {
      facts.append(el('dt', { textContent: k }), el('dd', { textContent: v }));
    }
    d.replaceChildren(
      el('header', {}, el('div', {}, el('h2', { textContent: lead.name }), el('p', { textContent: `${lead.title}, ${lead.company}`, className: 'soft' })), close),
      facts, el('label', {}, 'Lead stage', stage), el('label', {}, 'Note', note), el('p', { className: 'done' }, add),
      el('h3', { textContent: 'History' }), story);
    d.setAttribute('aria-label', `Lead ${lead.name}`);
    d.hidden = false;
    close.focus();
  }

  function hide() {
    $('drawer').hidden = true;
    $('drawer').replaceChildren();
    opener?.focus();
  }
  addEventListener('keydown', e => {
    if (e.key !== 'Escape') return;
    if (!$('hints').hidden) hint('');
    else if (!$('drawer').hidden) hide();
  });

  totals();
  read();
})();
