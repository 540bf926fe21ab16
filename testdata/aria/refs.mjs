// Refs over time: the oracle's answers to sequences of acts, each text whole and
// with its own refs, since what is asked is which refs an element keeps.
//
//   node testdata/aria/refs.mjs        asks for every sequence of refs.json, writes refs.aria
//
// A step is [verb, words, value]: the element is the first whose line holds the
// words. $HERE and $OTHER in a page are the folder of its own pages on the same
// and on another site. session/browser's TestRefsOverTime does the same.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { here, launch, newContext } from './oracle.mjs';

const sequences = JSON.parse(fs.readFileSync(path.join(here, 'refs.json'), 'utf8'));
const origin = host => `http://${host}:${server.address().port}`;
const filled = (text, n) => text.replaceAll('$HERE', `${origin('127.0.0.1')}/${n}`).replaceAll('$OTHER', `${origin('localhost')}/${n}`);

const server = http.createServer((request, response) => {
  const [, n, name] = /^\/(\d+)\/([^?]*)/.exec(request.url) || [];
  const page = sequences[n]?.pages[name];
  response.statusCode = page === undefined ? 404 : 200;
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end('<!doctype html>\n' + (page === undefined ? '' : filled(page, n)));
});
await new Promise(done => server.listen(0, '127.0.0.1', done));

function refOf(text, words) {
  const line = text.split('\n').find(l => l.includes(words) && l.includes('[ref='));
  if (!line) throw new Error(`no line with ${words} in\n${text}`);
  return /\[ref=(\w+)\]/.exec(line)[1];
}

const browser = await launch();
const context = await newContext(browser);
let out = '';
for (const [n, { name, steps }] of sequences.entries()) {
  const page = await context.newPage(), base = `${origin('127.0.0.1')}/${n}/`;
  let text = '';
  for (const [i, [verb, words, value]] of [['goto', ''], ...steps].entries()) {
    const element = () => page.locator('aria-ref=' + refOf(text, words));
    if (verb === 'goto') await page.goto(base + words, { waitUntil: 'load' });
    if (verb === 'js') await page.evaluate(code => { eval(code); }, filled(words, n));
    if (verb === 'click') await element().click();
    if (verb === 'fill') await element().fill(value);
    if (verb === 'select') await element().selectOption(value);
    await page.waitForTimeout(400); // frames come
    text = await page.ariaSnapshot({ mode: 'ai' });
    out += `=== ${name}, step ${i}\n${text}\n`;
  }
  await page.close();
}
await browser.close();
server.close();
fs.writeFileSync(path.join(here, 'refs.aria'), out);
console.log(`${sequences.length} sequences`);
