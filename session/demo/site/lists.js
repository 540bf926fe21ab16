// Four lists of 150: plain text where every entry differs, entries that each
// hold a button, rows named "Main office n", and plain numbered entries. The
// article around each keeps its entries at another depth than the navigation's,
// because a rule that counts lines by indent would count the two together.
(() => {
  const kinds = ['oak', 'ash', 'elm', 'yew', 'fir', 'bay', 'box', 'fig', 'lime', 'pear', 'plum', 'pine', 'rowan', 'alder', 'beech'];
  const places = ['river', 'meadow', 'hill', 'garden', 'harbor', 'lane', 'square', 'orchard', 'island', 'bridge'];
  const each = make => Array.from({ length: 150 }, (_, i) => make(i)).join('');
  const lists = {
    text: ['Plain text', `<ul>${each(i => `<li>The ${kinds[i % 15]} by the ${places[Math.floor(i / 15)]}</li>`)}</ul>`],
    buttons: ['A button each', `<ul>${each(i => `<li>Ticket ${i + 1} <button type="button">Close ticket ${i + 1}</button></li>`)}</ul>`],
    offices: ['Offices', `<table aria-label="Offices"><tbody>${each(i => `<tr aria-label="Main office ${i + 1}"><td>Main office ${i + 1}</td></tr>`)}</tbody></table>`],
    numbers: ['Numbered', `<ul>${each(i => `<li>Item ${i + 1}</li>`)}</ul>`],
  };
  const only = new URLSearchParams(location.search).get('only');
  document.getElementById('lists').innerHTML = Object.entries(lists).filter(([k]) => !(only in lists) || k === only)
    .map(([, [title, html]]) => `<section class="card" aria-label="${title}"><article><h2>${title}</h2>${html}</article></section>`).join('');
  document.getElementById('lists').onclick = e => { if (e.target.tagName === 'BUTTON') toast(`${e.target.textContent}: done`); };
})();
