// States (ARIA 1.2 section 6), native first where HTML owns the state.

const CHECKABLE = words('checkbox menuitemcheckbox option radio switch menuitemradio treeitem');
const DISABLEABLE = words(`application button composite gridcell group input link menuitem scrollbar separator tab
  checkbox columnheader combobox grid listbox menu menubar menuitemcheckbox menuitemradio option radio radiogroup row
  rowheader searchbox select slider spinbutton switch tablist textbox toolbar tree treegrid treeitem`);
const EXPANDABLE = words(`application button checkbox combobox gridcell link listbox menuitem row rowheader tab treeitem
  columnheader menuitemcheckbox menuitemradio switch`);
const LEVELED = words('heading listitem row treeitem');
const SELECTABLE = words('gridcell option row tab rowheader columnheader treeitem');
const INVALIDABLE = words('application checkbox columnheader combobox gridcell listbox radiogroup rowheader searchbox slider spinbutton switch textbox tree');
const NATIVELY_DISABLED = words('button input select textarea option optgroup');

function checkedOf(info, role) {
  const el = info.el;
  if (info.tag === 'input') {
    const type = inputType(el);
    if (type === 'checkbox' || type === 'radio') {
      if (type === 'checkbox' && el.indeterminate) return 'mixed';
      return el.checked ? 'true' : '';
    }
  }
  const value = tokenOf(el, 'aria-checked');
  return value === 'true' || value === 'mixed' ? value : '';
}

// tokenOf is an attribute's value as ARIA compares it.
const tokenOf = (el, name) => (attrOf(el, name) || '').toLowerCase();

function nativelyDisabled(info) {
  const el = info.el;
  if (!NATIVELY_DISABLED.has(info.tag)) return false;
  if (hasAttr(el, 'disabled')) return true;
  if (info.tag === 'option') {
    const group = parentNodeOf(el);
    if (group && nodeTypeOf(group) === 1 && localNameOf(group) === 'optgroup' && hasAttr(group, 'disabled')) return true;
  }
  return info.tag !== 'optgroup' && inDisabledFieldset(el);
}

function inDisabledFieldset(el) {
  for (let set = closestOf(el, 'fieldset[disabled]'); set; ) {
    let legend = null;
    for (const c of childrenOf(set)) if (localNameOf(c) === 'legend') { legend = c; break; }
    if (!legend || !legend.contains(el)) return true;
    const up = parentNodeOf(set);
    set = up && nodeTypeOf(up) === 1 ? closestOf(up, 'fieldset[disabled]') : null;
  }
  return false;
}

function disabledOf(info, role) {
  if (nativelyDisabled(info)) return true;
  if (!DISABLEABLE.has(role)) return false;
  for (let i = info; i; i = i.parent) {
    const value = tokenOf(i.el, 'aria-disabled');
    if (value === 'true') return true;
    if (value === 'false') return false;
  }
  return false;
}

function selectedOf(info) {
  if (info.tag === 'option') return !!info.el.selected;
  return tokenOf(info.el, 'aria-selected') === 'true';
}

function levelOf(info) {
  if (/^h[1-6]$/.test(info.tag)) return Number(info.tag[1]);
  const level = Number(attrOf(info.el, 'aria-level'));
  return Number.isInteger(level) && level >= 1 ? level : 0;
}

function invalidOf(info) {
  const value = attrOf(info.el, 'aria-invalid');
  if (value === null || value.trim() === '' || value.toLowerCase() === 'false') return '';
  return value === 'grammar' || value === 'spelling' ? '=' + value : 'true';
}

// statesOf prints an element's states as they stand in its line, up to the ref.
function statesOf(info, role, active) {
  const el = info.el;
  let out = '';
  if (CHECKABLE.has(role)) {
    const c = checkedOf(info, role);
    if (c) out += c === 'mixed' ? ' [checked=mixed]' : ' [checked]';
  }
  if (disabledOf(info, role)) out += ' [disabled]';
  if (EXPANDABLE.has(role) && tokenOf(el, 'aria-expanded') === 'true') out += ' [expanded]';
  if (active) out += ' [active]';
  if (INVALIDABLE.has(role)) {
    const v = invalidOf(info);
    if (v) out += v === 'true' ? ' [invalid]' : ' [invalid' + v + ']';
  }
  if (LEVELED.has(role)) {
    const level = levelOf(info);
    if (level) out += ' [level=' + level + ']';
  }
  if (role === 'button') {
    const pressed = tokenOf(el, 'aria-pressed');
    if (pressed === 'true') out += ' [pressed]';
    else if (pressed === 'mixed') out += ' [pressed=mixed]';
  }
  if (SELECTABLE.has(role) && selectedOf(info)) out += ' [selected]';
  return out;
}
