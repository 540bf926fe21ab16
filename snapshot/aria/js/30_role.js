// Roles: what the author wrote, else what HTML-AAM and SVG-AAM give the
// element (https://www.w3.org/TR/html-aam-1.0/, https://www.w3.org/TR/svg-aam-1.0/).

const words = text => new Set(text.split(/\s+/).filter(Boolean));

const ROLES = words(`alert alertdialog application article banner blockquote button caption cell checkbox code
  columnheader combobox complementary contentinfo definition deletion dialog directory document emphasis feed
  figure form generic grid gridcell group heading img insertion link list listbox listitem log main mark marquee
  math meter menu menubar menuitem menuitemcheckbox menuitemradio navigation none note option paragraph
  presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator
  slider spinbutton status strong subscript superscript switch tab table tablist tabpanel term textbox time timer
  toolbar tooltip tree treegrid treeitem`);

const PLAIN = {
  article: 'article', aside: 'complementary', blockquote: 'blockquote', button: 'button', caption: 'caption',
  code: 'code', datalist: 'listbox', dd: 'definition', del: 'deletion', details: 'group', dfn: 'term',
  dialog: 'dialog', dt: 'term', em: 'emphasis', fieldset: 'group', figure: 'figure', h1: 'heading', h2: 'heading',
  h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', hr: 'separator', html: 'document', ins: 'insertion',
  li: 'listitem', main: 'main', mark: 'mark', math: 'math', menu: 'list', meter: 'meter', nav: 'navigation',
  ol: 'list', optgroup: 'group', option: 'option', output: 'status', p: 'paragraph', progress: 'progressbar',
  search: 'search', strong: 'strong', sub: 'subscript', sup: 'superscript', table: 'table',
  tbody: 'rowgroup', textarea: 'textbox', tfoot: 'rowgroup', thead: 'rowgroup', time: 'time', tr: 'row', ul: 'list',
};

const INPUT = {
  button: 'button', checkbox: 'checkbox', image: 'button', number: 'spinbutton', radio: 'radio', range: 'slider',
  reset: 'button', submit: 'button', file: 'button', hidden: '',
};

const SECTIONING = words('article aside main nav section');
const SECTION_ROLES = words('article complementary main navigation region');
const CELL_TABLES = words('grid treegrid');

function inputType(el) {
  const type = el.type;
  return typeof type === 'string' ? type : (attrOf(el, 'type') || 'text').toLowerCase();
}

function nativeRole(info) {
  const el = info.el;
  if (info.svg) return info.tag === 'svg' ? 'img' : info.tag === 'a' ? (hasAttr(el, 'href') ? 'link' : '') : '';
  const plain = PLAIN[info.tag];
  if (plain !== undefined) return plain;
  switch (info.tag) {
    case 'a': case 'area': return hasAttr(el, 'href') ? 'link' : '';
    case 'footer': return inSection(el) ? '' : 'contentinfo';
    case 'header': return inSection(el) ? '' : 'banner';
    case 'form': return namedByAuthor(el) ? 'form' : '';
    case 'section': return namedByAuthor(el) ? 'region' : '';
    case 'img': return attrOf(el, 'alt') === '' && !attrOf(el, 'title') && !speaksForItself(el) ? 'presentation' : 'img';
    case 'input': return inputRole(el);
    case 'select': return hasAttr(el, 'multiple') || el.size > 1 ? 'listbox' : 'combobox';
    case 'td': return cellRole(el);
    case 'th': return headerCellRole(el);
  }
  return '';
}

function namedByAuthor(el) {
  return hasAttr(el, 'aria-label') || hasAttr(el, 'aria-labelledby');
}

function inputRole(el) {
  const type = inputType(el);
  if (type === 'search') return listOf(el) ? 'combobox' : 'searchbox';
  if (type === 'email' || type === 'tel' || type === 'text' || type === 'url' || type === '') return listOf(el) ? 'combobox' : 'textbox';
  const role = INPUT[type];
  return role === undefined ? 'textbox' : role;
}

function listOf(el) {
  const list = byIds(el, 'list')[0];
  return !!list && localNameOf(list) === 'datalist';
}

// aroundOf is the element around another, out of a shadow root its host.
function aroundOf(el) {
  const up = parentNodeOf(el);
  return !up ? null : nodeTypeOf(up) === 1 ? up : nodeTypeOf(up) === 11 ? up.host || null : null;
}

function inSection(el) {
  for (let p = aroundOf(el); p; p = aroundOf(p)) {
    const role = attrOf(p, 'role');
    if (role === null ? SECTIONING.has(localNameOf(p)) : SECTION_ROLES.has(role)) return true;
  }
  return false;
}

function tableRoleAround(el) {
  const table = closestOf(el, 'table');
  return table ? explicitRole(infoOf(table)) || 'table' : '';
}

function cellRole(el) {
  return CELL_TABLES.has(tableRoleAround(el)) ? 'gridcell' : 'cell';
}

const cellsOf = reader(HTMLTableRowElement.prototype, 'cells');
const rowsOf = reader(HTMLTableElement.prototype, 'rows');

function headerCellRole(el) {
  const scope = (attrOf(el, 'scope') || '').toLowerCase();
  if (scope === 'col' || scope === 'colgroup') return 'columnheader';
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
  const row = closestOf(el, 'tr'), table = closestOf(el, 'table');
  if (!row || !table) return 'columnheader';
  if (cellsOf(row).length === 1 && rowsOf(table).length === 1) return '';
  return holdsData(nextElementOf(el)) || holdsData(previousElementOf(el)) ? 'rowheader' : 'columnheader';
}

// holdsData tells whether a neighbour is a data cell with something in it, which
// makes a header cell the header of its row.
function holdsData(cell) {
  return !!cell && localNameOf(cell) === 'td' && (childCountOf(cell) > 0 || (textContentOf(cell) || '').trim() !== '');
}

// Attributes that make an element speak although it asks for no role
// (presentational roles conflict resolution, ARIA 1.2 section 5.4.1).
const GLOBAL = ['aria-atomic', 'aria-busy', 'aria-controls', 'aria-current', 'aria-describedby', 'aria-details',
  'aria-dropeffect', 'aria-flowto', 'aria-grabbed', 'aria-hidden', 'aria-keyshortcuts', 'aria-label',
  'aria-labelledby', 'aria-live', 'aria-owns', 'aria-relevant', 'aria-roledescription'];

function speaksForItself(el) {
  for (const name of GLOBAL) if (hasAttr(el, name)) return true;
  return focusable(el);
}

const NATIVELY_FOCUSABLE = words('button input select textarea details iframe');

function focusable(el) {
  if (hasAttr(el, 'disabled')) return false;
  const tab = attrOf(el, 'tabindex');
  if (tab !== null && !Number.isNaN(parseInt(tab, 10))) return true;
  const tag = localNameOf(el);
  return NATIVELY_FOCUSABLE.has(tag) || ((tag === 'a' || tag === 'area') && hasAttr(el, 'href'));
}

// explicitRole is the first role of the attribute that ARIA knows.
function explicitRole(info) {
  if (info.ownRole !== undefined) return info.ownRole;
  const value = attrOf(info.el, 'role');
  let role = '';
  if (value) {
    for (const word of value.toLowerCase().split(' ')) if (ROLES.has(word.trim())) { role = word.trim(); break; }
  }
  return info.ownRole = role;
}

// Required parents through which presentation is inherited.
const KIN = { li: 'ul ol', dd: 'dl div', dt: 'dl div', tbody: 'table', thead: 'table', tfoot: 'table', tr: 'tbody thead tfoot table', td: 'tr', th: 'tr', div: 'dl' };
for (const tag of Object.keys(KIN)) KIN[tag] = words(KIN[tag]);

function inheritsPresentation(info) {
  const kin = KIN[info.tag];
  if (!kin) return false;
  const up = parentNodeOf(info.el);
  if (!up || nodeTypeOf(up) !== 1 || !kin.has(localNameOf(up))) return false;
  const parent = infoOf(up);
  const role = explicitRole(parent);
  // By the oracle's answers a name takes role=none back for what it holds, and
  // does not do so for role=presentation.
  if (role === 'presentation' && namedByAuthor(up)) return true;
  if ((role === 'none' || role === 'presentation') && !speaksForItself(up)) return true;
  return inheritsPresentation(parent); // whatever role stands between
}

// roleOf is the element's role: '' for none, 'presentation' where it is only a shell.
function roleOf(info) {
  if (info.roleMemo !== undefined) return info.roleMemo;
  let role = explicitRole(info);
  if (role === '') {
    role = nativeRole(info);
    if (role !== '' && inheritsPresentation(info)) role = 'presentation';
  } else if (role === 'none' || role === 'presentation') {
    role = speaksForItself(info.el) ? nativeRole(info) : 'presentation';
  }
  return info.roleMemo = role;
}
