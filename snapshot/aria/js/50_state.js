// States (ARIA 1.2 section 6), native first where HTML owns the state.

// Which states a role has, a bit each.
const CHECK = 1, DISABLE = 2, EXPAND = 4, LEVEL = 8, SELECT = 16, INVALID = 32, PRESS = 64;
const STATES = new Map();
const grant = (bit, roles) => { for (const r of words(roles)) STATES.set(r, (STATES.get(r) || 0) | bit); };
grant(CHECK, 'checkbox menuitemcheckbox option radio switch menuitemradio treeitem');
grant(DISABLE, `application button composite gridcell group input link menuitem scrollbar separator tab
  checkbox columnheader combobox grid listbox menu menubar menuitemcheckbox menuitemradio option radio radiogroup row
  rowheader searchbox select slider spinbutton switch tablist textbox toolbar tree treegrid treeitem`);
grant(EXPAND, `application button checkbox combobox gridcell link listbox menuitem row rowheader tab treeitem
  columnheader menuitemcheckbox menuitemradio switch`);
grant(LEVEL, 'heading listitem row treeitem');
grant(SELECT, 'gridcell option row tab rowheader columnheader treeitem');
grant(INVALID, 'application checkbox columnheader combobox gridcell listbox radiogroup rowheader searchbox slider spinbutton switch textbox tree');
grant(PRESS, 'button');
const NATIVELY_DISABLED = words('button input select textarea option optgroup');

function checkedOf(info) {
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
    if (!legend || !holdsOf(legend, el)) return true;
    const up = parentNodeOf(set);
    set = up && nodeTypeOf(up) === 1 ? closestOf(up, 'fieldset[disabled]') : null;
  }
  return false;
}

// disabledAround follows aria-disabled up to the nearest element that has it.
function disabledAround(info) {
  if (info.disabledMemo !== undefined) return info.disabledMemo;
  const value = tokenOf(info.el, 'aria-disabled');
  const here = value === 'true' || (value !== 'false' && info.up !== null && disabledAround(info.up));
  return info.disabledMemo = here;
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
  const bits = STATES.get(role) || 0;
  let out = '';
  if (bits & CHECK) {
    const c = checkedOf(info);
    if (c) out += c === 'mixed' ? ' [checked=mixed]' : ' [checked]';
  }
  if (bits & DISABLE && (nativelyDisabled(info) || disabledAround(info))) out += ' [disabled]';
  if (bits & EXPAND && tokenOf(info.el, 'aria-expanded') === 'true') out += ' [expanded]';
  if (active) out += ' [active]';
  if (bits & INVALID) {
    const v = invalidOf(info);
    if (v) out += v === 'true' ? ' [invalid]' : ' [invalid' + v + ']';
  }
  if (bits & LEVEL) {
    const level = levelOf(info);
    if (level) out += ' [level=' + level + ']';
  }
  if (bits & PRESS) {
    const pressed = tokenOf(info.el, 'aria-pressed');
    if (pressed === 'true') out += ' [pressed]';
    else if (pressed === 'mixed') out += ' [pressed=mixed]';
  }
  if (bits & SELECT && selectedOf(info)) out += ' [selected]';
  return out;
}
