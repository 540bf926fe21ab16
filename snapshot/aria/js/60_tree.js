// The walk: one pass down that gives refs in document order, and on the way
// up the rules that distil the tree.

class Line {
  constructor(role, info) {
    this.role = role;
    this.info = info;     // null for the fragment at the top
    this.name = '';
    this.from = NOWHERE;  // where the name came from
    this.states = '';
    this.ref = '';
    this.pointer = false;
    this.hidden = false;  // aria-hidden itself
    this.under = false;   // something above it is clickable already
    this.lines = 0;       // lines below it before any was dropped
    this.plain = false;   // a generic with a ref that holds nothing but text
    this.url = null;
    this.placeholder = null;
    this.kids = [];       // Line or text
  }
}

// Refs outlive a capture: an element keeps its number while role and name stay.
// The entry hangs on the element itself, which no page script can see from
// another world and which costs a tenth of what a WeakMap of them would.
const REF = Symbol('ref');
const byNumber = new Map();    // n -> {n, role, name, capture, el: WeakRef}
let lastNumber = 0;
let captures = 0;

function refOf(el, role, name) {
  const had = el[REF];
  if (had !== undefined && had.role === role && had.name === name) {
    had.capture = captures;
    return had.n;
  }
  const entry = { n: ++lastNumber, role, name, capture: captures, el: new WeakRef(el) };
  el[REF] = entry;
  byNumber.set(entry.n, entry);
  return entry.n;
}

// hasRef tells whether an element was given its ref in this capture.
const hasRef = el => el[REF] !== undefined && el[REF].capture === captures;

// prune forgets the refs of elements that are gone, or that have another by now.
let pruneAt = 4096;

function prune() {
  if (byNumber.size < pruneAt) return;
  for (const [n, entry] of byNumber) {
    const el = entry.el.deref();
    if (!el || el[REF] !== entry || !isConnectedOf(el)) byNumber.delete(n);
  }
  pruneAt = Math.max(4096, 2 * byNumber.size);
}

let focused, budget, frames, cutShort, prefix;
let opts = {};

function walk(root) {
  const top = new Line('fragment', null);
  descend(infoOf(root, null), top, 0);
  return top;
}

const DEEPEST = 1500;

// A capture has a time, looked at every so many elements: a page that is too
// large for it is read up to there.
let deadline = Infinity, ticks = 0;

function timeUp() {
  if (cutShort || ++ticks & 127 || performance.now() < deadline) return cutShort !== '';
  cutShort = 'reading it took longer than ' + opts.ms / 1000 + ' s';
  return true;
}

function descend(info, into, depth) {
  if (info.taken || timeUp()) return;
  info.taken = true;
  if (info.disp === NONE) { descendUnseen(info, into, depth); return; }
  if (depth > DEEPEST) { cutShort = 'nested deeper than ' + DEEPEST + ' elements'; return; }
  const shown = info.ah ? info.seen && boxOf(info) !== null : !hiddenFromAria(info);
  const line = shown ? lineFor(info, into) : null;
  const block = line === null && info.disp !== INLINE && info.tag !== 'br';
  if (line) {
    into.kids.push(line);
    into.lines++;
  } else if (block) into.kids.push(' ');
  walkKids(info, line || into, shown, depth);
  if (line) {
    settle(line);
    distil(line, into);
  }
  if (block) into.kids.push(' ');
}

// descendUnseen passes through what is not displayed for the sake of generated
// text and, in a shadow root, of slots.
function descendUnseen(info, into, depth) {
  if (depth > DEEPEST || (wanted.none && nodeTypeOf(rootOf(info.el)) !== 11)) { into.kids.push(' '); return; }
  const before = into.kids.length;
  for (const kid of kidsOf(info)) {
    if (kid instanceof Generated) say(into, kid.text);
    else if (kid instanceof Info && !kid.taken) {
      if (kid.disp !== NONE) { descend(kid, into, depth + 1); continue; }
      kid.taken = true;
      descendUnseen(kid, into, depth + 1);
    }
  }
  const top = info.parent === null || info.parent.disp !== NONE;
  if (!top && info.tag !== 'br' && getComputedStyle(info.el).display === 'inline') return;
  into.kids.splice(before, 0, ' ');
  into.kids.push(' ');
}

function walkKids(info, target, shown, depth) {
  const value = shown && target.info === info ? fieldValue(info) : null;
  const muted = !shown || target.role === 'textbox' || (info.tag === 'details' && !hasAttr(info.el, 'open'));
  if (value) say(target, info.disp === INLINE ? value : value + ' ');
  for (const kid of kidsOf(info)) {
    if (kid instanceof Info) descend(kid, target, depth + 1);
    else if (kid instanceof Generated) say(target, kid.text);
    else if (!muted) say(target, kid);
    if (cutShort) return;
  }
}

function say(target, text) {
  budget -= text.length;
  if (budget < 0) cutShort = 'text is longer than the limit';
  else target.kids.push(text);
}

// fieldValue is the text that stands for a field's contents.
function fieldValue(info) {
  if (info.tag === 'textarea') return valueOf(info.el);
  if (info.tag !== 'input') return null;
  const type = inputType(info.el);
  if (type === 'checkbox' || type === 'radio' || type === 'file') return '';
  return secretOf(info, valueOf(info.el));
}

// soleText tells whether an element holds one text node and nothing else.
function soleText(el) {
  const first = firstChildOf(el);
  return !!first && nodeTypeOf(first) === 3 && !nextSiblingOf(first);
}

// lineFor makes the line of an element, or null where its contents stand for it.
function lineFor(info, into) {
  const el = info.el;
  let role = info.tag === 'iframe' || info.tag === 'frame' ? 'iframe' : roleOf(info);
  if (role === 'presentation' || role === 'none') return null;
  if (role === '' || role === 'generic') {
    if (info.disp !== BLOCK && soleText(el) && (info.disp === INLINE || boxOf(info))) return null;
    role = 'generic';
  }
  const line = new Line(role, info);
  line.name = role === 'iframe' ? '' : nameOf(info);
  line.from = info.from;
  line.under = into.under || into.pointer;
  line.hidden = info.ownAh;
  if ((!info.inert || role === 'iframe') && boxOf(info)) {
    line.ref = prefix + 'e' + refOf(el, role, line.name);
    line.pointer = info.pointer;
  }
  line.states = statesOf(info, role, el === focused);
  if (role === 'link') line.url = attrOf(el, 'href');
  if (role === 'textbox') {
    const hint = attrOf(el, 'placeholder');
    if (hint !== null && hint !== line.name) line.placeholder = hint;
  }
  if (role === 'iframe' && line.ref) frames.push(line);
  return line;
}

// lendsWords tells whether a line's own words stand in a name around it.
function lendsWords(info) {
  if (hiddenFromAria(info) || (info.svg && !hasAttr(info.el, 'aria-label'))) return false;
  epoch++;
  return tidy(alternative(info, CONTENT, false, 0)) !== '';
}

// wordsOfOthers lists the elements that name another from outside of it, or null:
// its words in a name around it are theirs.
function wordsOfOthers(el) {
  const targets = byIds(el, 'aria-labelledby');
  return targets.length && !targets.some(t => t !== el && (holdsOf(el, t) || holdsOf(t, el))) ? targets : null;
}

// settle drops what only says the name again, joins the texts that are then
// neighbours and drops empty ones.
function settle(line) {
  if (line.name) line.kids = line.kids.filter(k => typeof k === 'string' || k.role !== 'generic' || saysOnly(k) !== line.name);
  const out = [];
  let text = null;
  const flush = () => {
    if (text === null) return;
    const s = tidy(text);
    if (s) out.push(s);
    text = null;
  };
  for (const kid of line.kids) {
    if (typeof kid === 'string') text = text === null ? kid : text + kid;
    else { flush(); out.push(kid); }
  }
  flush();
  line.plain = line.ref !== '' && line.lines === 0 && out.length > 0;
  line.kids = out.length === 1 && out[0] === line.name ? [] : out;
}

// A textbox made of other elements shows its parts and not its bare text.
function dropTexts(kids) {
  let n = 0;
  for (const kid of kids) if (typeof kid !== 'string') kids[n++] = kid;
  kids.length = n;
}

function textOnly(line) {
  return line.kids.length === 1 && typeof line.kids[0] === 'string';
}

// Landmarks, windows, widgets made of parts and a table's headers keep their
// names whatever they hold.
const KEEP_NAME = words(`alertdialog application banner columnheader complementary contentinfo dialog document figure
  form grid group listbox main menu menubar navigation radiogroup region rowheader search table tablist tabpanel
  toolbar tree treegrid`);

// distil applies the rules to a line whose children are already distilled;
// it stands last in the list of the line above and may leave it. A line without
// a ref keeps its name, whatever stands below.
function distil(line, into) {
  const at = into.kids.length - 1;
  if (line.name && line.ref && line.from >= INNER && !KEEP_NAME.has(line.role) && saidBelow(line)) line.name = '';
  const clickable = line.pointer && !line.under;
  if (line.role === 'img' && !line.name && !clickable && !line.kids.length) { into.kids.length = at; return; }
  if (line.role !== 'generic') return;
  if (line.kids.length === 0 && !line.name && !clickable) { into.kids.length = at; return; }
  if (line.kids.length !== 1 || typeof line.kids[0] === 'string') return;
  const only = line.kids[0];
  if (only.role === 'generic' && !only.name && textOnly(only) && !only.hidden && !line.hidden) {
    line.kids = only.kids;
    line.plain = only.plain;
  } else if (!line.name && only.ref) {
    into.kids[at] = only;
  }
}

// saysOnly is the one thing a line says, its name or its text; '' when it says more or nothing.
function saysOnly(line) {
  if (line.kids.length === 0) return line.name;
  return textOnly(line) && !line.name ? line.kids[0] : '';
}

// saidBelow tells whether the lines below already say a name that was made
// from them: some line with a ref does, and none of the words stands in a bare
// generic, which an agent would rather act on through the name above.
function saidBelow(line) {
  const el = line.info.el;
  const targets = line.from === TARGETS ? byIds(el, 'aria-labelledby') : null;
  if (targets !== null && targets.some(t => t !== el && holdsOf(t, el))) return false; // words from around it
  const found = { said: false, plain: false, targets };
  lookBelow(line, found);
  return found.said && !found.plain;
}

function lookBelow(line, found) {
  for (const kid of line.kids) {
    if (found.plain) return;
    if (typeof kid === 'string') continue;
    const others = found.targets === null ? wordsOfOthers(kid.info.el) : null;
    if (others !== null) { // words of a line that can be acted on: they stand here as a name, or nowhere below
      if (!others.some(hasRef)) continue;
      if (kid.name && kid.ref) { found.said = true; continue; }
      found.plain = true;
      return;
    }
    const spoke = found.targets === null ? lendsWords(kid.info) : spokeIn(kid.info, found.targets);
    if (spoke === undefined) { lookBelow(kid, found); continue; }
    if (!spoke) continue;
    if (kid.role === 'combobox' || kid.role === 'listbox') {
      if (kid.info.tag === 'input' ? kid.ref : chosenBelow(kid)) found.said = true;
      continue;
    }
    if (kid.role === 'generic' && kid.plain) { found.plain = true; return; }
    if (kid.ref) found.said = true;
    if (!kid.name) lookBelow(kid, found);
  }
}

// spokeIn tells whether an element's words stand in a name made from targets;
// undefined where a target lies below it.
function spokeIn(info, targets) {
  for (const t of targets) {
    if (holdsOf(t, info.el)) {
      epoch++;
      return tidy(alternative(info, LABEL, false, 0)) !== '';
    }
  }
  return targets.some(t => holdsOf(info.el, t)) ? undefined : false;
}

// chosenBelow tells whether a selected option with a ref is printed below.
function chosenBelow(line) {
  return line.kids.some(k => typeof k !== 'string' && (k.role === 'option' ? k.ref && selectedOf(k.info) : chosenBelow(k)));
}
