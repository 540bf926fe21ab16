// An independent count of the session files in this folder. It shares nothing
// with the program: it knows each file's layout by itself, and js-tiktoken counts.
//
//	node testdata/transcripts/count.mjs          says what differs from counts.json
//	node testdata/transcripts/count.mjs --store  writes counts.json
//
// A session becomes a row of parts in the order in which the model is sent them.
// What counts as what, by the rules that session/ledger/doc.go states:
//
//	calls, results   tool calls; of an agent without tools the actions it writes, and
//	                 each page that it is shown unasked; and what answered them
//	pages            results that show a page, whole
//	models           requests to the model; where the file tells of none, one a call
//	tokens           o200k_base, each text by itself: model is what it said and its tool
//	                 calls (name, space, arguments as JSON with sorted keys), results
//	                 are whole answers with their pages, pages the pages alone
//	input            over all requests, everything that came before each
//	vendor           input tokens by the vendor's own count in the file
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const VERSION = '1.0.21';

function tokenizer() {
  const home = path.join(os.tmpdir(), 'snapscope-tiktoken-' + VERSION);
  if (!fs.existsSync(path.join(home, 'node_modules', 'js-tiktoken', 'package.json'))) {
    fs.mkdirSync(home, { recursive: true });
    fs.writeFileSync(path.join(home, 'package.json'), '{"private":true}');
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', 'js-tiktoken@' + VERSION],
      { cwd: home, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  return createRequire(path.join(home, 'package.json'))('js-tiktoken').getEncoding('o200k_base');
}

const enc = tokenizer();
const tokens = text => enc.encode(text, 'all').length;

// sorted is JSON with the keys of every object in order.
function sorted(v) {
  if (Array.isArray(v)) return '[' + v.map(sorted).join(',') + ']';
  if (v && typeof v === 'object') {
    return '{' + Object.keys(v).sort().map(k => JSON.stringify(k) + ':' + sorted(v[k])).join(',') + '}';
  }
  return JSON.stringify(v);
}

// Parts gathers a session.
class Parts {
  list = [];
  calls = 0; results = 0; pages = 0; models = 0; pictures = 0; vendor = 0;
  open = false; // a request was made and nothing came back since
  add(kind, text, page = '') { this.list.push({ kind, n: tokens(text), page: page ? tokens(page) : 0 }); }
  model(usage = 0) { this.models++; this.open = true; this.vendor += usage; this.list.push({ kind: 'request' }); }
  ensure() { if (!this.open) this.model(); }
  system(t) { for (const p of this.list) if (p.kind === 'clear') p.part++; this.list.unshift({ kind: 'system', n: tokens(t), page: 0 }); }
  define(t) { this.list.unshift({ kind: 'definitions', n: tokens(t), page: 0 }); }
  user(t) { this.open = false; if (t.trim()) this.add('user', t); }
  said(t) { if (t) this.add('model', t); }
  call(name, args) { this.calls++; this.add('model', name + ' ' + sorted(args ?? {})); }
  spoken() { this.calls++; }
  result(t, page = '', shows = page !== '') { this.open = false; this.results++; this.pages += shows ? 1 : 0; this.add('results', t, page); }
  clear(part) { this.list.push({ kind: 'clear', part }); }
  sum() {
    const t = { system: 0, user: 0, model: 0, results: 0, pages: 0, input: 0 };
    let sofar = 0;
    for (const p of this.list) {
      if (p.kind === 'request') { t.input += sofar; continue; }
      if (p.kind === 'clear') { sofar += tokens('[Browser snapshot expired - content cleared]') - this.list[p.part].n; continue; }
      if (p.kind !== 'definitions') t[p.kind] += p.n;
      t.pages += p.page;
      sofar += p.n;
    }
    const { calls, results, pages, models, pictures, vendor } = this;
    return { calls, results, pages, models, pictures, vendor, tokens: t };
  }
}

const read = file => fs.readFileSync(path.join(here, file), 'utf8');
const lines = file => read(file).split('\n').filter(l => l.trim()).map(l => JSON.parse(l));

// fenced is the page in a Playwright server's answer.
const fenced = text => /```yaml\n([\s\S]*?)\n?```(?=\n|$)/.exec(text)?.[1] ?? '';

// Pages in messages: marked off by the agent, or the run of lines that look so.
const ELEMENT = /^[ \t]*(\*?\[\w+\][ *]?[\w<]|- \[\d+\] <|(RootWebArea|StaticText) ['"])/;
function shownIn(text) {
  const marked = /\[Start of page\]\n+([\s\S]*?)\n+\[End of page\]/.exec(text);
  if (marked) return marked[1];
  const all = text.split('\n');
  const row = /\[\d+\]: (<\w+> )?"[\s\S]*";(?=\n|$)/.exec(text); // WebVoyager's, with tabs between the elements
  if (row) return row[0];
  const hit = all.map((l, i) => ELEMENT.test(l) ? i : -1).filter(i => i >= 0);
  return hit.length < 2 ? '' : all.slice(hit[0], hit.at(-1) + 1).join('\n');
}

const ENDS = new Set(['done', 'completion', 'stop', 'answer', 'send_msg_to_user']);
const isEnd = name => ENDS.has(name.toLowerCase());

// asked lists the browser actions that a reply writes down.
function asked(text) {
  const json = /\{[\s\S]*\}/.exec(text);
  if (json) {
    const a = JSON.parse(json[0]).action;
    return (Array.isArray(a) ? a : [a]).map(x => x.type ?? Object.keys(x)[0]).filter(n => !isEnd(n));
  }
  const m = /<action>\s*(\w+)/.exec(text) ?? /Action:\s*(\w+)/.exec(text) ?? /```(\w+)[ (]/.exec(text);
  return m && !isEnd(m[1]) ? [m[1]] : [];
}

// messages reads a list of messages in whose user messages the pages stand.
function messages(file) {
  const doc = JSON.parse(read(file));
  const p = new Parts();
  let waiting = 0, seen = false;
  const carriers = new Set(); // tool calls that only wrap what the model said
  const answer = (text, page) => {
    for (; waiting > 1; waiting--) p.result('');
    waiting = 0;
    p.result(text, page);
  };
  for (const raw of Array.isArray(doc) ? doc : doc.messages) {
    const m = raw.kwargs ?? raw;
    const role = m.role ?? {
      SystemMessage: 'system', HumanMessage: 'user', AIMessage: 'assistant', ToolMessage: 'tool', system: 'system', human: 'user', ai: 'assistant', tool: 'tool',
    }[Array.isArray(raw.id) ? raw.id.at(-1) : raw.type];
    const blocks = typeof m.content === 'string' ? [{ type: 'text', text: m.content }] : m.content;
    const text = blocks.filter(b => b.type === 'text').map(b => b.text).join('\n');
    p.pictures += blocks.filter(b => b.type === 'image_url').length;
    if (role === 'system') p.system(text);
    if (role === 'user') {
      const page = shownIn(text);
      if (!page && !waiting) { p.user(text); continue; }
      if (page && !waiting) { p.spoken(); waiting = 1; }
      seen ||= page !== '';
      answer(text, page);
    }
    if (role === 'tool' && !carriers.has(m.tool_call_id)) p.result(text);
    if (role === 'assistant') {
      p.model(m.usage_metadata?.input_tokens);
      const calls = m.tool_calls ?? [];
      let said = text;
      for (const c of calls) {
        const name = c.function?.name ?? c.name;
        const args = c.function ? JSON.parse(c.function.arguments) : c.args;
        if (name === 'AgentOutput' && seen) {
          carriers.add(c.id);
          said += (said && '\n') + name + ' ' + sorted(args);
          args.action.map(a => Object.keys(a)[0]).filter(n => !isEnd(n)).forEach(() => { p.spoken(); waiting++; });
        } else {
          p.call(name, args);
        }
      }
      if (!calls.length && seen) asked(text).forEach(() => { p.spoken(); waiting++; });
      p.said(said);
    }
  }
  p.vendor += doc.usage?.prompt_tokens ?? 0;
  return p;
}

// openOperator reads a run of an evaluation: what a request no longer holds is cleared.
function openOperator(file) {
  const p = new Parts(), told = new Set();
  let waiting = 0, held = [];
  for (const call of JSON.parse(read(file)).steps.flatMap(s => s.llm_calls)) {
    const now = call.messages_in.map(m => m.content), keep = [];
    call.messages_in.forEach((m, i) => {
      if (told.has(m.content) && !(waiting && i === now.length - 1)) return;
      told.add(m.content);
      const page = m.role === 'user' ? shownIn(m.content) : '';
      if (m.role === 'system') p.system(m.content);
      else if (!page) p.user(m.content);
      else {
        if (!waiting) { p.spoken(); waiting = 1; }
        for (; waiting > 1; waiting--) p.result('');
        waiting = 0;
        p.result(m.content, page);
        keep.push({ text: m.content, part: p.list.length - 1 });
        held = held.filter(h => h.text !== m.content || p.clear(h.part));
      }
    });
    for (const h of held) if (now.includes(h.text)) keep.push(h); else p.clear(h.part);
    held = keep;
    p.model(call.input_tokens);
    p.said(call.message_out.content);
    asked(call.message_out.content).forEach(() => { p.spoken(); waiting++; });
  }
  return p;
}

// browserUse reads a history list.
function browserUse(file) {
  const p = new Parts();
  for (const h of JSON.parse(read(file)).history) {
    const o = h.model_output, s = o.current_state ?? o;
    p.model(h.metadata.input_tokens);
    p.said(['thinking', 'evaluation_previous_goal', 'memory', 'next_goal'].map(k => s[k]).filter(Boolean).join('\n'));
    for (const a of o.action) p.call(...Object.entries(a)[0]);
    for (const r of h.result) p.result(r.error ?? r.extracted_content);
  }
  return p;
}

// gemini reads a chat in either form.
function gemini(list) {
  const p = new Parts(), asked = new Set(), called = new Set();
  for (const m of list) {
    if (m.type === 'user') p.user(m.content);
    if (m.type !== 'gemini') continue;
    if (!asked.has(m.id)) { asked.add(m.id); p.model(); p.said(m.content); }
    if (m.tokens) p.vendor += m.tokens.input;
    for (const c of m.toolCalls ?? []) {
      if (called.has(c.id)) continue;
      called.add(c.id);
      p.call(c.name, c.args);
      p.pictures += c.result.filter(x => x.inlineData).length;
      const text = c.result.map(x => x.functionResponse?.response.output ?? x.text).filter(x => x !== undefined).join('\n');
      p.result(text, fenced(text));
    }
  }
  return p;
}

// geminiStream reads what the program writes while it works.
function geminiStream(file) {
  const p = new Parts();
  let said = null;
  const speak = () => { if (said !== null) p.said(said); said = null; };
  for (const e of lines(file)) {
    if (e.type === 'message' && e.role === 'assistant') { p.ensure(); said = (said ?? '') + e.content; continue; }
    if (e.type === 'message') p.user(e.content);
    if (e.type === 'tool_use') { p.ensure(); speak(); p.call(e.tool_name, e.parameters); }
    if (e.type === 'tool_result') p.result(e.output, fenced(e.output));
  }
  speak();
  return p;
}

function copilot(file) {
  const p = new Parts(), asked = new Set();
  for (const { type, data: d } of lines(file)) {
    if (type === 'user.message') p.user(d.content);
    if (type === 'assistant.message') {
      p.model();
      p.said(d.content);
      for (const r of d.toolRequests) { asked.add(r.toolCallId); p.call(r.name, r.arguments); }
    }
    if (type === 'assistant.usage') p.vendor += d.inputTokens;
    if (type === 'tool.execution_start' && !asked.has(d.toolCallId)) { p.ensure(); p.call(d.toolName, d.arguments); }
    if (type === 'tool.execution_complete') {
      const text = d.result?.content ?? d.error.message;
      p.result(text, fenced(text));
    }
  }
  return p;
}

function codex(file) {
  const p = new Parts();
  let own = false;
  for (const { type, payload: d } of lines(file)) {
    if (type === 'token_usage_record') { p.vendor += d.usage.input_tokens; own = true; } // the counts behind repeat it
    if (type === 'session_meta' && d.base_instructions) p.system(d.base_instructions.text);
    if (type === 'event_msg' && d.type === 'token_count' && !own) p.vendor += d.info.last_token_usage.input_tokens;
    if (type !== 'response_item') continue;
    const text = d.content?.map(c => c.text).join('\n');
    switch (d.type) {
      case 'message':
        if (d.role === 'developer') p.system(text); else if (d.role === 'user') p.user(text); else { p.ensure(); p.said(text); }
        break;
      case 'web_search_call': // the vendor searches while the request goes on
        p.ensure(); p.call('web_search', d.action); p.result(''); p.open = true;
        break;
      case 'tool_search_call': p.ensure(); p.call('tool_search', d.arguments); break;
      case 'tool_search_output': p.result(JSON.stringify(d.tools)); break;
      case 'function_call': p.ensure(); p.call((d.namespace ? d.namespace + '__' : '') + d.name, JSON.parse(d.arguments)); break;
      case 'function_call_output': {
        if (Array.isArray(d.output)) { // a list of texts; a cut page ends with its head's fence open and its tail closed
          const all = d.output.map(b => b.text).join('\n');
          p.result(all, fenced(all));
          break;
        }
        const inner = JSON.parse(d.output.slice(d.output.indexOf('['))).map(b => b.text).join('\n');
        p.result(d.output, JSON.stringify(fenced(inner)).slice(1, -1));
      }
    }
  }
  return p;
}

// claudeRequests reads a session of Claude Code that keeps its requests: what each begins with.
function claudeRequests(file) {
  const p = new Parts(), asked = new Set();
  for (const { type, message: m, shape } of lines(file)) {
    if (type === 'api-request-shape') {
      p.system(shape.system.map(b => b.text).join('\n'));
      for (const t of shape.tools) p.define(JSON.stringify(t));
    }
    if (type === 'api-request-blob' && p.models === 0) {
      for (const b of m.content) if (b.text.startsWith('<system-reminder>')) p.system(b.text);
    }
    if (type === 'user' && typeof m.content === 'string') p.user(m.content);
    if (type === 'user' && Array.isArray(m.content)) {
      for (const b of m.content) { const text = b.content.map(c => c.text).join('\n'); p.result(text, fenced(text)); }
    }
    if (type === 'assistant') {
      const u = m.usage;
      if (!asked.has(m.id)) p.model(u.input_tokens + u.cache_read_input_tokens + u.cache_creation_input_tokens);
      asked.add(m.id);
      for (const b of m.content) if (b.type === 'tool_use') p.call(b.name, b.input); else p.said(b.text);
    }
  }
  return p;
}

// openCode reads an exported conversation.
function openCode(file) {
  const p = new Parts();
  for (const turn of read(file).split(/^## (?=User|Assistant)/m).slice(1)) {
    const body = turn.slice(turn.indexOf('\n') + 1).replace(/\n---\s*$/, '');
    if (turn.startsWith('User')) { p.user(body.trim()); continue; }
    p.model();
    const [said, ...tools] = body.split(/^\*\*Tool: /m);
    p.said(said.trim());
    for (const t of tools) {
      const m = /^(.*)\*\*\n+\*\*Input:\*\*\n```json\n([\s\S]*?)\n```\n+\*\*Output:\*\*\n```\n([\s\S]*)\n```\s*$/.exec(t);
      p.call(m[1], JSON.parse(m[2]));
      p.result(m[3], fenced(m[3]));
    }
  }
  return p;
}

function openFleet(file) {
  const p = new Parts();
  for (const part of read(file).split(/^## (?=Tool Use|Tool Result|User Message|Assistant Message)/m).slice(1)) {
    const json = at => JSON.parse(/```json\n([\s\S]*?)\n```(?=\n|$)/.exec(part.slice(part.indexOf(at)))[1]);
    const name = /^Tool \w+: (.*)$/m.exec(part)?.[1];
    const body = part.slice(part.indexOf('\n') + 1).replace(/\n---\s*$/, '').replace(/^\*\*Timestamp\*\*: .*$/m, '').trim();
    if (part.startsWith('Tool Use')) { p.ensure(); p.call(name, json('### Input')); }
    if (part.startsWith('Tool Result')) {
      const text = json('### Output').output;
      const page = fenced(JSON.parse(text).map(b => b.text).join('\n'));
      p.result(text, JSON.stringify(page).slice(1, -1));
    }
    if (part.startsWith('User')) p.user(body);
    if (part.startsWith('Assistant')) { p.model(); p.said(body); }
  }
  return p;
}

// sessionLog reads Playwright MCP's own log. The answers are put together as the
// server gave them; what a person did in between was told to no model.
function sessionLog(file) {
  const p = new Parts();
  for (const e of read(file).split(/^### (?=Tool call|User action)/m).slice(1)) {
    if (!e.startsWith('Tool call')) continue;
    const tool = /^Tool call: (.*)$/m.exec(e)[1];
    const block = name => new RegExp(`^- ${name}\\n\`\`\`\\w*\\n([\\s\\S]*?)\\n\`\`\``, 'm').exec(e)?.[1];
    const args = JSON.parse(block('Args')), out = [];
    const said = block('Result') ?? block('Error'), code = block('Code'), link = /^- Snapshot: (.*)$/m.exec(e)?.[1];
    if (said !== undefined) out.push('### Result', said);
    if (code !== undefined) out.push('### Ran Playwright code', '```js', code, '```');
    const page = link === undefined ? '' : read(path.join(path.dirname(file), link)).replace(/\n+$/, '');
    if (link !== undefined) out.push('### Page state', '- Page Snapshot:', '```yaml', page, '```');
    if (tool === 'browser_take_screenshot' && !args.fullPage) p.pictures++;
    p.model();
    p.call(tool, args);
    p.result(out.join('\n'), page, link !== undefined);
  }
  return p;
}

const FILES = {
  'user-pages/browser-use-langchain.json': messages,
  'user-pages/notte.json': messages,
  'user-pages/convergence.json': messages,
  'user-pages/webvoyager.json': messages,
  'user-pages/webvoyager-own.json': messages,
  'user-pages/langchain-types.json': messages,
  'open-operator/results.json': openOperator,
  'user-pages/webarena.json': messages,
  'user-pages/browsergym.json': messages,
  'user-pages/agentlab.json': messages,
  'browser-use/history-tokens.json': browserUse,
  'gemini/session-2026-02-03T09-00-0a1b2c3d.json': f => gemini(JSON.parse(read(f)).messages),
  'gemini/session-2026-02-03T09-00-0a1b2c3d.jsonl': f => gemini(lines(f)),
  'gemini/stream.jsonl': geminiStream,
  'copilot/events.jsonl': copilot,
  'codex/rollout-2026-02-03T09-05-00-0200.jsonl': codex,
  'codex/rollout-2026-03-01T10-00-00-0300.jsonl': codex,
  'claude-code/5f1d0000-0000-4000-8000-000000000330.jsonl': claudeRequests,
  'opencode/session-ses_7.md': openCode,
  'openfleet/ses_4023.md': openFleet,
  'session-person/session.md': sessionLog,
};

const got = {};
for (const [file, reader] of Object.entries(FILES)) got[file] = reader(file).sum();
const store = path.join(here, 'counts.json');
const text = '{\n' + Object.entries(got).map(([f, c]) => ` ${JSON.stringify(f)}: ${JSON.stringify(c)}`).join(',\n') + '\n}\n';
if (process.argv.includes('--store')) {
  fs.writeFileSync(store, text);
} else if (fs.readFileSync(store, 'utf8') !== text) {
  console.log(text);
  console.error('counts.json says otherwise');
  process.exit(1);
}
