// Records sessions through real MCP servers on the demo site's table of 500
// leads: one snapshot, then elements from its beginning to its end.
//
//	node testdata/transcripts/recorded/record.mjs   writes the .jsonl.gz files beside it
//
// The servers come from npm; every line is one JSON-RPC message as it went over
// the wire, with the milliseconds since the start and its direction.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';

const here = path.dirname(fileURLToPath(import.meta.url));
const site = path.resolve(here, '../../../session/demo/site');
const chromium = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(n => n && fs.existsSync(n));

function installed(name, version) {
  const home = path.join(os.tmpdir(), `snapscope-${path.basename(name)}-${version}`);
  if (!fs.existsSync(path.join(home, 'node_modules', name, 'package.json'))) {
    fs.mkdirSync(home, { recursive: true });
    fs.writeFileSync(path.join(home, 'package.json'), '{"private":true}');
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${version}`], { cwd: home, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  return path.join(home, 'node_modules', name);
}

const TYPES = { '.html': 'text/html; charset=utf-8', '.css': 'text/css', '.js': 'text/javascript' };
const server = http.createServer((request, response) => {
  let name = request.url.split('?')[0];
  if (!path.extname(name)) name += '.html';
  fs.readFile(path.join(site, path.normalize(name)), (error, body) => {
    response.statusCode = error ? 404 : 200;
    response.setHeader('content-type', TYPES[path.extname(name)] ?? 'application/octet-stream');
    response.end(error ? 'not found' : body);
  });
});
await new Promise(done => server.listen(0, '127.0.0.1', done));
const page = `http://127.0.0.1:${server.address().port}/leads`;

// record runs a server and writes what went to and fro while steps called it.
async function record(file, args, steps) {
  const child = spawn('node', args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = [], waiting = new Map(), begun = Date.now();
  const log = (dir, msg) => lines.push(JSON.stringify({ t: Date.now() - begun, dir, msg }));
  const send = msg => { log('c2s', msg); child.stdin.write(JSON.stringify(msg) + '\n'); };
  let rest = '', next = 0;
  child.stdout.on('data', data => {
    const parts = (rest + data).split('\n');
    rest = parts.pop();
    for (const msg of parts.filter(Boolean).map(l => JSON.parse(l))) {
      log('s2c', msg);
      if (msg.method && msg.id !== undefined) send({ jsonrpc: '2.0', id: msg.id, result: msg.method === 'roots/list' ? { roots: [] } : {} });
      else waiting.get(msg.id)?.(msg.result);
    }
  });
  const ask = (method, params) => new Promise(done => {
    waiting.set(next, done);
    send({ jsonrpc: '2.0', id: next++, method, params });
  });
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'recorder', version: '1' } });
  send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await steps(async (name, args) => {
    const result = await ask('tools/call', { name, arguments: args });
    if (result.isError) throw new Error(`${name}: ${result.content[0].text}`);
    return result.content.map(c => c.text ?? '').join('\n');
  });
  child.stdin.end();
  fs.writeFileSync(path.join(here, file), zlib.gzipSync(lines.join('\n') + '\n', { level: 9 }));
  console.log(file, fs.statSync(path.join(here, file)).size, 'bytes');
}

// some are the links at both ends of a page and rows all over the table.
const some = (links, rows) => [...links.slice(0, 3), ...[0, 1, 2, 4, 7, 10, 15, 25, 50, 100, 150, 200, 250, 300, 350, 400, 450, 490, 497, 499, 500].map(k => rows[k]), ...links.slice(-3)];
const all = (text, pattern) => [...text.matchAll(pattern)].map(m => m.slice(1));

await record('playwright-mcp-0.0.83.jsonl.gz', [
  path.join(installed('@playwright/mcp', '0.0.83'), 'cli.js'), '--headless', '--browser', 'chromium', '--executable-path', chromium, '--no-sandbox', '--isolated',
  '--output-dir', fs.mkdtempSync(path.join(os.tmpdir(), 'playwright-mcp-')),
], async tool => {
  await tool('browser_navigate', { url: page });
  const shown = await tool('browser_snapshot', {});
  for (const [element, target] of some(all(shown, /link "([^"]+)"[^\n]*\[ref=(e\d+)\]/g), all(shown, /checkbox "([^"]+)"[^\n]*\[ref=(e\d+)\]/g))) {
    await tool('browser_hover', { element, target });
  }
});

await record('chrome-devtools-mcp-1.11.0.jsonl.gz', [
  path.join(installed('chrome-devtools-mcp', '1.11.0'), 'build/src/bin/chrome-devtools-mcp.js'), '--headless', '--isolated', '--executablePath', chromium,
  '--chromeArg=--no-sandbox', '--chromeArg=--disable-gpu', '--no-usage-statistics', '--no-performance-crux',
], async tool => {
  const pageId = Number(/^(\d+): /m.exec(await tool('list_pages', {}))[1]);
  await tool('navigate_page', { pageId, type: 'url', url: page });
  const shown = await tool('take_snapshot', { pageId });
  for (const [uid] of some(all(shown, /uid=(\S+) link /g), all(shown, /uid=(\S+) checkbox /g))) await tool('hover', { pageId, uid });
});
process.exit(0);
