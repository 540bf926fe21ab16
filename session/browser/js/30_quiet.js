// Whether the page is at rest, and which closed shadow roots it has.

// Closed shadow roots, as found from outside. A count of the page's nodes made
// outside tells whether there are more than we know of; then what could be a
// host is named, the likeliest first.
const roots = new WeakMap();
const rootOf = el => shadowOf(el) || roots.get(el) || null;
const asked = new WeakSet();
const known = new Set(); // the shadow roots of the last census

function closed(host, root) {
  roots.set(host, root);
  scope.closed(host, root);
}

// less tells whether a text node holds the sign that the count goes by.
const valueOf = reader(N, 'nodeValue');
const less = n => valueOf(n).includes('<');

// census counts the elements of the document and the text and comment nodes
// with a "<" in it (plain), and the same inside the shadow roots we know (shaded).
const walker = reader(D, 'createTreeWalker');
const xpath = reader(D, 'evaluate');

function census(plain) {
  let shaded = 0;
  const inside = root => {
    known.add(new WeakRef(root));
    const walk = walker(document, root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT | NodeFilter.SHOW_COMMENT);
    while (walk.nextNode()) {
      const n = walk.currentNode;
      if (typeOf(n) !== 1) { if (less(n)) shaded++; continue; }
      shaded++;
      const r = rootOf(n);
      if (r) inside(r);
    }
  };
  if (plain) {
    const texts = xpath(document, 'count(//text()[contains(.,"<")]|//comment()[contains(.,"<")])', document, null, 1, null);
    return tagged(document, '*').length + texts.numberValue;
  }
  known.clear();
  for (const el of tagged(document, '*')) {
    const r = rootOf(el);
    if (r) inside(r);
  }
  return shaded;
}

// sinceChange tells how many milliseconds ago the document, or a shadow root of
// the last census, changed last; fresh begins to watch, and is what a page that
// has not changed counts from. The time is up when a timer of the page's own
// thread says so: on a busy machine the page's timers are late too. Where the
// page's scripts are forbidden no timer runs, and nothing of its own changes it.
let watch = null;

function sinceChange(fresh, enough) {
  const now = performance.now();
  if (!fresh && !watch) return -1;
  if (fresh) {
    if (watch) watch.end();
    watch = watched(now, enough);
    return 0;
  }
  if (watch.observer.takeRecords().length) watch.changed();
  watch.asked = now;
  const ago = now - watch.at, up = watch.up || matchMedia('(scripting: none)').matches;
  if (ago < enough || !up) return Math.max(0, Math.min(ago, enough - 2));
  watch.end();
  watch = null;
  return ago;
}

function watched(now, enough) {
  const mine = { at: now, asked: now, up: false, timer: 0 };
  mine.end = () => { mine.observer.disconnect(); clearTimeout(mine.timer); };
  mine.wait = () => {
    clearTimeout(mine.timer);
    mine.up = false;
    mine.timer = setTimeout(() => { mine.up = true; }, enough);
  };
  mine.changed = () => {
    mine.at = performance.now();
    if (mine.at - mine.asked > 5000) mine.end(); // nobody asks any more
    else mine.wait();
  };
  mine.observer = new MutationObserver(mine.changed);
  const what = { subtree: true, childList: true, attributes: true, characterData: true };
  mine.observer.observe(document, what);
  for (const ref of known) {
    const root = ref.deref();
    if (root && connected(root)) mine.observer.observe(root, what);
  }
  mine.wait();
  return mine;
}

// The elements that may be hosts (DOM, "attach a shadow root"): these, and
// custom elements, whose names have a hyphen.
const hostTags = new Set(('article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span').split(' '));

// hosts lists elements that may be hosts of roots we do not know: those never
// asked about first, custom elements before empty ones before others.
function hosts(max) {
  const ranks = [[], [], [], []];
  const look = root => {
    for (const el of allIn(root, '*')) {
      const r = rootOf(el), tag = tagOf(el);
      if (r) look(r);
      else if (tag.includes('-')) ranks[asked.has(el) ? 3 : 0].push(el);
      else if (hostTags.has(tag)) ranks[asked.has(el) ? 3 : kidCountOf(el) ? 2 : 1].push(el);
    }
  };
  look(document);
  const out = ranks.flat().slice(0, max);
  for (const el of out) asked.add(el);
  return out;
}
