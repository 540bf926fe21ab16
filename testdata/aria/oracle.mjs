// The oracle: what Playwright says a page's AI-mode aria snapshot is. Used by
// conformance.mjs and bench.mjs, and on its own to store the answers beside
// the cases:
//
//   node oracle.mjs store [FILE.html]...    asks for every case, rewrites the .aria files
//
// Playwright is run, never read: its answers are facts about a page.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const here = path.dirname(fileURLToPath(import.meta.url));
export const VERSION = '1.65.1';

// playwright installs playwright-core into a folder under the system's
// temporary one, once, and loads it.
export function playwright() {
  const home = path.join(os.tmpdir(), 'snapscope-oracle-' + VERSION);
  if (!fs.existsSync(path.join(home, 'node_modules', 'playwright-core', 'package.json'))) {
    fs.mkdirSync(home, { recursive: true });
    fs.writeFileSync(path.join(home, 'package.json'), '{"private":true}');
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', 'playwright-core@' + VERSION],
      { cwd: home, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  return createRequire(path.join(home, 'package.json'))('playwright-core');
}

export function launch() {
  const names = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  const executablePath = names.find(n => n && fs.existsSync(n));
  if (!executablePath) throw new Error('no Chromium found: name one in CHROMIUM');
  return playwright().chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}

// newContext is a viewport of 1280×720 that reaches nothing but this machine.
export async function newContext(browser) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  await context.route(u => !['127.0.0.1', 'localhost', ''].includes(u.hostname), r => r.abort());
  return context;
}

const MARK = /^<!-- case: (.*) -->\n/m;

// cases reads a file of cases: [name, html] each.
export function cases(file) {
  const parts = fs.readFileSync(file, 'utf8').split(MARK).slice(1);
  const out = [];
  for (let i = 0; i < parts.length; i += 2) out.push([parts[i], parts[i + 1]]);
  return out;
}

export const caseFiles = () => fs.readdirSync(here).filter(f => f.endsWith('.html') && f !== 'child.html').sort();

const TYPES = {
  '.html': 'text/html; charset=utf-8', '.htm': 'text/html; charset=utf-8', '.css': 'text/css', '.js': 'text/javascript',
  '.mjs': 'text/javascript', '.json': 'application/json', '.svg': 'image/svg+xml', '.png': 'image/png', '.jpg': 'image/jpeg',
  '.woff': 'font/woff', '.woff2': 'font/woff2',
};

// serve answers /case/FILE/N, /child.html, pages given by name, files under the
// folders of roots at /N/… and those of installed packages at /npm/…
export async function serve({ pages = {}, roots = [], npm = '' } = {}) {
  const loaded = {};
  const server = http.createServer((request, response) => {
    const url = decodeURIComponent(request.url.split(/[?#]/)[0]);
    const send = (type, body) => { response.setHeader('content-type', type); response.end(body); };
    let m;
    if (pages[url]) send(TYPES['.html'], pages[url]);
    else if (url.endsWith('/child.html') && !/^\/\d/.test(url)) send(TYPES['.html'], fs.readFileSync(path.join(here, 'child.html')));
    else if ((m = /^\/case\/([\w-]+\.html)\/(\d+)$/.exec(url))) {
      loaded[m[1]] ||= cases(path.join(here, m[1]));
      send(TYPES['.html'], '<!doctype html>\n' + loaded[m[1]][m[2]][1]);
    } else if ((m = /^\/(npm|\d+)\/(.*)$/.exec(url)) && (m[1] === 'npm' ? npm : roots[m[1]])) {
      fs.readFile(path.join(m[1] === 'npm' ? npm : roots[m[1]], m[2]), (error, body) => {
        if (error) { response.statusCode = 404; response.end('not found'); } else send(TYPES[path.extname(m[2])] || 'application/octet-stream', body);
      });
    } else { response.statusCode = 404; response.end('not found'); }
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  return { server, base: 'http://127.0.0.1:' + server.address().port };
}

// ask opens a page in a fresh tab and gives the oracle's answer.
export async function ask(context, url, wait = 0) {
  const page = await context.newPage();
  page.on('dialog', d => d.dismiss().catch(() => {}));
  try {
    await page.goto(url, { waitUntil: 'load', timeout: 20000 });
    if (wait) await page.waitForTimeout(wait);
    return await page.ariaSnapshot({ mode: 'ai' });
  } finally {
    await page.close();
  }
}

async function store(only) {
  const browser = await launch();
  const context = await newContext(browser);
  const { server, base } = await serve();
  for (const file of only.length ? only : caseFiles()) {
    let out = '';
    const list = cases(path.join(here, file));
    for (const [n, [name]] of list.entries()) {
      const text = await ask(context, `${base}/case/${file}/${n}`);
      out += '=== ' + name + '\n' + (text ? text + '\n' : '');
    }
    fs.writeFileSync(path.join(here, file.replace(/\.html$/, '.aria')), out);
    console.log(file, list.length);
  }
  await browser.close();
  server.close();
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] === 'store') await store(process.argv.slice(3));
