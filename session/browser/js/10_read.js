// What the other files ask the page, whatever names its elements bear.

const scope = globalThis[Symbol.for('snapscope')];
// A document and a form answer with the elements on the page that bear the name
// of one of their properties, so everything is asked of the prototypes.
const E = Element.prototype, D = Document.prototype, N = Node.prototype, H = HTMLElement.prototype;
const { reader } = scope;
const attr = reader(E, 'getAttribute');
const parentOf = reader(N, 'parentElement');
const slotOf = reader(E, 'assignedSlot');
const textSlotOf = reader(Text.prototype, 'assignedSlot');
const treeOf = reader(N, 'getRootNode');
const connected = reader(N, 'isConnected');
const typeOf = reader(N, 'nodeType');
const tagOf = reader(E, 'localName');
const shadowOf = reader(E, 'shadowRoot');
const kidsOf = reader(E, 'children');
const kidCountOf = reader(E, 'childElementCount');
const firstOf = reader(E, 'firstElementChild');
const closest = reader(E, 'closest');
const matches = reader(E, 'matches');
const allBelow = reader(E, 'querySelectorAll');
const allInDocument = reader(D, 'querySelectorAll');
const allInFragment = reader(DocumentFragment.prototype, 'querySelectorAll');
const allIn = (root, css) => (typeOf(root) === 9 ? allInDocument : typeOf(root) === 1 ? allBelow : allInFragment)(root, css);
const rectOf = reader(E, 'getBoundingClientRect');
const clientRectsOf = reader(E, 'getClientRects');
const shown = reader(E, 'checkVisibility');
const bringIntoView = reader(E, 'scrollIntoView');
const innerTextOf = reader(H, 'innerText');
const focusOn = reader(H, 'focus');
const editable = reader(H, 'isContentEditable');
const dragsOf = reader(H, 'draggable');
const heightOf = reader(E, 'clientHeight');
const fullHeightOf = reader(E, 'scrollHeight');
const hitInDocument = reader(D, 'elementFromPoint');
const tagged = reader(D, 'getElementsByTagName');
const focusedIn = reader(D, 'activeElement');
const rootElement = () => reader(D, 'documentElement')(document);
const bodyOf = reader(D, 'body');
