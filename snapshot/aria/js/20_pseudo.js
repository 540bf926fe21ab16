// Text that style sheets generate. Asking the style of ::before and ::after of
// every element would double the cost of a capture, so the sheets are read
// first for rules that can generate text, and only elements such a rule could
// match are asked. Where a sheet cannot be read every element is.

const sheetMemo = new WeakMap(); // large sheet -> {all, telling}: its rules, and those to read again
let wanted = null;               // what this capture's sheets ask for

class Keys {
  constructor() {
    this.all = false;
    this.parts = false; // some rule is for parts of shadow trees
    this.classes = new Set();
    this.tags = new Set();
    this.ids = new Set();
    this.others = [];
    this.other = '';
  }
  add(keys) {
    if (keys.all) this.all = true;
    if (keys.parts) this.parts = true;
    for (const c of keys.classes) this.classes.add(c);
    for (const t of keys.tags) this.tags.add(t);
    for (const i of keys.ids) this.ids.add(i);
    this.others.push(...keys.others);
  }
  seal() {
    this.other = this.others.join(',');
    if (this.other) {
      try { matchesOf(rootElementOf(document), this.other); } catch { this.all = true; }
    }
    this.none = !this.all && !this.parts && !this.classes.size && !this.tags.size && !this.ids.size && !this.other;
    return this;
  }
}

const PSEUDO = /::?(?:before|after)\b/;
const EMPTY_CONTENT = /^(?:|none|normal|""|''|(?:(?:no-)?(?:open|close)-quote)|counters?\([^"]*\))$/;

function readSheets() {
  wanted = new Keys();
  readRoot(document);
  wanted.seal();
}

// The sheets of a document or shadow root.
const sheetsOf = reader(Document.prototype, 'styleSheets');
const adoptedOf = reader(Document.prototype, 'adoptedStyleSheets');
const listsOf = root => nodeTypeOf(root) === 9 ? [sheetsOf(root), adoptedOf(root)] : [root.styleSheets, root.adoptedStyleSheets];

const seenSheets = { of: new Set() }; // those that this capture has read: many roots may share one

// readRoot reports whether it found a sheet that was not read yet.
function readRoot(root) {
  let found = false;
  for (const list of listsOf(root)) {
    if (!list || !list.length) continue;
    for (const sheet of list) {
      if (seenSheets.of.has(sheet)) continue;
      seenSheets.of.add(sheet);
      wanted.add(keysOf(sheet));
      found = true;
    }
  }
  return found;
}

// sawShadow is told of every shadow root the walk enters.
const seenRoots = { of: new Set() };
function sawShadow(root) {
  if (wanted === null || seenRoots.of.has(root)) return;
  seenRoots.of.add(root);
  if (readRoot(root)) wanted.seal();
}

// A sheet of this many rules at most is read whole at every capture. Of a larger
// one it is asked whether its rules are the ones that were there, and those that
// could generate text, or hold others, are read again: what goes unseen is a
// selector of another rule that a script changed in place.
const REREAD = 1000;

function keysOf(sheet) {
  const keys = new Keys();
  try {
    const rules = sheet.cssRules;
    readRules(rules.length > REREAD ? tellingRules(sheet, rules) : rules, keys, null);
  } catch { keys.all = true; } // a sheet of another origin
  return keys;
}

function tellingRules(sheet, rules) {
  let memo = sheetMemo.get(sheet);
  if (memo === undefined || memo.all.length !== rules.length || memo.all.some((rule, i) => rule !== rules[i])) {
    const all = [...rules];
    memo = { all, telling: all.filter(r => r.selectorText === undefined || PSEUDO.test(r.selectorText) || r.cssRules?.length) };
    sheetMemo.set(sheet, memo);
  }
  return memo.telling;
}

function readRules(rules, keys, parent) {
  for (const rule of rules) {
    const selector = rule.selectorText;
    if (selector !== undefined) {
      if (PSEUDO.test(selector) && !EMPTY_CONTENT.test(rule.style.content)) readSelector(selector, keys, parent);
      if (rule.cssRules && rule.cssRules.length) readRules(rule.cssRules, keys, selector);
    } else if (rule.styleSheet) {
      try { readRules(rule.styleSheet.cssRules, keys, null); } catch { keys.all = true; }
    } else if (rule.cssRules) {
      readRules(rule.cssRules, keys, parent);
    }
  }
}

// An escaped character is no part of a selector's grammar: it is masked before
// one is taken apart, one letter for each, so that places stay the same.
const unescaped = text => text.includes('\\') ? text.replace(/\\(?:[0-9a-fA-F]{1,6}\s?|[^])/g, m => 'ƒ'.repeat(m.length)) : text;
const plain = text => text.replace(/\\(?:([0-9a-fA-F]{1,6})\s?|([^]))/g, (_, hex, ch) => hex ? String.fromCodePoint(parseInt(hex, 16) || 0xfffd) : ch);

function readSelector(selector, keys, parent) {
  for (const one of splitSelectors(selector)) {
    const at = unescaped(one).search(PSEUDO);
    if (at < 0) continue;
    const base = one.slice(0, at).trim();
    if (base.endsWith('&')) { if (parent) readBases(parent, keys); else keys.all = true; } else readBase(base, keys);
  }
}

const readBases = (selector, keys) => { for (const one of splitSelectors(selector)) readBase(one.trim(), keys); };

// readBase files the last compound of a selector under its class, id or tag.
function readBase(base, keys) {
  const masked = unescaped(base).replace(/\([^()]*\)|\[[^\]]*\]/g, m => 'ſ'.repeat(m.length));
  const flat = /[^\s>+~]*$/.exec(masked)[0];
  const text = base.slice(base.length - flat.length);
  const name = m => plain(text.slice(m.index + m[0].length - m[1].length, m.index + m[0].length));
  let m;
  if (text === '' || text === '*' || text.includes('&') || text.includes(':host') || text.includes('::slotted')) keys.all = true;
  else if (/::part\(/i.test(text)) keys.parts = true;
  else if ((m = /\.((?:[\w-]|[^\x00-\x7fſ])+)/.exec(flat))) keys.classes.add(name(m));
  else if ((m = /#((?:[\w-]|[^\x00-\x7fſ])+)/.exec(flat))) keys.ids.add(name(m));
  else if ((m = /^([a-zA-Z][\w-]*)/.exec(flat))) keys.tags.add(m[1].toLowerCase());
  else keys.others.push(text.replace(/::[\w-]+(?:\([^)]*\))?/g, ''));
}

// splitSelectors splits a list at the commas that stand outside of brackets.
function splitSelectors(list) {
  if (!list.includes(',')) return [list];
  const out = [], masked = unescaped(list);
  let depth = 0, from = 0;
  for (let i = 0; i < masked.length; i++) {
    const c = masked[i];
    if (c === '(' || c === '[') depth++;
    else if (c === ')' || c === ']') depth--;
    else if (c === ',' && depth === 0) { out.push(list.slice(from, i)); from = i + 1; }
  }
  out.push(list.slice(from));
  return out;
}

// mayGenerate tells whether some rule might give the element generated text.
function mayGenerate(el, tag) {
  if (wanted.none) return false;
  if (wanted.all || wanted.tags.has(tag)) return true;
  if (wanted.parts && hasAttr(el, 'part')) return true;
  if (wanted.classes.size && hasAttr(el, 'class')) {
    for (const c of classesOf(el)) if (wanted.classes.has(c)) return true;
  }
  if (wanted.ids.size && hasAttr(el, 'id') && wanted.ids.has(attrOf(el, 'id'))) return true;
  return wanted.other !== '' && matchesOf(el, wanted.other);
}

// pseudoText is the text a ::before or ::after adds, its alternative text
// where the style gives one.
function pseudoText(info, which) {
  const cs = getComputedStyle(info.el, which);
  const content = cs.content;
  if (content === 'none' || content === 'normal' || content === '' || cs.display === 'none' || cs.visibility !== 'visible') return '';
  const text = contentText(content, info.el);
  return text === '' ? '' : cs.display === 'inline' ? text : ' ' + text + ' ';
}

const CONTENT_PART = /\s*("(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|attr\(\s*([^),\s]+)[^)]*\)|\/|[^\s"'/(]+(?:\([^)]*\))?)/gy;

// contentText reads strings and attr(); a list with anything else says nothing,
// unless an alternative text stands after the slash.
function contentText(content, el) {
  let main = '', alt = null, known = true, m;
  CONTENT_PART.lastIndex = 0;
  while ((m = CONTENT_PART.exec(content))) {
    const part = m[1];
    if (part === '/') { alt = ''; known = true; continue; }
    let text = '';
    if (part[0] === '"' || part[0] === "'") text = cssString(part);
    else if (m[2]) text = attrOf(el, m[2]) || '';
    else known = false;
    if (alt === null) main += text; else alt += text;
  }
  return !known ? '' : alt === null ? main : alt;
}

function cssString(quoted) {
  return quoted.slice(1, -1).replace(/\\(?:([0-9a-fA-F]{1,6})\s?|\n|([^]))/g, (_, hex, ch) =>
    hex ? String.fromCodePoint(parseInt(hex, 16) || 0xfffd) : ch || '');
}
