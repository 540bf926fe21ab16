// The other origin is this server under its other loopback name; the shadow
// trees are two custom elements, one open, one closed.
(() => {
  const other = { '127.0.0.1': 'localhost', localhost: '127.0.0.1' }[location.hostname];
  document.getElementById('cross').src = other
    ? `${location.protocol}//${other}:${location.port}/frame-payment`
    : 'frame-payment.html';

  const style = '<style>:host{display:block} .in{display:grid;gap:8px;justify-items:start} button{font:inherit;padding:5px 12px;border:1px solid #cfd5de;border-radius:8px;background:#fff} input{font:inherit;padding:5px 10px;border:1px solid #cfd5de;border-radius:8px}</style>';
  customElements.define('user-card', class extends HTMLElement {
    connectedCallback() {
      if (this.shadowRoot) return;
      const root = this.attachShadow({ mode: 'open' });
      root.innerHTML = `${style}<div class="in"><strong><slot name="name">Nobody</slot></strong>
        <slot name="role">No role given</slot><slot name="links"></slot>
        <button type="button">Follow</button><slot></slot><like-count></like-count></div>`;
      const b = root.querySelector('button');
      b.onclick = () => { b.textContent = b.textContent === 'Follow' ? 'Following' : 'Follow'; };
    }
  });
  customElements.define('like-count', class extends HTMLElement {
    connectedCallback() {
      if (this.shadowRoot) return;
      const root = this.attachShadow({ mode: 'open' });
      root.innerHTML = `${style}<div class="in"><button type="button">Like</button><span role="status">0 likes</span></div>`;
      let n = 0;
      root.querySelector('button').onclick = () => { root.querySelector('span').textContent = ++n === 1 ? '1 like' : `${n} likes`; };
    }
  });
  customElements.define('secret-box', class extends HTMLElement {
    connectedCallback() {
      if (this.dataset.made) return;
      this.dataset.made = 'yes';
      this.attachShadow({ mode: 'closed' }).innerHTML = `${style}<div class="in"><label>Code <input></label><button type="button">Unlock</button></div>`;
    }
  });
})();
