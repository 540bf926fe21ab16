// 203 homes for sale. The page is built to hold exactly 5,538 elements, the size
// of the property page that the three-tier design was written for.
(() => {
  const el = (tag, props, ...kids) => {
    const e = Object.assign(document.createElement(tag), props);
    e.append(...kids);
    return e;
  };
  // icon is a small drawing without a name, as property pages are full of them.
  const icon = d => {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.setAttribute('viewBox', '0 0 16 16');
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    path.setAttribute('d', d);
    svg.append(path);
    return svg;
  };
  const BED = 'M1 12V4m0 5h14v3M15 9V8a2 2 0 0 0-2-2H6v3', BATH = 'M2 8h12v2a3 3 0 0 1-3 3H5a3 3 0 0 1-3-3zm1 0V4a2 2 0 0 1 4 0', AREA = 'M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4', HEART = 'M8 13.5 2.7 8.3a3.2 3.2 0 0 1 4.5-4.6L8 4.5l.8-.8a3.2 3.2 0 0 1 4.5 4.6z';
  const towns = ['Alderton', 'Ashby', 'Bayview', 'Beacon Hill', 'Birchwood', 'Blackrock', 'Brantham', 'Bridgeport', 'Brook End', 'Cape Hollow', 'Carrow', 'Cedar Point', 'Clifton', 'Coldwater', 'Crane Bay', 'Dalewood', 'Dunmore', 'Eastgate', 'Elm Park', 'Fairhaven', 'Ferry Landing', 'Foxley', 'Glen Arbor', 'Granton', 'Greenfield', 'Gull Island', 'Harbor City', 'Hawthorn', 'Heron Lake', 'Highmoor', 'Inverlea', 'Kingsbridge', 'Lakeside', 'Larchmont', 'Linden', 'Longshore', 'Maple Grove', 'Marsh End', 'Millbrook', 'Norwood', 'Oak Harbor', 'Old Quay', 'Orchard Hill', 'Pinehurst', 'Port Ellis', 'Quarry Bank', 'Redcliff', 'Riverton', 'Rosedale', 'Saltmarsh', 'Seabright', 'Shoreham', 'Southport', 'Stonebridge', 'Summerfield', 'Thornbury', 'Upper Falls', 'Westbrook', 'Willowdale', 'Windermere'];
  const streets = ['Alder Street', 'Beach Road', 'Chapel Lane', 'Dock Street', 'Elm Avenue', 'Fern Way', 'Garden Court', 'Hill Road', 'Island Drive', 'Juniper Close', 'Kiln Lane', 'Lighthouse Road', 'Market Street'];
  const agents = ['Joan Mercer', 'Peter Halloran', 'Sunita Rao', 'Lars Vik', 'Carmen Ortiz', 'Noel Baptiste', 'Ruth Amsel'];
  const money = n => '$' + String(n).replace(/\B(?=(\d{3})+$)/g, ',');
  const slug = s => s.toLowerCase().replace(/ /g, '-');

  const beds = i => 1 + (i * 3 + Math.floor(i / 60)) % 5;
  const homes = Array.from({ length: 203 }, (_, i) => ({
    address: `${(i * 17) % 190 + 1} ${streets[(i * 5) % streets.length]}`,
    town: towns[(i * 7) % towns.length],
    price: 149000 + beds(i) * 88000 + ((i * 3571) % 210) * 1000,
    beds: beds(i), baths: Math.ceil(beds(i) / 2), area: 380 + beds(i) * 310 + (i * 97) % 290,
    agent: agents[(i * 3) % agents.length], open: i % 6 === 2, photo: i % 6 + 1,
  }));
  const saved = new Set();
  const hidden = new Set();

  document.getElementById('towns').append(...towns.map(t =>
    el('li', {}, el('a', { href: `/listing?town=${slug(t)}`, textContent: t }))));

  function card(home) {
    const word = document.createTextNode('Save');
    const save = el('button', { type: 'button' }, icon(HEART), word);
    save.setAttribute('aria-label', `Save ${home.address}`);
    save.setAttribute('aria-pressed', 'false');
    save.onclick = () => {
      saved.has(home) ? saved.delete(home) : saved.add(home);
      save.setAttribute('aria-pressed', String(saved.has(home)));
      word.data = saved.has(home) ? 'Saved' : 'Save';
      const n = saved.size;
      document.getElementById('saved').textContent = n === 0 ? 'No saved homes' : n === 1 ? '1 saved home' : `${n} saved homes`;
    };
    const tour = el('button', { type: 'button', textContent: 'Book a tour' });
    tour.onclick = () => toast(`Tour of ${home.address} asked for; ${home.agent} will call`);
    const hide = el('button', { type: 'button', textContent: 'Hide', className: 'quiet' });
    hide.setAttribute('aria-label', `Hide ${home.address}`);
    hide.onclick = () => { hidden.add(home); draw(); };
    const to = `/listing?home=${slug(home.address)}`;
    return el('article', {},
      el('a', { href: to }, el('img', { src: `img/home-${home.photo}.svg`, alt: `Photo of ${home.address}` })),
      el('div', {},
        el('p', { className: 'price', textContent: money(home.price) }),
        el('h3', {}, el('a', { href: to, textContent: home.address })),
        el('p', { className: 'soft', textContent: home.open ? `${home.town} · open house Saturday` : home.town }),
        el('ul', {}, el('li', {}, icon(BED), home.beds === 1 ? '1 bed' : `${home.beds} beds`), el('li', {}, icon(BATH), home.baths === 1 ? '1 bath' : `${home.baths} baths`), el('li', {}, icon(AREA), `${home.area} sq ft`)),
        el('p', { className: 'soft' }, 'Listed by ', el('span', { textContent: home.agent })),
        el('div', { className: 'acts' }, save, tour, hide)));
  }
  const cards = new Map(homes.map(h => [h, card(h)]));

  function draw() {
    const where = document.getElementById('where').value.trim().toLowerCase();
    const beds = Number(document.getElementById('beds').value);
    const price = Number(document.getElementById('price').value) * 1000;
    const open = document.getElementById('open').checked;
    const shown = homes.filter(h => !hidden.has(h) && (!where || `${h.address} ${h.town}`.toLowerCase().includes(where))
      && h.beds >= beds && (!price || h.price <= price) && (!open || h.open));
    document.getElementById('homes').replaceChildren(...shown.map(h => cards.get(h)));
    document.getElementById('found').textContent = shown.length === 1 ? '1 home' : `${shown.length} homes`;
  }
  document.querySelector('.filters').onsubmit = e => { e.preventDefault(); draw(); };
  const asked = new URLSearchParams(location.search);
  document.getElementById('where').value = (asked.get('town') ?? asked.get('home') ?? '').replace(/-/g, ' ');

  const guides = {
    Buying: ['First home', 'Mortgage basics', 'Making an offer', 'Inspections', 'Closing costs', 'Insurance', 'Schools', 'Commuting'],
    Selling: ['What is it worth', 'Staging', 'Photographs', 'Agents and fees', 'Taxes', 'Repairs', 'Open houses', 'Moving'],
    Renting: ['Leases', 'Deposits', 'Pets', 'Moving out', 'Roommates', 'Short stays', 'Utilities'],
    Company: ['About', 'Careers', 'Press', 'Privacy', 'Terms', 'Offices', 'Help'],
  };
  for (const [title, links] of Object.entries(guides)) {
    document.getElementById('guides').append(el('div', {}, el('h2', { textContent: title }),
      el('ul', {}, ...links.map(t => el('li', {}, el('a', { href: `/listing?guide=${slug(t)}`, textContent: t }))))));
  }
  draw();
})();
