// Printing: the grammar of keys and values, and when they are quoted.

const LONGEST_NAME = 900;
const RESERVED = /^(?:y|n|yes|no|true|false|on|off|null|~)$/i;
const NOT_FINITE = /^[-+]?\.(?:inf|nan)$/i;

const readsAsNumber = text => !Number.isNaN(Number(text)) || NOT_FINITE.test(text);

function quoteNeeded(text) {
  return text === '' || /^\s|\s$/.test(text) || /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\r\n`{}]/.test(text)
    || text[0] === '-' || /:(?:\s|$)/.test(text) || /\s#/.test(text) || /^[&*\],?!>|@"'#%[]/.test(text)
    || RESERVED.test(text) || readsAsNumber(text);
}

const keyText = text => quoteNeeded(text) ? "'" + text.replace(/'/g, "''") + "'" : text;

const ESCAPES = { '\\': '\\\\', '"': '\\"', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const valueText = text => quoteNeeded(text)
  ? '"' + text.replace(/[\\"\x00-\x1f\x7f-\x9f]/g, c => ESCAPES[c] || '\\x' + c.charCodeAt(0).toString(16).padStart(2, '0')) + '"'
  : text;

function nameText(name) {
  return name && name.length <= LONGEST_NAME ? ' ' + JSON.stringify(name) : '';
}

const shortUrl = url => url.startsWith('data:') ? url.replace(/,[^]*$/, ',…') : url;

// What may still be printed: lines deep in a tree are mostly indentation, which
// the limit on text does not see.
let room = Infinity;

function put(out, line) {
  room -= line.length + 1;
  if (room < 0) cutShort = cutShort || 'text is longer than the limit';
  else out.push(line);
}

function print(top) {
  const out = [];
  for (const kid of top.kids) printInto(out, kid, '', false);
  return out;
}

function printInto(out, kid, indent, underPointer) {
  if (room < 0) return;
  if (typeof kid === 'string') {
    put(out, indent + '- text: ' + valueText(kid));
    return;
  }
  let key = kid.role + nameText(kid.name) + kid.states;
  if (kid.hidden) key += ' [aria-hidden]';
  let pointer = underPointer;
  if (kid.ref) {
    key += ' [ref=' + kid.ref + ']';
    if (kid.pointer && !underPointer) { key += ' [cursor=pointer]'; pointer = true; }
    if (kid.role === 'iframe') kid.at = room > 0 ? out.length : undefined;
  }
  if (opts.boxes && kid.info) {
    const r = rectOf(kid.info.el);
    key += ' [box=' + Math.round(r.x) + ',' + Math.round(r.y) + ',' + Math.round(r.width) + ',' + Math.round(r.height) + ']';
  }
  const head = indent + '- ' + keyText(key);
  const bare = kid.url === null && kid.placeholder === null;
  if (!kid.kids.length && bare) { put(out, head); return; }
  if (bare && textOnly(kid)) { put(out, head + ': ' + valueText(kid.kids[0])); return; }
  put(out, head + ':');
  const deeper = indent + '  ';
  if (kid.url !== null) put(out, deeper + '- /url: ' + valueText(shortUrl(kid.url)));
  if (kid.placeholder !== null) put(out, deeper + '- /placeholder: ' + valueText(kid.placeholder));
  for (const k of kid.kids) printInto(out, k, deeper, pointer);
}
