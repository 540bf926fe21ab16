// A feed that grows by ten posts whenever its end comes into view, up to 200.
(() => {
  const people = ['Dana Whitfield', 'Marcus Obi', 'Lena Fischer', 'Tomás Rivera', 'Aiko Mori', 'Priya Nair', 'Noel Baptiste'];
  const topics = ['Visited the Porto Digital team', 'New price list is out', 'Demo went well at Kumo Robotics', 'Who has the fair booth list', 'Won the Lagos Pay renewal', 'Looking for a reference in rail', 'Call notes from Nordlys Telecom', 'Quarter is at eighty percent', 'Travel plan for the coast trip'];
  const bodies = ['They want a pilot with twelve seats before summer and asked about single sign-on.', 'Please use it for every offer from Monday; the old one stays valid for open proposals.', 'Three questions stayed open; I have put them in the notes with owners.', 'I can share mine, but it is from last spring and the hall plan has changed.', 'Two years, and they bring a second office along. Thanks to everyone who helped.'];
  const hues = ['#3949c6', '#14804a', '#a65b00', '#8b3fa8', '#0f7c8f', '#b3261e', '#5b6675'];
  const LAST = 200, STEP = 10;
  const posts = document.getElementById('posts');
  const end = document.getElementById('end');
  let n = 0;

  function post(i) {
    const who = people[i * 3 % people.length];
    const a = document.createElement('article');
    a.setAttribute('aria-posinset', String(i + 1));
    a.setAttribute('aria-setsize', String(LAST));
    a.setAttribute('aria-labelledby', `t${i}`);
    a.innerHTML = `<header><span class="face" aria-hidden="true" style="background:${hues[i * 3 % hues.length]}">${who.split(' ').map(w => w[0]).join('')}</span>
      <div><h2 id="t${i}">${topics[i * 5 % topics.length]}</h2><span class="soft">${who}, post ${i + 1}</span></div></header>
      <p>${bodies[i * 2 % bodies.length]}</p>
      <div class="acts"><button type="button" aria-pressed="false">Like · ${i * 7 % 23}</button><button type="button">Reply</button></div>`;
    const [like, reply] = a.querySelectorAll('button');
    like.onclick = () => {
      const on = like.getAttribute('aria-pressed') !== 'true';
      like.setAttribute('aria-pressed', String(on));
      like.textContent = `Like · ${i * 7 % 23 + (on ? 1 : 0)}`;
    };
    reply.onclick = () => toast(`Reply to ${who} is not part of this demo`);
    return a;
  }

  function more() {
    for (const stop = Math.min(n + STEP, LAST); n < stop; n++) posts.append(post(n));
    document.getElementById('shown').textContent = `${n} of ${LAST} posts`;
    if (n === LAST) {
      watch.disconnect();
      end.textContent = 'That is all';
      return;
    }
    watch.unobserve(end); // watched anew, so that a tall window goes on until it is full
    watch.observe(end);
  }
  const watch = new IntersectionObserver(seen => { if (seen.some(s => s.isIntersecting)) more(); });
  more();
})();
