// Asks the oracle live for every case, every page of the demo site and every
// page named, holds our captures of the same pages against its answers, and
// prints the agreement page by page:
//
//   node testdata/aria/conformance.mjs [OPTION]... [FILE.html | FOLDER | LIST.txt]...
//
//   --cases no         only the pages named
//   --refs renumbered  refs are numbered in the order in which they stand
//   --twice            asks the oracle again: a page on which it differs from itself is counted apart
//   --show             prints the lines that differ, too
//   --keep FILE        takes the oracle's answers from FILE, or asks and writes them there
//
// A folder stands for all .html files in it, a list for the pages that stand in
// it one a line, by their paths from the list's own folder; a page's own files
// are served from the folder named, or from the folder the page or list lies
// in. Exit status 1 below 99 % of lines.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ask, caseFiles, cases, here, launch, newContext, serve } from './oracle.mjs';

const root = path.resolve(here, '..', '..');
const chosen = { cases: true, renumber: false, twice: false, show: false, keep: '' };
const roots = [path.join(root, 'session', 'demo', 'site')];
const found = [];
for (let args = process.argv.slice(2); args.length;) {
  const arg = args.shift();
  switch (arg) {
    case '--cases': chosen.cases = args.shift() !== 'no'; continue;
    case '--refs': chosen.renumber = args.shift() === 'renumbered'; continue;
    case '--twice': chosen.twice = true; continue;
    case '--show': chosen.show = true; continue;
    case '--keep': chosen.keep = args.shift() || ''; continue;
  }
  if (!fs.existsSync(arg)) { console.error(`conformance: ${arg} is not there`); process.exit(2); }
  const folder = fs.statSync(arg).isDirectory();
  roots.push(path.resolve(folder ? arg : path.dirname(arg)));
  for (const file of folder ? htmlBelow(arg) : arg.endsWith('.txt') ? linesOf(arg) : [path.basename(arg)]) {
    found.push({ root: roots.length - 1, file, group: path.basename(arg, '.txt') });
  }
}
if (chosen.cases) found.unshift(...htmlBelow(roots[0]).map(file => ({ root: 0, file, group: 'demo site' })));

function htmlBelow(folder) {
  return fs.readdirSync(folder, { recursive: true }).filter(f => f.endsWith('.html')).sort();
}

function linesOf(list) {
  return fs.readFileSync(list, 'utf8').split('\n').map(l => l.trim()).filter(Boolean);
}

const SETTLE = 600; // ms after load, for pages that build themselves
const { server, base } = await serve({ roots });
const todo = [];
if (chosen.cases) {
  for (const file of caseFiles()) {
    for (const [n, [name]] of cases(path.join(here, file)).entries()) {
      todo.push({ name: `${file}: ${name}`, group: 'cases', url: `${base}/case/${file}/${n}`, wait: 0 });
    }
  }
}
for (const { root: n, file, group } of found) todo.push({ name: file, group, url: `${base}/${n}/${encodeURI(file)}`, wait: SETTLE });

const pages = chosen.keep && fs.existsSync(chosen.keep) ? kept() : await asked();

// kept reads the answers of an earlier run to the pages named.
function kept() {
  const answers = JSON.parse(fs.readFileSync(chosen.keep, 'utf8'));
  return todo.filter(p => answers[p.group + '/' + p.name]).map(p => ({ ...p, ...answers[p.group + '/' + p.name] }));
}

async function asked() {
  const browser = await launch();
  const context = await newContext(browser);
  const pages = [];
  for (const page of todo) {
    try {
      page.text = await ask(context, page.url, page.wait);
      if (chosen.twice) page.again = await ask(context, page.url, page.wait);
      pages.push(page);
    } catch (error) {
      console.error(`conformance: the oracle gave no answer for ${page.name}: ${String(error.message).split('\n')[0]}`);
    }
    if (process.stderr.isTTY) process.stderr.write(`\roracle ${pages.length} of ${todo.length} `);
  }
  await browser.close();
  if (chosen.keep) {
    const answers = pages.map(({ group, name, text, again }) => [group + '/' + name, { text, again }]);
    fs.writeFileSync(chosen.keep, JSON.stringify(Object.fromEntries(answers)));
  }
  return pages;
}

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'snapscope-conformance-'));
const report = path.join(work, 'report.txt');
fs.writeFileSync(path.join(work, 'pages.json'), JSON.stringify({ pages, report, renumber: chosen.renumber, show: chosen.show }));
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
