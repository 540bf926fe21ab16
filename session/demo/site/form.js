// The account form: checks on submit, says what is wrong beside each field and
// in a summary, and answers with a message instead of leaving the page.
(() => {
  const $ = id => document.getElementById(id);
  const checks = [
    ['name', 'Enter a name', f => f.value.trim()],
    ['email', 'Enter an email address such as you@company.example', f => /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(f.value)],
    ['password', 'The password needs eight characters or more', f => f.value.length >= 8],
    ['country', 'Choose a country', f => f.value],
    ['seats', 'Seats are 1 to 500', f => f.checkValidity()],
    ['site', 'The website begins with https://', f => !f.value || f.checkValidity()],
    ['terms', 'Accept the terms to go on', f => f.checked],
  ];

  function mark(id, text) {
    const f = $(id);
    const label = f.closest('label');
    $(`${id}-error`)?.remove();
    const hint = id === 'password' ? 'rule' : '';
    f.removeAttribute('aria-invalid');
    if (hint) f.setAttribute('aria-describedby', hint); else f.removeAttribute('aria-describedby');
    if (!text) return;
    const e = Object.assign(document.createElement('p'), { id: `${id}-error`, className: 'error', textContent: text });
    label.after(e);
    f.setAttribute('aria-invalid', 'true');
    f.setAttribute('aria-describedby', `${hint} ${e.id}`.trim());
  }

  $('account').onsubmit = e => {
    e.preventDefault();
    const wrong = checks.filter(([id, text, ok]) => {
      const good = ok($(id));
      mark(id, good ? '' : text);
      return !good;
    });
    $('problems').hidden = !wrong.length;
    $('problems').innerHTML = wrong.length ? `<strong>${wrong.length === 1 ? 'One field needs' : `${wrong.length} fields need`} a look</strong><ul>${
      wrong.map(([id, text]) => `<li><a href="#${id}">${text}</a></li>`).join('')}</ul>` : '';
    if (wrong.length) {
      $(wrong[0][0]).focus();
      return;
    }
    $('progress').value = 10;
    toast(`Account for ${$('name').value.trim()} created`);
  };
  $('account').onreset = () => {
    checks.forEach(([id]) => mark(id, ''));
    $('problems').hidden = true;
    $('picked').textContent = '';
    $('shown').textContent = '10 %';
    $('left').textContent = '400 characters left';
    $('progress').value = 4;
  };
  $('discount').oninput = () => {
    $('shown').textContent = `${$('discount').value} %`;
    $('discount').setAttribute('aria-valuetext', `${$('discount').value} percent`);
  };
  $('logo').onchange = () => { $('picked').textContent = [...$('logo').files].map(f => `${f.name}, ${f.size} bytes`).join('; '); };
  $('message').oninput = () => { $('left').textContent = `${400 - $('message').value.length} characters left`; };
  $('beta').onclick = () => $('beta').setAttribute('aria-checked', String($('beta').getAttribute('aria-checked') !== 'true'));
  $('draft').onclick = () => toast('Draft saved on this page');
  $('some').indeterminate = true;
})();
