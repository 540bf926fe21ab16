// Where an element is, what covers it, and where the mouse meets it. Answers
// are plain data; a "why" in one says what stands in the way.

// The tree as it is drawn: out of slots and shadow roots.
function up(n) {
  const slot = typeOf(n) === 1 ? slotOf(n) : typeOf(n) === 3 ? textSlotOf(n) : null;
  if (slot) return slot;
  const parent = parentOf(n);
  if (parent) return parent;
  const root = treeOf(n);
  return root instanceof ShadowRoot ? root.host : null;
}

function inside(node, el) {
  for (let n = node; n; n = up(n)) if (n === el) return true;
  // A closed root's own nodes end at the host the page knows.
  return false;
}

const styled = el => shown(el, { visibilityProperty: true });

const rectsOf = el => [...clientRectsOf(el)].filter(r => r.width > 0 && r.height > 0);

function visible(el) {
  if (!styled(el)) {
    // An element that is display: contents has no box, but its children do.
    return getComputedStyle(el).display === 'contents' && [...kidsOf(el)].some(visible);
  }
  if (rectsOf(el).length) return true;
  return tagOf(el) === 'area' || [...kidsOf(el)].some(c => styled(c) && rectsOf(c).length);
}

function said(el) {
  if (!el) return 'nothing';
  let s = '<' + tagOf(el);
  const id = attr(el, 'id'), classes = (attr(el, 'class') || '').trim();
  if (id) s += ' id="' + id.slice(0, 40) + '"';
  else if (classes) s += ' class="' + classes.slice(0, 40) + '"';
  s += '>';
  const text = (attr(el, 'aria-label') || (el instanceof HTMLElement && innerTextOf(el)) || '').trim().replace(/\s+/g, ' ');
  return text ? s + ' “' + (text.length > 40 ? text.slice(0, 40) + '…' : text) + '”' : s;
}

function disabled(el) {
  if (matches(el, ':disabled')) return true;
  for (let n = el; n; n = up(n)) if (attr(n, 'aria-disabled') === 'true') return true;
  return false;
}

function hitAt(el, x, y) {
  let root = treeOf(el);
  // A closed root is asked itself: the document would name its host.
  let hit = typeOf(root) === 11 ? root.elementFromPoint(x, y) : hitInDocument(document, x, y);
  while (hit && shadowOf(hit)) {
    const deeper = shadowOf(hit).elementFromPoint(x, y);
    if (!deeper || deeper === hit) break;
    hit = deeper;
  }
  return hit;
}

function accepts(el, hit) {
  if (!hit) return false;
  if (inside(hit, el)) return true;
  // A control and its label act as one.
  const label = closest(hit, 'label');
  if (label && label.control === el) return true;
  if (tagOf(el) === 'label' && el.control && inside(hit, el.control)) return true;
  // What is drawn for an option's or a table part's own element.
  return tagOf(el) === 'area' && tagOf(hit) === 'img' && hit.useMap === '#' + (closest(el, 'map') || {}).name;
}

function points(el) {
  const w = innerWidth, h = innerHeight, out = [];
  let rects = rectsOf(el);
  if (tagOf(el) === 'area') return areaPoint(el);
  if (!rects.length) rects = [...allIn(el, '*')].flatMap(rectsOf).slice(0, 5);
  for (const r of rects) {
    const l = Math.max(0, r.left), t = Math.max(0, r.top), rr = Math.min(w, r.right), b = Math.min(h, r.bottom);
    if (rr - l < 1 || b - t < 1) continue;
    for (const [fx, fy] of [[.5, .5], [.25, .5], [.75, .5], [.5, .25], [.5, .75], [.1, .1], [.9, .9]]) {
      out.push([l + (rr - l) * fx, t + (b - t) * fy]);
    }
  }
  return out;
}

function areaPoint(el) {
  const map = closest(el, 'map');
  const img = map && allIn(document, 'img[usemap="#' + CSS.escape(map.name) + '"]')[0];
  if (!img) return [];
  const r = img.getBoundingClientRect(), c = el.coords.split(/[\s,]+/).map(Number);
  let x = r.width / 2, y = r.height / 2;
  if (el.shape === 'circle') [x, y] = c;
  else if (c.length >= 4) {
    const xs = c.filter((_, i) => i % 2 === 0), ys = c.filter((_, i) => i % 2);
    x = (Math.min(...xs) + Math.max(...xs)) / 2;
    y = (Math.min(...ys) + Math.max(...ys)) / 2;
  }
  return [[r.left + x, r.top + y]];
}

const animations = reader(D, 'getAnimations');
const frameTick = () => new Promise(done => { requestAnimationFrame(done); setTimeout(done, 50); });

// still waits until an element that is being animated has come to rest.
async function still(el) {
  const moving = () => animations(document).some(a => a.playState === 'running' && a.effect && a.effect.target &&
    a.effect.getComputedTiming().endTime !== Infinity && inside(el, a.effect.target));
  if (!moving()) return;
  let last = '', same = 0;
  for (let i = 0; i < 60 && same < 2; i++) {
    await frameTick();
    const r = rectOf(el), now = [r.x, r.y, r.width, r.height].join();
    same = now === last && !moving() ? same + 1 : 0;
    last = now;
  }
}

// place finds a point of an element that the mouse reaches, scrolling if need be.
async function place(el, force) {
  if (!connected(el)) return { why: 'gone' };
  if (tagOf(el) === 'option' || tagOf(el) === 'optgroup') {
    const box = closest(el, 'select');
    if (box && !(box.size > 1 || box.multiple)) return { why: 'option' };
  }
  if (!visible(el)) return { why: 'hidden' };
  await still(el);
  let hit = null, any = false;
  for (const block of [null, 'center', 'end', 'start', 'nearest']) {
    if (block) bringIntoView(rectsOf(el).length || !firstOf(el) ? el : firstOf(el), { block, inline: 'center', behavior: 'instant' });
    for (const [x, y] of points(el)) {
      any = true;
      const got = hitAt(el, x, y);
      if (force || accepts(el, got)) return { x, y };
      hit = hit || got;
    }
  }
  if (!any) return { why: 'outside' };
  if (!hit) return { why: 'outside' };
  return { why: getComputedStyle(el).pointerEvents === 'none' ? 'inert' : 'covered', by: said(hit) };
}

// outward takes a point of an iframe's content to the document around it.
function outward(frame, x, y, scroll) {
  if (!connected(frame) || !visible(frame)) return { why: 'hidden' };
  const at = () => {
    const r = frame.getBoundingClientRect(), s = getComputedStyle(frame);
    const sx = frame.offsetWidth ? r.width / frame.offsetWidth : 1, sy = frame.offsetHeight ? r.height / frame.offsetHeight : 1;
    return [r.x + (frame.clientLeft + parseFloat(s.paddingLeft) + x) * sx, r.y + (frame.clientTop + parseFloat(s.paddingTop) + y) * sy];
  };
  const out = ([px, py]) => px < 0 || py < 0 || px >= innerWidth || py >= innerHeight;
  let p = at();
  if (scroll && out(p)) {
    frame.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    p = at();
    if (out(p)) {
      scrollBy({ left: p[0] - innerWidth / 2, top: p[1] - innerHeight / 2, behavior: 'instant' });
      p = at();
    }
  }
  if (out(p)) return { why: 'outside' };
  const hit = hitAt(frame, p[0], p[1]);
  if (hit !== frame) return { why: 'covered', by: said(hit) };
  return { x: p[0], y: p[1] };
}

// drawn resolves when what was scrolled has been drawn.
const drawn = async () => { await frameTick(); await frameTick(); return true; };
