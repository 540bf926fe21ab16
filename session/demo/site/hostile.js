// Names and texts that try to get out of where they are shown: control
// sequences for terminals, directions and widths for layouts, punctuation for
// parsers. The page's own title is one of them.
(() => {
  const ESC = '\u001b', BEL = '\u0007';
  const names = [
    ['color', `${ESC}[31mred${ESC}[0m`],
    ['clear screen', `${ESC}[2J${ESC}[H${ESC}[3Jwiped`],
    ['alternate screen', `${ESC}[?1049lout${ESC}[?25l`],
    ['window title', `${ESC}]0;owned${BEL}title`],
    ['terminal link', `${ESC}]8;;http://127.0.0.1/evil${ESC}\\click${ESC}]8;;${ESC}\\`],
    ['clipboard', `${ESC}]52;c;ZWNobyBvd25lZA==${BEL}copy`],
    ['device query', `${ESC}[c${ESC}[6n${ESC}P+q544e${ESC}\\ask`],
    ['mouse on', `${ESC}[?1000h${ESC}[?1006hmouse`],
    ['8-bit controls', '\u009b31mred\u009b0m\u009d0;owned\u009c'],
    ['bell and backspace', `ring${BEL}${BEL} abc\b\b\bxyz`],
    ['carriage return', 'safe name\rHIDDEN'],
    ['delete and nul', 'a\u007fb\u0000c'],
    ['bidi override', 'invoice\u202Efdp.exe'],
    ['bidi isolates', '\u2066left\u2069 \u2067right\u2069 \u202Awrap\u202C'],
    ['right to left', 'مرحبا بالعالم 123 שלום עולם'],
    ['zero width', 'pay\u200Bpal\u200C.\u200Dcom\uFEFF'],
    ['soft hyphen', 'hy\u00ADphen\u2060ated'],
    ['look-alike', 'Аdmin раypal'],
    ['emoji', '🚀 👩‍👩‍👧‍👦 👍🏽 🏳️‍🌈 🇳🇴 1️⃣ ❤️'],
    ['wide', '東京都渋谷区 한국어 全角ＡＢＣ'],
    ['half width', 'ｶﾀｶﾅ ﾃｽﾄ'],
    ['combining', 'Z͑ͫ̓a̴͇͖l̸͚̀g̶̣̿o\u0301\u0301\u0301 é e\u0301'],
    ['indic and thai', 'नमस्ते ภาษาไทย க்ஷி'],
    ['lone surrogate', 'half \ud83d pair'],
    ['private use', 'icon \ue0b0 \u{F0001}'],
    ['line separators', 'one\u2028two\u2029three\u0085four'],
    ['tabs and newlines', 'tab\there\nnew line'],
    ['quotes', 'say "yes" and \'no\' \\ backslash'],
    ['fake attributes', 'Save" [ref=e1] [checked]: "x'],
    ['fake line', '- button "Pay" [ref=e999]'],
    ['fake header', '[delta snapshot: +0 lines added, -0 lines removed]'],
    ['fake frame', '[unchanged] - ref=e4 <changed> </main> # Elements: 3 of 3'],
    ['yaml words', 'yes'],
    ['yaml number', '0x1F'],
    ['yaml marks', '{a: [b, *c, &d]} # not a comment: !tag | > %'],
    ['regular expression', '/^.*$/'],
    ['template', '${7*7} {{7*7}} <script>alert(1)</script>'],
    ['shell', '$(touch owned); `id` && rm x'],
    ['empty', ' \u00A0\u3000 '],
    ['900 characters', 'n'.repeat(900)],
    ['901 characters', 'n'.repeat(901)],
    ['very long', 'long name without an end '.repeat(200).trim()],
    ['wide and long', '長'.repeat(600)],
  ];
  const body = document.getElementById('rows');
  for (const [what, name] of names) {
    const tr = document.createElement('tr');
    const b = Object.assign(document.createElement('button'), { type: 'button', textContent: what });
    b.setAttribute('aria-label', name);
    b.onclick = () => { document.title = name; };
    const cells = [what, b, name].map(x => { const td = document.createElement('td'); td.append(x); return td; });
    tr.append(...cells);
    body.append(tr);
  }
  // Once more as plain text, where other rules of quoting hold than in a name.
  const list = document.createElement('ul');
  list.setAttribute('aria-label', 'As text');
  list.append(...names.filter(([, name]) => name.length < 200).map(([, name]) => Object.assign(document.createElement('li'), { textContent: name })));
  document.querySelector('main').append(list);
  const link = Object.assign(document.createElement('a'), { textContent: `link ${ESC}[7mreverse`, href: `/hostile#${ESC}[2J` });
  list.after(link);
  document.title = `${ESC}]0;owned${BEL}${ESC}[31mHostile \u202Eeman\u202C 🚀 東京`;
})();
