package draw

// Theme gives every meaning on the screen its look. Drawing code names
// meanings, never colours, so that a theme without colour can tell all of them
// apart by sign, bold, underline and reverse.
type Theme struct {
	Name string

	Text   Style // what is read
	Strong Style // what is read first
	Dim    Style // labels
	Faint  Style // what only guides: rules, indents, dropped lines
	Accent Style // the one accent: where the person is
	Key    Style // a key in a hint

	// the parts of a snapshot line
	Role, Label, State, Ref, Value Style

	// the marks of a line; the line styles lie under the syntax colours
	Add, Del, Change, Gap, Message    Style
	AddLine, DelLine, ChangeLine      Style
	AddWord, DelWord                  Style
	Good, Bad, Warn                   Style
	Loss                              Style // the loudest thing on the screen
	Cursor, Match, MatchNow, Dialog   Style
	BarLive, BarOther, BarHit, BarOld Style // context bars: live snapshots, the rest, cached, expired
}

// ThemeNames are the themes in the order that t walks through.
var ThemeNames = []string{"dark", "light", "contrast", "mono"}

// ThemeOf answers a theme by name; an unknown name is dark.
func ThemeOf(name string) *Theme {
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

func fg(rgb uint32) Style { return Style{Fg: hex(rgb)} }

func bg(rgb uint32) Style { return Style{Bg: hex(rgb)} }

func (s Style) As(a attr) Style { s.Attr |= a; return s }

func Both(front, back uint32) Style { return Style{Fg: hex(front), Bg: hex(back)} }

func attrs(a attr) Style { return Style{Attr: a} }

func (t *Theme) Savings(r float64) Style {
	switch {
	case r >= 0.0005: // what delta writes as 0.0 % is neither
		return t.Good
	case r <= -0.0005:
		return t.Bad
	}
	return t.Dim
}

func darkTheme() *Theme {
	return &Theme{
		Name: "dark",
		Text: fg(0xd5d9e0), Strong: fg(0xf2f4f8).As(Bold), Dim: fg(0x98a2b0), Faint: fg(0x667180),
		Accent: fg(0x5ccfe6).As(Bold), Key: fg(0x5ccfe6),
		Role: fg(0x86b3dd), Label: fg(0xe3e6eb), State: fg(0xc3a6e0), Ref: fg(0x9aa7b8), Value: fg(0xd9c08a),
		Add: fg(0x7fd18b).As(Bold), Del: fg(0xf28b8b).As(Bold), Change: fg(0xe5c07b).As(Bold), Gap: fg(0x8591a1).As(Italic), Message: fg(0xc9a5f7),
		AddLine: bg(0x17301f), DelLine: bg(0x371c20), ChangeLine: bg(0x2e2a17),
		AddWord: Both(0xd4f7d9, 0x2a6138).As(Bold), DelWord: Both(0xffdada, 0x733037).As(Bold),
		Good: fg(0x7fd18b), Bad: fg(0xf28b8b), Warn: fg(0xe8b45f),
		Loss:   Both(0xffffff, 0xc4314b).As(Bold),
		Cursor: bg(0x2a3441), Match: Both(0x1c1c1c, 0xe5c07b), MatchNow: Both(0x101010, 0xff9e3b).As(Bold), Dialog: Both(0xd5d9e0, 0x20262e),
		BarLive: fg(0x5ccfe6), BarOther: fg(0x6f7c8c), BarHit: fg(0x3f7f8f), BarOld: fg(0x667180),
	}
}

func lightTheme() *Theme {
	return &Theme{
		Name: "light",
		Text: fg(0x24292f), Strong: fg(0x0b0e12).As(Bold), Dim: fg(0x5b6570), Faint: fg(0x848d97),
		Accent: fg(0x006d85).As(Bold), Key: fg(0x006d85),
		Role: fg(0x1f5fa8), Label: fg(0x16191d), State: fg(0x7a3fae), Ref: fg(0x5a6672), Value: fg(0x7d5a00),
		Add: fg(0x1a7f37).As(Bold), Del: fg(0xc02630).As(Bold), Change: fg(0x8a5a00).As(Bold), Gap: fg(0x68717b).As(Italic), Message: fg(0x6b34b5),
		AddLine: bg(0xdff5e3), DelLine: bg(0xfde5e6), ChangeLine: bg(0xfbf1d5),
		AddWord: Both(0x0c3d1a, 0x9be3ac).As(Bold), DelWord: Both(0x5e0d13, 0xf7b4b8).As(Bold),
		Good: fg(0x1a7f37), Bad: fg(0xc02630), Warn: fg(0x975a00),
		Loss:   Both(0xffffff, 0xc4213b).As(Bold),
		Cursor: bg(0xe3edf4), Match: Both(0x24292f, 0xffe08a), MatchNow: Both(0x24292f, 0xffb347).As(Bold), Dialog: Both(0x24292f, 0xf1f4f7),
		BarLive: fg(0x00809c), BarOther: fg(0x7d8894), BarHit: fg(0x4f94a5), BarOld: fg(0x868e96),
	}
}

func contrastTheme() *Theme {
	return &Theme{
		Name: "contrast",
		Text: Both(0xffffff, 0x000000), Strong: Both(0xffffff, 0x000000).As(Bold), Dim: Both(0xe0e0e0, 0x000000), Faint: Both(0xb0b0b0, 0x000000),
		Accent: Both(0x00ffff, 0x000000).As(Bold), Key: Both(0x00ffff, 0x000000).As(Bold),
		Role: Both(0x9ecbff, 0x000000), Label: Both(0xffffff, 0x000000), State: Both(0xe6b3ff, 0x000000), Ref: Both(0xc8c8c8, 0x000000), Value: Both(0xffe680, 0x000000),
		Add: fg(0x5cff5c).As(Bold), Del: fg(0xff7a7a).As(Bold), Change: fg(0xffe14d).As(Bold), Gap: Both(0xe0e0e0, 0x000000).As(Italic), Message: Both(0xe6b3ff, 0x000000).As(Bold),
		AddLine: bg(0x003d00), DelLine: bg(0x560000), ChangeLine: bg(0x3d3500),
		AddWord: Both(0x000000, 0x5cff5c).As(Bold), DelWord: Both(0x000000, 0xff7a7a).As(Bold),
		Good: Both(0x5cff5c, 0x000000).As(Bold), Bad: Both(0xff7a7a, 0x000000).As(Bold), Warn: Both(0xffd24d, 0x000000).As(Bold),
		Loss:   Both(0xffffff, 0xe00000).As(Bold | Underline),
		Cursor: bg(0x004a7c), Match: Both(0x000000, 0xffff00), MatchNow: Both(0x000000, 0xffa500).As(Bold), Dialog: Both(0xffffff, 0x1a1a1a),
		BarLive: Both(0x00ffff, 0x000000), BarOther: Both(0xffffff, 0x000000), BarHit: Both(0x6aa8ff, 0x000000), BarOld: Both(0x909090, 0x000000),
	}
}

// monoTheme uses no colour at all (NO_COLOR): attributes only.
func monoTheme() *Theme {
	return &Theme{
		Name: "mono",
		Text: Style{}, Strong: attrs(Bold), Dim: Style{}, Faint: attrs(faint),
		Accent: attrs(Bold), Key: attrs(Bold),
		Role: Style{}, Label: attrs(Bold), State: attrs(Underline), Ref: attrs(faint), Value: Style{},
		Add: attrs(Bold), Del: attrs(Bold), Change: attrs(Bold), Gap: attrs(Italic), Message: attrs(Italic),
		AddLine: Style{}, DelLine: attrs(faint), ChangeLine: Style{},
		AddWord: attrs(Underline | Bold), DelWord: attrs(Underline),
		Good: Style{}, Bad: attrs(Bold), Warn: attrs(Bold),
		Loss:   attrs(reverse | Bold),
		Cursor: Style{}, Match: attrs(Underline | Bold), MatchNow: attrs(reverse | Bold), Dialog: Style{},
		BarLive: attrs(Bold), BarOther: Style{}, BarHit: Style{}, BarOld: attrs(faint),
	}
}
