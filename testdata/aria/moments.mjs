// The page at the moment the agent sees it: the same steps on pages of six
// widget libraries, once by Playwright's MCP server and once by snapscope with
// the server's timing, and their answers side by side.
//
//   node testdata/aria/moments.mjs BINARY [--settle PROFILE] [--show | --costs] [PAGE]...
//
// BINARY is the built snapscope. An element is found in the server's last answer
// and named to snapscope by its role and name. Two answers are equal when their
// texts are, after the refs were numbered in the order in which they stand.
// --show prints both texts of each difference. --costs compares nothing: it tells
// what a step takes with each profile and by the server. Exit status 1 below 95 %
// of steps.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { here, serve, VERSION } from './oracle.mjs';

const PINS = {
  playwright: VERSION, antd: '5.29.3', react: '18.3.1', 'react-dom': '18.3.1', dayjs: '1.11.23', '@shoelace-style/shoelace': '2.20.1',
  'ag-grid-community': '32.3.9', fullcalendar: '6.1.21', leaflet: '1.9.4', jquery: '3.8.0', 'jquery-ui-dist': '1.13.3',
};
const LEAST = 0.95;
const THINK = 1000; // ms between two steps, as an agent's model takes them at least
const folder = path.join(here, 'moments');

function fail(words) { console.error('moments: ' + words); process.exit(2); }

function option(name, takes) {
  const at = process.argv.indexOf(name);
  return at < 0 ? '' : process.argv.splice(at, takes ? 2 : 1)[takes ? 1 : 0];
}

const settle = option('--settle', true) || 'playwright-mcp', show = option('--show', false), costs = option('--costs', false);
const [binary, ...only] = process.argv.slice(2);
if (!binary || !fs.existsSync(binary)) fail('name the built snapscope');

// install puts the pinned packages into a folder under the system's temporary
// one, once for each set of versions.
function install() {
  const name = 'snapscope-moments-' + Buffer.from(JSON.stringify(PINS)).reduce((h, b) => (h * 31 + b) >>> 0, 7).toString(16);
  const home = path.join(os.tmpdir(), name);
  if (!fs.existsSync(path.join(home, 'done'))) {
    fs.mkdirSync(home, { recursive: true });
    fs.writeFileSync(path.join(home, 'package.json'), JSON.stringify({ private: true, dependencies: PINS }));
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps'], { cwd: home, stdio: ['ignore', 'ignore', 'inherit'] });
    fs.writeFileSync(path.join(home, 'done'), '');
  }
  return home;
}

const names = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const chromium = names.find(n => n && fs.existsSync(n));
if (!chromium) fail('no Chromium found: name one in CHROMIUM');
const home = install(), work = fs.mkdtempSync(path.join(os.tmpdir(), 'snapscope-moments-run-'));

// client speaks to the MCP server over its standard input and output.
async function client() {
  const server = spawn(process.execPath, [path.join(home, 'node_modules', 'playwright', 'cli.js'), 'mcp', '--headless', '--isolated', '--no-sandbox',
    '--executable-path', chromium, '--viewport-size', '1280x720', '--output-dir', path.join(work, 'out')], { cwd: work, stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  let rest = '', last = 0;
  server.stdout.on('data', data => {
    const lines = (rest + data).split('\n');
    rest = lines.pop();
    for (const line of lines.filter(Boolean)) {
      const message = JSON.parse(line);
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    }
  });
  const send = message => server.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n');
  const ask = (method, params) => new Promise((done, bad) => {
    const id = ++last, timer = setTimeout(() => bad(new Error(`${method} got no answer within 60 s`)), 60000);
    waiting.set(id, message => { clearTimeout(timer); done(message); });
    send({ id, method, params });
  });
  await ask('initialize', { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'moments', version: '1' } });
  send({ method: 'notifications/initialized' });
  return {
    end: () => server.kill(),
    call: async (name, args) => {
      const answer = await ask('tools/call', { name, arguments: args });
      const text = (answer.result?.content || [{ text: JSON.stringify(answer.error) }]).map(c => c.text || '').join('\n');
      // A text that is not printed lies in a file.
      return text.replace(/- \[Snapshot\]\(([^)]*)\)/, (_, file) => fs.readFileSync(path.resolve(work, file), 'utf8'));
    },
  };
}

// snapshotOf is the aria text in one of the server's answers.
function snapshotOf(answer) {
  const at = answer.indexOf('### Snapshot\n');
  if (at < 0) return 'no snapshot: ' + answer.slice(0, 400);
  return answer.slice(at + 13).split(/\n### /)[0].replace(/^```(?:yaml)?\n?|\n?```\s*$/g, '').trim();
}

// renumbered gives refs the numbers of their order in the text.
function renumbered(text) {
  const seen = new Map();
  return text.trim().replace(/\[ref=(\w+)\]/g, (_, ref) => {
    if (!seen.has(ref)) seen.set(ref, seen.size + 1);
    return `[ref=${seen.get(ref)}]`;
  });
}

// refIn finds the first line of a role and name.
function refIn(text, role, name) {
  for (const line of text.split('\n')) {
    const m = /^\s*- '?([a-z]+) ("(?:[^"\\]|\\.)*")/.exec(line), ref = /\[ref=(\w+)\]/.exec(line);
    if (m && ref && m[1] === role && JSON.parse(m[2]) === name) return ref[1];
  }
  return '';
}

const TOOLS = {
  click: { tool: 'browser_click', more: () => ({}) },
  hover: { tool: 'browser_hover', more: () => ({}) },
  fill: { tool: 'browser_type', more: text => ({ text }), key: 'text' },
  select: { tool: 'browser_select_option', more: text => ({ values: [text] }), key: 'value' },
};

// theirs does the steps by the server: its answers and what each took, in ms. A tool whose answer shows no
// page is followed by the one that does.
async function theirs(mcp, url, steps) {
  const took = [];
  const step = async (tool, args) => {
    await new Promise(done => setTimeout(done, THINK));
    const begun = performance.now(), answer = await mcp.call(tool, args);
    took.push(performance.now() - begun);
    return snapshotOf(answer.includes('### Snapshot\n') || answer.includes('### Error') ? answer : await mcp.call('browser_snapshot', {}));
  };
  const texts = [await step('browser_navigate', { url })];
  for (const [verb, role, name, text] of steps) {
    if (verb === 'press') {
      texts.push(await step('browser_press_key', { key: role }));
      continue;
    }
    const target = refIn(texts.at(-1), role, name);
    if (!target) throw new Error(`no ${role} "${name}" in\n${texts.at(-1)}`);
    texts.push(await step(TOOLS[verb].tool, { element: name, target, ...TOOLS[verb].more(text) }));
  }
  return { texts, took };
}

// ours does the same by snapscope, with a script: what its recording says.
async function ours(url, steps, settle) {
  const script = path.join(work, 'script.yaml'), file = path.join(work, 'recording.jsonl');
  const lines = [`- goto: ${url}`];
  for (const [verb, role, name, text] of steps) {
    lines.push(`- wait: {ms: ${THINK}}`);
    if (verb === 'press') { lines.push(`- press: {key: ${JSON.stringify(role)}}`); continue; }
    const more = TOOLS[verb].key ? `, ${TOOLS[verb].key}: ${JSON.stringify(text)}` : '';
    lines.push(`- ${verb}: {role: ${role}, name: ${JSON.stringify(name)}, nth: 1${more}}`);
  }
  fs.writeFileSync(script, lines.join('\n') + '\n');
  fs.rmSync(file, { force: true });
  const child = spawn(binary, ['run', script, '--record', file, '--settle', settle, '--keep-going'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const s of [child.stdout, child.stderr]) s.on('data', d => { said += d; });
  await new Promise(done => child.on('close', done));
  if (!fs.existsSync(file)) throw new Error('snapscope made no recording: ' + said);
  const events = fs.readFileSync(file, 'utf8').split('\n').filter(Boolean).map(l => JSON.parse(l));
  const waits = new Set(events.filter(e => e.kind === 'action' && e.action.verb === 'wait').map(e => e.action.id));
  const texts = new Map(); // a recording holds a text once
  for (const e of events) if (e.result?.snapshot?.text) texts.set(e.result.snapshot.hash, e.result.snapshot.text);
  const results = events.filter(e => e.kind === 'result' && !waits.has(e.result.action)).map(e => e.result);
  return {
    texts: results.map(r => r.snapshot && r.ok ? texts.get(r.snapshot.hash) : 'no snapshot: ' + r.error),
    took: results.map(r => r.ms),
  };
}

const said = ([verb, role, name, text]) => [verb, role, name && JSON.stringify(name), text].filter(Boolean).join(' ');

function printDifference(a, b) {
  if (show) { console.log('--- Playwright MCP\n' + a + '\n--- snapscope\n' + b); return; }
  const one = a.split('\n'), two = b.split('\n');
  for (const l of one.filter(l => !two.includes(l)).slice(0, 4)) console.log('    - ' + l.trim());
  for (const l of two.filter(l => !one.includes(l)).slice(0, 4)) console.log('    + ' + l.trim());
}

const KINDS = [['goto', ['goto']], ['click', ['click']], ['hover, fill, press', ['hover', 'fill', 'select', 'press']]];
const PROFILES = ['playwright-mcp', 'quick'];

// Costs gathers what steps took, by who did them and what they were.
class Costs {
  constructor() { this.of = new Map(); }
  add(who, list, took) {
    if (!this.of.has(who)) this.of.set(who, []);
    took.forEach((ms, i) => this.of.get(who).push([i ? list[i - 1][0] : 'goto', ms]));
  }
  print() {
    console.log('| milliseconds a step, median | ' + KINDS.map(k => k[0]).join(' | ') + ' |\n| --- |' + ' --- |'.repeat(KINDS.length));
    for (const [who, steps] of this.of) {
      const cells = KINDS.map(([, verbs]) => {
        const ms = steps.filter(s => verbs.includes(s[0])).map(s => s[1]).sort((a, b) => a - b);
        return ms.length ? Math.round(ms[ms.length >> 1]) : '–';
      });
      console.log(`| ${who} | ${cells.join(' | ')} |`);
    }
  }
}

const steps = JSON.parse(fs.readFileSync(path.join(folder, 'steps.json'), 'utf8'));
const { server, base } = await serve({ roots: [folder], npm: path.join(home, 'node_modules') });
let same = 0, total = 0;
const cost = new Costs();
const mcp = await client();
try {
  for (const [page, list] of Object.entries(steps).filter(([name]) => !only.length || only.includes(name))) {
    const url = `${base}/0/${page}.html`;
    const want = await theirs(mcp, url, list);
    if (costs) {
      cost.add(`Playwright MCP ${VERSION}`, list, want.took);
      for (const profile of PROFILES) cost.add('`--settle ' + profile + '`', list, (await ours(url, list, profile)).took);
      continue;
    }
    const got = await ours(url, list, settle);
    let equal = 0;
    want.texts.forEach((text, i) => {
      const a = renumbered(text), b = renumbered(got.texts[i] || '');
      if (a === b) { equal++; return; }
      console.log(`differs  ${page}, step ${i}: ${i ? said(list[i - 1]) : 'goto'}`);
      printDifference(a, b);
    });
    console.log(`${String(equal).padStart(3)} of ${String(want.texts.length).padStart(3)} equal  ${page}`);
    same += equal;
    total += want.texts.length;
  }
} finally {
  mcp.end();
  server.close();
  fs.rmSync(work, { recursive: true, force: true });
}
if (costs) {
  cost.print();
  process.exit(0);
}
console.log(`${same} of ${total} steps show what the agent sees (--settle ${settle}, Playwright MCP ${VERSION})`);
process.exit(same >= LEAST * total ? 0 : 1);
