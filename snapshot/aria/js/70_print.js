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

function print(top) {
  const out = [];
  for (const kid of top.kids) printInto(out, kid, '', false);
  return out;
}

function printInto(out, kid, indent, underPointer) {
  if (typeof kid === 'string') {
    out.push(indent + '- text: ' + valueText(kid));
    return;
  }
  let key = kid.role + nameText(kid.name) + kid.states;
  if (kid.hidden) key += ' [aria-hidden]';
  let pointer = underPointer;
  if (kid.ref) {
    key += ' [ref=' + kid.ref + ']';
    if (kid.pointer && !underPointer) { key += ' [cursor=pointer]'; pointer = true; }
    if (kid.role === 'iframe') kid.at = out.length;
  }
  if (opts.boxes && kid.info) {
    const r = rectOf(kid.info.el);
    key += ' [box=' + Math.round(r.x) + ',' + Math.round(r.y) + ',' + Math.round(r.width) + ',' + Math.round(r.height) + ']';
  }
  const head = indent + '- ' + keyText(key);
  const bare = kid.url === null && kid.placeholder === null;
  if (!kid.kids.length && bare) { out.push(head); return; }
  if (bare && textOnly(kid)) { out.push(head + ': ' + valueText(kid.kids[0])); return; }
  out.push(head + ':');
  const deeper = indent + '  ';
  if (kid.url !== null) out.push(deeper + '- /url: ' + valueText(shortUrl(kid.url)));
  if (kid.placeholder !== null) out.push(deeper + '- /placeholder: ' + valueText(kid.placeholder));
  for (const k of kid.kids) printInto(out, k, deeper, pointer);
}
