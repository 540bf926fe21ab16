// What the world outside calls.

function begin() {
  infos = [];
  frames = [];
  cutShort = '';
  readSheets();
  captures++;
}

function end() {
  for (const info of infos) info.el[INFO] = undefined;
  infos = [];
  wanted = null;
  seenRoots.of.clear();
  seenSheets.of.clear();
  frames = [];
}

function capture(options) {
  opts = typeof options === 'string' ? JSON.parse(options) : options || {};
  prefix = opts.prefix || '';
  budget = opts.max > 0 ? opts.max : Infinity;
  deadline = opts.ms > 0 ? performance.now() + opts.ms : Infinity;
  begin();
  try {
    const root = bodyOf(document) || (window === top ? rootElementOf(document) : null); // a frame without a body stays a bare line
    focused = window === top || hasFocusOf(document) ? focusedOf(document) : null;
    const whole = root ? walk(root) : new Line('fragment', null);
    settle(whole);
    room = opts.max > 0 ? opts.max : Infinity;
    prune();
    const lines = print(whole);
    const meta = { url: urlOf(document), title: titleOf(document), elements: countElements(), prefix };
    const found = frames.filter(f => f.at < lines.length).map(f => ({ ref: f.ref, line: f.at }));
    if (found.length) meta.frames = found;
    if (cutShort) meta.notes = ['cut: ' + cutShort];
    if (opts.rects) meta.boxes = boxTable();
    return JSON.stringify(meta) + '\n' + lines.join('\n');
  } finally {
    end();
  }
}

function countElements() {
  return byTag(document, '*').length;
}

// boxTable is "number x y w h" of every ref of this capture, one flat list.
function boxTable() {
  const out = [];
  for (const info of infos) {
    const ref = info.el[REF];
    if (!ref || ref.capture !== captures) continue;
    const r = boxOf(info);
    if (r) out.push(ref.n, Math.round(r.x), Math.round(r.y), Math.round(r.width), Math.round(r.height));
  }
  return out;
}

const numberOf = ref => {
  const m = /^(?:f\d+)?e(\d+)$/.exec(String(ref).trim());
  return m ? Number(m[1]) : 0;
};

function element(ref) {
  const entry = byNumber.get(numberOf(ref));
  const el = entry && entry.el.deref();
  return el && el[REF] === entry && isConnectedOf(el) ? el : null;
}

function describe(ref) {
  const entry = byNumber.get(numberOf(ref));
  if (!entry) return '';
  return entry.role + (entry.name ? ' ' + JSON.stringify(entry.name) : '') + ', last seen in capture ' + entry.capture;
}

function everyElement(root, visit) {
  for (let node = firstChildOf(root); node; node = nextSiblingOf(node)) {
    if (nodeTypeOf(node) !== 1) continue;
    visit(node);
    const shadow = rootIn(node);
    if (shadow) everyElement(shadow, visit);
    everyElement(node, visit);
  }
}

function find(role, name, nth) {
  const exact = [], loose = [];
  const want = name ? tidy(name) : '', low = want.toLowerCase();
  deadline = Infinity;
  begin();
  try {
    everyElement(document, el => {
      const info = infoOf(el);
      if (hiddenFromAria(info)) return;
      if (role && (roleOf(info) || 'generic') !== role) return;
      const has = nameOf(info);
      if (!want || has === want) exact.push(el);
      else if (has.toLowerCase().includes(low)) loose.push(el);
    });
  } finally {
    end();
  }
  const out = exact.length ? exact : loose;
  return typeof nth === 'number' ? out.slice(nth, nth + 1) : out;
}

function query(css, nth) {
  const out = [];
  const look = root => {
    for (const el of allIn(root, css)) out.push(el);
    everyElement(root, el => {
      const shadow = rootIn(el);
      if (shadow) for (const hit of allIn(shadow, css)) out.push(hit);
    });
  };
  look(document);
  return typeof nth === 'number' ? out.slice(nth, nth + 1) : out;
}

function closed(host, root) {
  closedRoots.set(host, root);
  anyClosed = true;
}

globalThis[Symbol.for('snapscope')] = { capture, element, describe, find, query, closed, getter, reader, refs: () => byNumber.size };
