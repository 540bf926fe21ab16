package tui

// theme gives every meaning on the screen its look. Drawing code names
// meanings, never colours, so that a theme without colour can tell all of them
// apart by sign, bold, underline and reverse.
type theme struct {
	name string

	text   style // what is read
	strong style // what is read first
	dim    style // labels
	faint  style // what only guides the eye: rules, indents, dropped lines
	accent style // the one accent: where the person is
	key    style // a key in a hint

	// the parts of a snapshot line
	role, label, state, ref, value style

	// the marks of a line; the line styles lie under the syntax colours
	add, del, change, gap, message    style
	addLine, delLine, changeLine      style
	addWord, delWord                  style
	good, bad, warn                   style
	loss                              style // the loudest thing on the screen
	cursor, match, matchNow, dialog   style
	barLive, barOther, barHit, barOld style // context bars: live snapshots, the rest, cached, expired
}

// themeNames are the themes in the order that t walks through.
var themeNames = []string{"dark", "light", "contrast", "mono"}

// themeOf answers a theme by name; an unknown name is dark.
func themeOf(name string) *theme {
	switch name {
	case "light":
		return lightTheme()
	case "contrast":
		return contrastTheme()
	case "mono", "none":
		return monoTheme()
	}
	return darkTheme()
}

func fg(rgb uint32) style           { return style{fg: hex(rgb)} }
func bg(rgb uint32) style           { return style{bg: hex(rgb)} }
func (s style) as(a attr) style     { s.attr |= a; return s }
func both(front, back uint32) style { return style{fg: hex(front), bg: hex(back)} }
func attrs(a attr) style            { return style{attr: a} }
func (t *theme) savings(r float64) style {
	switch {
	case r >= 0.0005: // what delta writes as 0.0 % is neither
		return t.good
	case r <= -0.0005:
		return t.bad
	}
	return t.dim
}

func darkTheme() *theme {
	return &theme{
		name: "dark",
		text: fg(0xd5d9e0), strong: fg(0xf2f4f8).as(bold), dim: fg(0x8d97a5), faint: fg(0x515b68),
		accent: fg(0x5ccfe6).as(bold), key: fg(0x5ccfe6),
		role: fg(0x86b3dd), label: fg(0xe3e6eb), state: fg(0xc3a6e0), ref: fg(0x667080), value: fg(0xd9c08a),
		add: fg(0x7fd18b).as(bold), del: fg(0xf28b8b).as(bold), change: fg(0xe5c07b).as(bold), gap: fg(0x7a8594).as(italic), message: fg(0xc9a5f7),
		addLine: bg(0x17301f), delLine: bg(0x371c20), changeLine: bg(0x2e2a17),
		addWord: both(0xd4f7d9, 0x2a6138).as(bold), delWord: both(0xffdada, 0x733037).as(bold),
		good: fg(0x7fd18b), bad: fg(0xf28b8b), warn: fg(0xe8b45f),
		loss:   both(0xffffff, 0xc4314b).as(bold),
		cursor: bg(0x2a3441), match: both(0x1c1c1c, 0xe5c07b), matchNow: both(0x101010, 0xff9e3b).as(bold), dialog: both(0xd5d9e0, 0x20262e),
		barLive: fg(0x5ccfe6), barOther: fg(0x6f7c8c), barHit: fg(0x3f7f8f), barOld: fg(0x3d4652),
	}
}

func lightTheme() *theme {
	return &theme{
		name: "light",
		text: fg(0x24292f), strong: fg(0x0b0e12).as(bold), dim: fg(0x5b6570), faint: fg(0xa9b1ba),
		accent: fg(0x006d85).as(bold), key: fg(0x006d85),
		role: fg(0x1f5fa8), label: fg(0x16191d), state: fg(0x7a3fae), ref: fg(0x8a929b), value: fg(0x7d5a00),
		add: fg(0x1a7f37).as(bold), del: fg(0xc02630).as(bold), change: fg(0x8a5a00).as(bold), gap: fg(0x68717b).as(italic), message: fg(0x6b34b5),
		addLine: bg(0xdff5e3), delLine: bg(0xfde5e6), changeLine: bg(0xfbf1d5),
		addWord: both(0x0c3d1a, 0x9be3ac).as(bold), delWord: both(0x5e0d13, 0xf7b4b8).as(bold),
		good: fg(0x1a7f37), bad: fg(0xc02630), warn: fg(0x975a00),
		loss:   both(0xffffff, 0xc4213b).as(bold),
		cursor: bg(0xe3edf4), match: both(0x24292f, 0xffe08a), matchNow: both(0x24292f, 0xffb347).as(bold), dialog: both(0x24292f, 0xf1f4f7),
		barLive: fg(0x00809c), barOther: fg(0x8c97a3), barHit: fg(0x7fb9c7), barOld: fg(0xc3cad1),
	}
}

func contrastTheme() *theme {
	return &theme{
		name: "contrast",
		text: both(0xffffff, 0x000000), strong: both(0xffffff, 0x000000).as(bold), dim: both(0xe0e0e0, 0x000000), faint: both(0xb0b0b0, 0x000000),
		accent: both(0x00ffff, 0x000000).as(bold), key: both(0x00ffff, 0x000000).as(bold),
		role: both(0x9ecbff, 0x000000), label: both(0xffffff, 0x000000), state: both(0xe6b3ff, 0x000000), ref: both(0xc8c8c8, 0x000000), value: both(0xffe680, 0x000000),
		add: fg(0x5cff5c).as(bold), del: fg(0xff7a7a).as(bold), change: fg(0xffe14d).as(bold), gap: both(0xe0e0e0, 0x000000).as(italic), message: both(0xe6b3ff, 0x000000).as(bold),
		addLine: bg(0x003d00), delLine: bg(0x560000), changeLine: bg(0x3d3500),
		addWord: both(0x000000, 0x5cff5c).as(bold), delWord: both(0x000000, 0xff7a7a).as(bold),
		good: both(0x5cff5c, 0x000000).as(bold), bad: both(0xff7a7a, 0x000000).as(bold), warn: both(0xffd24d, 0x000000).as(bold),
		loss:   both(0xffffff, 0xe00000).as(bold | underline),
		cursor: bg(0x004a7c), match: both(0x000000, 0xffff00), matchNow: both(0x000000, 0xffa500).as(bold), dialog: both(0xffffff, 0x1a1a1a),
		barLive: both(0x00ffff, 0x000000), barOther: both(0xffffff, 0x000000), barHit: both(0x6aa8ff, 0x000000), barOld: both(0x909090, 0x000000),
	}
}

// monoTheme uses no colour at all (NO_COLOR): attributes only.
func monoTheme() *theme {
	return &theme{
		name: "mono",
		text: style{}, strong: attrs(bold), dim: style{}, faint: attrs(faint),
		accent: attrs(bold), key: attrs(bold),
		role: style{}, label: attrs(bold), state: attrs(underline), ref: attrs(faint), value: style{},
		add: attrs(bold), del: attrs(bold), change: attrs(bold), gap: attrs(italic), message: attrs(italic),
		addLine: style{}, delLine: attrs(faint), changeLine: style{},
		addWord: attrs(underline | bold), delWord: attrs(underline),
		good: style{}, bad: attrs(bold), warn: attrs(bold),
		loss:   attrs(reverse | bold),
		cursor: style{}, match: attrs(underline | bold), matchNow: attrs(reverse | bold), dialog: style{},
		barLive: attrs(bold), barOther: style{}, barHit: style{}, barOld: attrs(faint),
	}
}
