// What the walk knows of one element, read once a capture: a flat tree in
// which slots, shadow roots and aria-owns are already followed. Every DOM
// getter is taken from its prototype, because a form's fields and a
// document's images can shadow them by name on the object itself.

const getter = (proto, name) => {
  for (let p = proto; p; p = Object.getPrototypeOf(p)) {
    const d = Object.getOwnPropertyDescriptor(p, name);
    if (d) return d.get || d.value;
  }
  return function () { return null; };
};
const reader = (proto, name) => Function.prototype.call.bind(getter(proto, name));

const firstChildOf = reader(Node.prototype, 'firstChild');
const nextSiblingOf = reader(Node.prototype, 'nextSibling');
const parentNodeOf = reader(Node.prototype, 'parentNode');
const nodeTypeOf = reader(Node.prototype, 'nodeType');
const nodeValueOf = reader(Node.prototype, 'nodeValue');
const textContentOf = reader(Node.prototype, 'textContent');
const rootOf = reader(Node.prototype, 'getRootNode');
const ownerDocumentOf = reader(Node.prototype, 'ownerDocument');
const localNameOf = reader(Element.prototype, 'localName');
const namespaceOf = reader(Element.prototype, 'namespaceURI');
const attrOf = reader(Element.prototype, 'getAttribute');
const hasAttr = reader(Element.prototype, 'hasAttribute');
const hasAttrs = reader(Element.prototype, 'hasAttributes');
const shadowOf = reader(Element.prototype, 'shadowRoot');
const slotOf = reader(Element.prototype, 'assignedSlot');
const rectOf = reader(Element.prototype, 'getBoundingClientRect');
const childCountOf = reader(Element.prototype, 'childElementCount');
const nextElementOf = reader(Element.prototype, 'nextElementSibling');
const previousElementOf = reader(Element.prototype, 'previousElementSibling');
const childrenOf = reader(Element.prototype, 'children');
const closestOf = reader(Element.prototype, 'closest');
const holdsOf = reader(Node.prototype, 'contains');
const byTag = reader(Document.prototype, 'getElementsByTagName');
const rangeIn = reader(Document.prototype, 'createRange');
const allInDocument = reader(Document.prototype, 'querySelectorAll');
const allInFragment = reader(DocumentFragment.prototype, 'querySelectorAll');
const allIn = (root, css) => nodeTypeOf(root) === 9 ? allInDocument(root, css) : allInFragment(root, css);
const classesOf = reader(Element.prototype, 'classList');
const matchesOf = reader(Element.prototype, 'matches');
const isConnectedOf = reader(Node.prototype, 'isConnected');
const labelledByOf = reader(Element.prototype, 'ariaLabelledByElements'); // set as elements, not as ids
const assignedOf = reader(HTMLSlotElement.prototype, 'assignedNodes');
const shownByBrowser = reader(Element.prototype, 'checkVisibility');
const bodyOf = reader(Document.prototype, 'body');
const rootElementOf = reader(Document.prototype, 'documentElement');
const focusedOf = reader(Document.prototype, 'activeElement');
const hasFocusOf = reader(Document.prototype, 'hasFocus');
const titleOf = reader(Document.prototype, 'title');
const urlOf = reader(Document.prototype, 'URL');
const byIdIn = root => nodeTypeOf(root) === 9
  ? id => Document.prototype.getElementById.call(root, id)
  : nodeTypeOf(root) === 11 ? id => DocumentFragment.prototype.getElementById.call(root, id) : () => null;

const SVG = 'http://www.w3.org/2000/svg';
const XLINK = 'http://www.w3.org/1999/xlink';

// Shadow roots the page keeps closed; whoever found one from outside says so.
const closedRoots = new WeakMap();
let anyClosed = false;
function rootIn(el) {
  const root = shadowOf(el) || (anyClosed && !opts.exact && closedRoots.get(el)) || null;
  if (root !== null) sawShadow(root);
  return root;
}

// Elements whose contents are never read to anyone.
const SILENT = new Set(['script', 'style', 'noscript', 'template', 'head', 'meta', 'link', 'title', 'base', 'param', 'source', 'track']);

// How an element stands in the line of text.
const NONE = 0, INLINE = 1, CONTENTS = 2, BLOCK = 3;

class Info {
  constructor(el, tag, svg, parent) {
    this.el = el;
    this.tag = tag;         // local name, lower case
    this.svg = svg;         // in the SVG namespace
    this.parent = parent;   // Info of the flat tree's parent, or null
    this.up = parent;       // the parent in its own tree: a slotted element's host
    this.disp = NONE;
    this.drawn = false;     // visibility: visible and not skipped by the browser
    this.seen = false;      // drawn, or spoken of although it is not
    this.pointer = false;   // cursor: pointer
    this.inert = false;     // pointer-events: none
    this.ownAh = false;     // aria-hidden here
    this.ah = false;        // aria-hidden here or above
    this.kidList = null;
    this.roleMemo = undefined;
    this.ownRole = undefined;
    this.taken = false;     // printed already, here or where it is owned
    this.visited = 0;       // the last name it spoke in
    this.content = undefined; // its words in the name of an element around it
    this.nameMemo = undefined;
    this.soleMemo = undefined; // its words as the only target of an aria-labelledby
    this.boxMemo = undefined;
    this.hiddenMemo = undefined;
    this.disabledMemo = undefined;
    this.from = 0;          // where its name came from
  }
}

// One capture's memory hangs on the elements themselves, which is quicker than
// a Map of them, and is taken off when the capture ends.
const INFO = Symbol('info');
let infos = [];

function infoOf(el, parent) {
  const known = el[INFO];
  if (known !== undefined) return known;
  const svg = namespaceOf(el) === SVG;
  const local = localNameOf(el);
  const info = new Info(el, svg ? local : local.toLowerCase(), svg, parent === undefined ? parentInfo(el) : parent);
  el[INFO] = info;
  infos.push(info);
  readStyle(info);
  return info;
}

// parentInfo climbs the flat tree: a slotted element's parent is its slot.
function parentInfo(el) {
  const slot = slotOf(el);
  if (slot) return infoOf(slot);
  const up = parentNodeOf(el);
  if (!up) return null;
  if (nodeTypeOf(up) === 11) return up.host ? infoOf(up.host) : null;
  return nodeTypeOf(up) === 1 ? infoOf(up) : null;
}

function readStyle(info) {
  // Hiding goes by the document's own tree, in which a slotted element stands
  // below its host and not below its slot.
  const up = slotOf(info.el) ? parentNodeOf(info.el) : null;
  const parent = up !== null ? infoOf(up) : info.parent;
  info.up = parent;
  const hidden = attrOf(info.el, 'aria-hidden');
  info.ownAh = hidden !== null && hidden.toLowerCase() === 'true';
  info.ah = info.ownAh || (parent !== null && parent.ah);
  if ((SILENT.has(info.tag) && info.tag !== 'noscript') || (parent !== null && parent.disp === NONE)) return;
  const cs = getComputedStyle(info.el);
  const display = cs.display;
  if (display === 'none') return;
  info.disp = display === 'inline' ? INLINE : display === 'contents' ? CONTENTS : BLOCK;
  info.pointer = cs.cursor === 'pointer';
  info.inert = cs.pointerEvents === 'none';
  info.drawn = info.disp === CONTENTS || (cs.visibility === 'visible' && shownByBrowser(info.el));
  info.seen = info.drawn || (info.tag === 'slot' && !info.svg) || inSelect(info);
}

// A closed select draws no options, yet they are what it offers.
function inSelect(info) {
  return info.tag === 'option' && !info.svg && closestOf(info.el, 'select') !== null;
}

// kidsOf lists what an element holds in reading order: texts and elements.
// What display: none holds is listed too: the oracle reads generated content there.
function kidsOf(info) {
  if (info.kidList) return info.kidList;
  const list = info.kidList = [];
  const el = info.el, shadow = rootIn(el); // first: its sheets may give the host generated text
  const generated = mayGenerate(el, info.tag);
  if (generated) {
    const text = pseudoText(info, '::before');
    if (text) list.push(new Generated(text));
  }
  if (!SILENT.has(info.tag)) {
    const assigned = info.tag === 'slot' && !info.svg ? assignedOf(el) : null;
    if (assigned && assigned.length) {
      for (const node of assigned) addKid(list, node, info);
    } else {
      for (let node = firstChildOf(shadow || el); node; node = nextSiblingOf(node)) addKid(list, node, info);
    }
    if (hasAttr(el, 'aria-owns')) {
      for (const owned of byIds(el, 'aria-owns')) list.push(infoOf(owned));
    }
  }
  if (generated) {
    const text = pseudoText(info, '::after');
    if (text) list.push(new Generated(text));
  }
  return list;
}

// Generated text is kept apart from text nodes: it counts even where those do not.
class Generated {
  constructor(text) { this.text = text; }
}

function addKid(list, node, info) {
  const type = nodeTypeOf(node);
  if (type === 3) {
    const text = nodeValueOf(node);
    if (text) list.push(text);
  } else if (type === 1) {
    list.push(infoOf(node, info));
  }
}

// byIds resolves an attribute of ids in the element's own tree.
function byIds(el, name) {
  const value = attrOf(el, name);
  if (!value) return value === '' && name === 'aria-labelledby' ? [...labelledByOf(el) || []] : [];
  const find = byIdIn(rootOf(el));
  const out = [];
  for (const id of value.split(/\s+/)) {
    const target = id && find(id);
    if (target && !out.includes(target)) out.push(target);
  }
  return out;
}

// hiddenFromAria tells whether assistive technology is told nothing of it.
function hiddenFromAria(info) {
  if (info.hiddenMemo !== undefined) return info.hiddenMemo;
  info.hiddenMemo = true; // for a cycle of owners
  return info.hiddenMemo = info.disp === NONE || info.ah || !speakable(info);
}

// speakable tells whether an element that is displayed can be spoken of. One
// without a box of its own is as good as what it holds; a slot always is.
function speakable(info) {
  if (info.disp !== CONTENTS || info.tag === 'slot') return info.seen;
  return drawnInside(info) || kidsOf(info).some(k => k instanceof Info && !hiddenFromAria(k));
}

// boxOf is the border box in CSS pixels, or null where nothing is drawn.
function boxOf(info) {
  if (info.boxMemo !== undefined) return info.boxMemo;
  if (!info.drawn) return info.boxMemo = null;
  if (info.disp === CONTENTS) return info.boxMemo = drawnInside(info) ? rectOf(info.el) : null;
  const r = rectOf(info.el);
  return info.boxMemo = r.width > 0 && r.height > 0 ? r : null;
}

// drawnInside tells whether an element without a box of its own holds
// something that has one.
function drawnInside(info) {
  rectOf(info.el); // lays out what content-visibility skipped, which a range's rectangle does not
  for (let node = firstChildOf(info.el); node; node = nextSiblingOf(node)) {
    const type = nodeTypeOf(node);
    if (type === 1) {
      const kid = infoOf(node);
      if (kid.disp !== NONE && boxOf(kid)) return true;
    } else if (type === 3 && /\S/.test(nodeValueOf(node))) {
      const range = rangeIn(document);
      range.selectNodeContents(node);
      const r = range.getBoundingClientRect();
      if (r.width > 0 && r.height > 0) return true;
    }
  }
  return false;
}
