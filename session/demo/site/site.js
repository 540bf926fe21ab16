// The frame every page of the demo site shares: a banner with the site's
// navigation before the page's own content and a footer behind it. It is the
// same on every page so that rules which leave out a repeated banner have one.
(() => {
  const pages = [
    ['leads', 'Leads'], ['listing', 'Homes'], ['form', 'Form'], ['feed', 'Feed'], ['frames', 'Frames'],
    ['dialogs', 'Dialogs'], ['tabs', 'Widgets'], ['lists', 'Lists'], ['slow', 'Slow'], ['hostile', 'Hostile'],
  ];
  const here = document.body.dataset.page;
  const top = document.createElement('header');
  top.className = 'top';
  top.innerHTML = `<a class="brand" href="/">Larkspur</a><nav aria-label="Site"><ul>${
    pages.map(([path, label]) => `<li><a href="/${path}"${path === here ? ' aria-current="page"' : ''}>${label}</a></li>`).join('')
  }</ul></nav>`;
  document.body.prepend(top);
  const bottom = document.createElement('footer');
  bottom.className = 'bottom';
  bottom.innerHTML = '<span>Larkspur is a made-up company. Nothing here leaves this machine.</span><a href="/">All pages</a><a href="/form">Contact</a><a href="/lists">Offices</a>';
  document.body.append(bottom);

  // toast shows a message until it is closed or the next one comes: no timer,
  // so a snapshot of the page never depends on when it was taken.
  window.toast = text => {
    let box = document.querySelector('.toasts');
    if (!box) {
      box = document.createElement('div');
      box.className = 'toasts';
      box.setAttribute('role', 'status');
      document.body.append(box);
    }
    box.replaceChildren();
    const t = document.createElement('div');
    t.className = 'toast';
    t.append(Object.assign(document.createElement('span'), { textContent: text }));
    const close = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Dismiss' });
    close.onclick = () => box.replaceChildren();
    t.append(close);
    box.append(t);
  };
})();
