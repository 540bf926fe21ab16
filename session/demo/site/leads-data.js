// The 500 leads of the demo CRM. The first rows are written out; the rest are
// put together from lists by index alone, so every load makes the same table.
const STAGES = ['New', 'Contacted', 'Qualified', 'Proposal', 'Won', 'Lost'];
const OWNERS = ['Dana Whitfield', 'Marcus Obi', 'Lena Fischer', 'Tomás Rivera', 'Aiko Mori', 'Priya Nair'];

const LEADS = (() => {
  const first = ['Emma', 'Omar', 'Olivia', 'Noah', 'Elena', 'Ethan', 'Sofia', 'Carlos', 'Grace', 'Lucas', 'Charlotte', 'Ahmed', 'Amelia', 'Daniel', 'Harper', 'Ivan', 'Maria', 'James', 'Alice', 'Diego', 'Emily', 'Carter', 'Hana', 'Victor', 'Fatima', 'Henry', 'Nora', 'Michael', 'Ella', 'Karim', 'Anna', 'Jack', 'Ruth', 'Owen', 'Victoria', 'Samuel', 'Leila', 'David', 'Julia', 'Joseph', 'Lily', 'Pedro', 'Aurora', 'Simon', 'Marta', 'Gabriel', 'Zoe', 'Julian', 'Clara', 'Felix'];
  const last = ['Smith', 'Garcia', 'Weber', 'Kim', 'Novak', 'Patel', 'Murphy', 'Santos', 'Chen', 'Hansen', 'Okafor', 'Lopez', 'Khan', 'Rossi', 'Meyer', 'Nguyen', 'Kelly', 'Costa', 'Cohen', 'Petrov', 'Wang', 'Larsen', 'Martinez', 'Singh', 'Fischer', 'Lee', 'Adams', 'Moreau', 'Tanaka', 'Silva', 'Brooks'];
  const titles = ['Vice President', 'Head of Procurement', 'Operations Director', 'Chief Financial Officer', 'IT Manager', 'Sales Director', 'Founder', 'Plant Manager', 'Head of Search Marketing', 'Purchasing Lead', 'Chief of Staff', 'Product Manager', 'Regional Manager', 'Head of Logistics', 'Security Architect', 'Office Manager', 'Data Lead', 'General Counsel', 'Program Director'];
  const companies = ['Alder & Finch', 'Bluewater Freight', 'Cobalt Systems', 'Dunmore Foods', 'Everline Health', 'Foxglove Media', 'Granite Peak', 'Hartwell Insurance', 'Ironbridge Tools', 'Juniper Row', 'Kestrel Aviation', 'Lumen Optics', 'Marigold Farms', 'Northgate Rail', 'Oakhaven Homes', 'Pinecrest Labs', 'Quarry Stone', 'Redfern Energy', 'Silverlake Bank', 'Tidewater Shipping', 'Umber Ceramics', 'Vantage Point', 'Willow Creek', 'Yarrow Biotech', 'Zephyr Wind', 'Main Street Bakery', 'Copperfield Books', 'Driftwood Hotels', 'Evergreen Paper'];
  // mix spreads an index over n values, evenly and always the same; salt keeps the columns apart.
  const mix = (i, salt, n) => (Math.imul(i * 8 + salt, 2654435761) >>> 8) % n;
  const rows = [
    ['Melonie Parker', 'Vice President', 'Google', 'Proposal', 248000, 1],
    ['Thomas Kurian', 'CEO', 'Google Cloud', 'Qualified', 415000, 2],
    ['Ana Silva', 'CTO', 'Porto Digital', 'Contacted', 96000, 0],
    ['Henrik Dahl', 'Head of Platform', 'Nordlys Telecom', 'New', 58000, 3],
    ['Grace Adeyemi', 'Chief Product Officer', 'Lagos Pay', 'Won', 182000, 4],
    ['Rui Tanaka', 'Engineering Manager', 'Kumo Robotics', 'Proposal', 134000, 5],
  ];
  for (let i = rows.length; i < 500; i++) {
    rows.push(i === 136
      ? ['Ingrid Solheim', 'Partner Manager', 'Google', 'New', 72000, 4]
      : [`${first[(i * 7) % first.length]} ${last[(i * 11) % last.length]}`,
        titles[mix(i, 1, titles.length)], companies[mix(i, 2, companies.length)],
        STAGES[mix(i, 3, STAGES.length)], 4000 + mix(i, 4, 241) * 1000, mix(i, 5, OWNERS.length)]);
  }
  const plain = s => s.normalize('NFD').replace(/[^A-Za-z ]/g, '').toLowerCase().trim();
  return rows.map(([name, title, company, stage, value, owner], i) => ({
    id: i + 1, name, title, company, stage, value, owner: OWNERS[owner],
    email: `${plain(name).replace(/ /g, '.')}@${plain(company).split(' ')[0]}.example`,
    phone: `+1 555 01${String((i * 37) % 100).padStart(2, '0')}`,
  }));
})();
