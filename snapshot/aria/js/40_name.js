// Accessible names (https://www.w3.org/TR/accname-1.2/). Words of descendants
// are kept on the Info, so a row that holds cells that hold links reads each
// text once.

const NAMED_BY_CONTENT = words(`button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox
  menuitemradio option radio row rowheader switch tab tooltip treeitem`);
// Roles that lend their words to a name around them although they take none from content themselves.
const LENDS_CONTENT = words(`caption code contentinfo definition deletion emphasis insertion list listitem mark none
  paragraph presentation region row rowgroup section strong subscript superscript table term time`);
const UNNAMED = words(`caption code definition deletion emphasis generic insertion mark paragraph presentation none
  strong subscript superscript term time`);
const RANGES = words('progressbar scrollbar slider spinbutton meter');

// How deep in a name the walk is.
const TOP = 1, CONTENT = 2, LABEL = 4;
// Where a name came from.
const NOWHERE = 0, AUTHOR = 1, INNER = 2, TARGETS = 3;

const MAX_DEPTH = 512;

// tidy collapses white space as it is drawn and drops invisible joints.
const UNTIDY = /^\s|\s$|\s\s|[^\S ]|[\u200b\u00ad]/;
const tidy = text => UNTIDY.test(text) ? text.replace(/[\u200b\u00ad]/g, '').replace(/\s+/g, ' ').trim() : text;

// The words of an element kept on it are good unless a cycle was cut to make them.
let cuts = 0;
// An element speaks once in one name: its number says in which it did last.
let epoch = 0;
// The element whose own name is being made, and whether the next one is read
// because its own aria-labelledby names it: its value is no part of that.
let naming = null, selfTarget = false;

// nameOf is the name of an element as a whole; sets info.from.
function nameOf(info) {
  if (info.nameMemo !== undefined) return info.nameMemo;
  info.nameMemo = '';
  if (hiddenFromAria(info)) return '';
  const role = roleOf(info);
  if (UNNAMED.has(role)) return '';
  epoch++;
  naming = info;
  info.nameMemo = tidy(compute(info, TOP, false, 0));
  naming = null;
  return info.nameMemo;
}

// alternative computes the words of one element. hiddenToo is set below a
// labelledby target that is hidden itself.
function alternative(info, mode, hiddenToo, depth) {
  if (timeUp()) return '';
  if (mode === CONTENT && !hiddenToo && info.content !== undefined) return info.content;
  if (!hiddenToo && hiddenFromAria(info)) return '';
  if (info.visited === epoch || depth > MAX_DEPTH) { cuts++; return ''; }
  const before = cuts;
  const text = compute(info, mode, hiddenToo, depth);
  if (mode === CONTENT && !hiddenToo && cuts === before) info.content = text;
  return text;
}

function compute(info, mode, hiddenToo, depth) {
  const el = info.el, role = roleOf(info), self = selfTarget;
  selfTarget = false;
  if (mode !== LABEL && hasAttr(el, 'aria-labelledby')) {
    const targets = byIds(el, 'aria-labelledby');
    if (targets.length) {
      const text = mode === TOP && targets.length === 1 ? bySoleTarget(targets[0], info) : targets.map(t => byTarget(t, info, depth)).join(' ');
      if (text) { // even white space, which an element that is there but empty may say
        if (mode === TOP) info.from = TARGETS;
        return text;
      }
    }
  }
  info.visited = epoch;
  if (mode !== TOP && (!self || (info.tag === 'select' && !hasAttr(el, 'aria-label')))) {
    const value = embeddedValue(info, role, depth);
    if (value !== null) return value;
  }
  const label = (attrOf(el, 'aria-label') || '').trim();
  if (label) {
    if (mode === TOP) info.from = AUTHOR;
    return label;
  }
  if (role !== 'presentation') {
    const native = nativeName(info, role, mode, depth);
    if (native !== null) {
      if (mode === TOP) info.from = AUTHOR;
      return native;
    }
  }
  if (mode === LABEL || takesContent(info, role, mode)) {
    const text = contentWords(info, mode, hiddenToo, depth);
    if (mode === TOP ? tidy(text) : text) { // inside another's name a space is a word's end
      if (mode === TOP) info.from = INNER;
      return text;
    }
  }
  if (role !== 'presentation') {
    const title = attrOf(el, 'title');
    if (title && title.trim()) {
      if (mode === TOP) info.from = AUTHOR;
      return title;
    }
  }
  return '';
}

function takesContent(info, role, mode) {
  if (NAMED_BY_CONTENT.has(role) || info.tag === 'summary') return true; // a summary whatever role it was given
  return mode !== TOP && (role === '' || LENDS_CONTENT.has(role));
}

// byTarget reads an element another names. It counts as visited only after its
// own labelledby, so that an element may name itself.
function byTarget(el, named, depth) {
  const info = infoOf(el);
  selfTarget = info === named;
  return alternative(info, LABEL, hiddenFromAria(info), depth + 1);
}

// bySoleTarget reads the one element that names another once for all that it names.
function bySoleTarget(el, named) {
  const info = infoOf(el);
  if (info.soleMemo !== undefined) return info.soleMemo;
  const before = cuts, text = byTarget(el, named, 0);
  if (cuts === before && info !== named) info.soleMemo = text;
  return text;
}

function contentWords(info, mode, hiddenToo, depth) {
  let text = '';
  const inner = mode === TOP ? CONTENT : mode;
  const folded = !hiddenToo && info.tag === 'details' && !hasAttr(info.el, 'open'); // its summary alone is drawn
  for (const kid of kidsOf(info)) {
    if (folded && !(kid instanceof Info)) continue;
    if (typeof kid === 'string') { text += kid; continue; }
    if (kid instanceof Generated) { text += kid.text; continue; }
    const words = alternative(kid, inner, hiddenToo, depth + 1);
    text += kid.disp === INLINE && kid.tag !== 'br' ? words : ' ' + words + ' ';
  }
  return text;
}

// embeddedValue is what a control says inside the name of another element.
function embeddedValue(info, role, depth) {
  const el = info.el;
  if (role === 'textbox' || role === 'searchbox') {
    if (info.tag === 'input' || info.tag === 'textarea') return secretOf(info, valueOf(el));
    return textContentOf(el) || '';
  }
  if (role === 'combobox' || role === 'listbox') {
    if (info.tag === 'select') return selectedOptions(el).map(o => alternative(infoOf(o), CONTENT, true, depth + 1)).join(' ');
    if (info.tag === 'input') return valueOf(el);
    return chosenOptions(role === 'listbox' ? info : listboxBelow(info)).map(k => alternative(k, CONTENT, false, depth + 1)).join(' ');
  }
  if (RANGES.has(role)) {
    const text = attrOf(el, 'aria-valuetext') || attrOf(el, 'aria-valuenow');
    if (text) return text;
    return attrOf(el, 'value') || ''; // the attribute: what is typed changes no name around it
  }
  if (role === 'menu') return '';
  return null;
}

function infosBelow(info, keep, out) {
  for (const kid of info ? kidsOf(info) : []) {
    if (!(kid instanceof Info)) continue;
    if (keep(kid)) out.push(kid);
    else infosBelow(kid, keep, out);
  }
  return out;
}

const listboxBelow = info => infosBelow(info, k => roleOf(k) === 'listbox', [])[0] || null;
const chosenOptions = info => infosBelow(info, k => attrOf(k.el, 'aria-selected') === 'true' && roleOf(k) === 'option', []);

function valueOf(el) {
  const value = el.value;
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

function secretOf(info, value) {
  return info.tag === 'input' && !opts.exact && inputType(info.el) === 'password' && value ? '••••' : value;
}

function selectedOptions(el) {
  const out = [];
  for (const o of el.options || []) if (o.selected) out.push(o);
  if (!out.length && el.options && el.options.length && !el.multiple && el.size < 2) out.push(el.options[0]); // the oracle names the first where none is chosen
  return out;
}

// pointsAt tells whether aria-labelledby names elements that are there. What
// HTML gives besides is then not asked, even where they say nothing.
const pointsAt = el => hasAttr(el, 'aria-labelledby') && byIds(el, 'aria-labelledby').length > 0;

// labelWords joins the labels of a control, or is null when none of them counts.
function labelWords(info, depth, always) {
  const labels = info.el.labels;
  if (!labels || !labels.length || (!always && pointsAt(info.el))) return null;
  const parts = [];
  for (const label of labels) {
    const li = infoOf(label);
    const text = alternative(li, LABEL, hiddenFromAria(li), depth + 1);
    if (tidy(text)) parts.push(text);
  }
  return parts.join(' ');
}

function childWords(info, tag, depth) {
  for (let c = firstChildOf(info.el); c; c = nextSiblingOf(c)) {
    if (nodeTypeOf(c) === 1 && localNameOf(c) === tag) {
      const child = infoOf(c);
      return alternative(child, LABEL, hiddenFromAria(child), depth + 1);
    }
  }
  return null;
}

// nativeName follows HTML-AAM section 4.1 and SVG-AAM; null means: go on.
function nativeName(info, role, mode, depth) {
  const el = info.el, title = attrOf(el, 'title') || '';
  if (info.svg) return svgName(info);
  switch (info.tag) {
    case 'input': return inputName(info, title, mode, depth);
    case 'textarea': case 'select': return fieldName(info, info.tag === 'textarea', title, depth);
    case 'button': return mode === TOP ? labelWords(info, depth) : null;
    case 'output': case 'meter': case 'progress': return labelWords(info, depth) ?? title;
    case 'fieldset': return (pointsAt(el) ? null : childWords(info, 'legend', depth)) ?? title;
    case 'figure': return (pointsAt(el) ? null : childWords(info, 'figcaption', depth)) ?? title;
    case 'img': case 'area': { const alt = attrOf(el, 'alt'); return alt && alt.trim() ? alt : title; }
    case 'table': return childWords(info, 'caption', depth) ?? (attrOf(el, 'summary') || null);
  }
  return null;
}

function inputName(info, title, mode, depth) {
  const el = info.el, type = inputType(el);
  if (type === 'button' || type === 'submit' || type === 'reset') {
    const value = valueOf(el);
    if (value.trim()) return value;
    return type === 'submit' ? 'Submit' : type === 'reset' ? 'Reset' : title;
  }
  const labels = labelWords(info, depth, type === 'image' && (mode === TOP || info !== naming));
  if (labels !== null) return labels;
  if (type === 'image') return (attrOf(el, 'alt') || '').trim() || title || 'Submit';
  if (type === 'file') return 'Choose File';
  return title || (HINTED.has(type) && !pointsAt(el) && attrOf(el, 'placeholder')) || '';
}

const HINTED = words('text email tel url search password number');

function fieldName(info, hinted, title, depth) {
  const labels = labelWords(info, depth);
  if (labels !== null) return labels;
  return title || (hinted && !pointsAt(info.el) && attrOf(info.el, 'placeholder')) || '';
}

function svgName(info) {
  for (let c = firstChildOf(info.el); c; c = nextSiblingOf(c)) {
    if (nodeTypeOf(c) === 1 && localNameOf(c) === 'title' && namespaceOf(c) === SVG) return textContentOf(c) || '';
  }
  if (info.tag === 'a') return info.el.getAttributeNS(XLINK, 'title') || null;
  return null;
}
