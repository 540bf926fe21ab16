// Asks the oracle live for every case, every page of the demo site and every
// page named, holds our captures of the same pages against its answers, and
// prints the agreement page by page:
//
//   node testdata/aria/conformance.mjs [--cases no] [FILE.html | FOLDER | LIST.txt]...
//
// A folder stands for all .html files in it; a page's own files are served from
// the folder named, or from the folder the page lies in. Exit status 1 below
// 99 % of lines.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ask, caseFiles, cases, here, launch, newContext, serve } from './oracle.mjs';

const root = path.resolve(here, '..', '..');
let withCases = true;
const roots = [path.join(root, 'session', 'demo', 'site')];
const found = htmlBelow(roots[0]).map(f => [0, f]);
for (let args = process.argv.slice(2); args.length;) {
  const arg = args.shift();
  if (arg === '--cases') { withCases = args.shift() !== 'no'; continue; }
  if (!fs.existsSync(arg)) { console.error(`conformance: ${arg} is not there`); process.exit(2); }
  const folder = fs.statSync(arg).isDirectory();
  roots.push(path.resolve(folder ? arg : path.dirname(arg)));
  for (const f of folder ? htmlBelow(arg) : [path.basename(arg)]) found.push([roots.length - 1, f]);
}

function htmlBelow(folder) {
  return fs.readdirSync(folder, { recursive: true }).filter(f => f.endsWith('.html')).sort();
}

const SETTLE = 600; // ms after load, for pages that build themselves
const { server, base } = await serve({ roots });
const todo = [];
if (withCases) {
  for (const file of caseFiles()) {
    for (const [n, [name]] of cases(path.join(here, file)).entries()) {
      todo.push({ name: `${file}: ${name}`, url: `${base}/case/${file}/${n}`, wait: 0 });
    }
  }
}
for (const [n, f] of found) todo.push({ name: f, url: `${base}/${n}/${f}`, wait: SETTLE });

const browser = await launch();
const context = await newContext(browser);
const pages = [];
for (const page of todo) {
  try {
    page.text = await ask(context, page.url, page.wait);
    pages.push(page);
  } catch (error) {
    console.error(`conformance: the oracle gave no answer for ${page.name}: ${String(error.message).split('\n')[0]}`);
  }
  if (process.stderr.isTTY) process.stderr.write(`\roracle ${pages.length} of ${todo.length} `);
}
await browser.close();

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'snapscope-conformance-'));
const report = path.join(work, 'report.txt');
fs.writeFileSync(path.join(work, 'pages.json'), JSON.stringify({ pages, report }));
// The server must go on answering while the Go side runs.
const child = spawn('go', ['test', './session/browser', '-run', '^TestConformance$', '-count=1', '-timeout', '60m'], {
  cwd: root, env: { ...process.env, SNAPSCOPE_CONFORMANCE: path.join(work, 'pages.json') }, stdio: ['ignore', 'pipe', 'inherit'],
});
let said = '';
child.stdout.on('data', d => { said += d; });
const status = await new Promise(done => child.on('close', done));
server.close();
if (fs.existsSync(report)) console.log(fs.readFileSync(report, 'utf8').trimEnd());
if (status !== 0) console.log(said.trim());
fs.rmSync(work, { recursive: true, force: true });
process.exit(status === 0 ? 0 : 1);
