// Package notation is the one reader and printer of the lines in which browser
// agents are shown a page: role, name, states, value, and the handle ("ref") by
// which an element is acted on.
//
// There are three views of the same text, from small to large:
//
//   - ReadLine reads one line of any dialect, with the byte spans of its parts.
//   - Text is a whole page read once: its tree by line numbers, its refs.
//     Details are read again from the line when they are asked for, so it takes
//     a few dozen bytes a line. A Cache shares Texts.
//   - Parse and Print hold aria text as a tree of nodes, for those who rewrite
//     it. Print of Parse gives any text back to the byte.
//
// Only the element that a line itself shows counts. "[ref=e9]" inside a name or a
// text is something the page says, and a page may say anything; it is never a
// handle. Whoever wants to know what a text shows asks here and nowhere else:
// no other package looks for the marks of a dialect in a string.
//
// Page text is hostile: every function takes any bytes, none panics, none takes
// more than linear time.
package notation

// Dialect names the notation a page's text is written in.
type Dialect string

// The dialects that are read. The zero Dialect is for a text nobody named one
// for: it is read as Aria, and lines with a uid as UID.
const (
	Aria         Dialect = "aria"          // Playwright, ariaSnapshot in AI mode: - button "Save" [ref=e12]
	UID          Dialect = "uid"           // chrome-devtools-mcp: uid=1_21 checkbox "Select" checked
	AgentBrowser Dialect = "agent-browser" // agent-browser: - checkbox "Select" [checked=false, ref=e30]
	Index        Dialect = "index"         // browser-use: [12]<button type=submit>Go</button>, *[12]<… for a new one
	AXTree       Dialect = "axtree"        // WebVoyager, BrowserGym, AgentLab: [12] button 'Go' focused: True
	Loose        Dialect = "loose"         // anything else that shows a page, told by LooksLikeSnapshot alone
)

// Kind says what a line is.
type Kind uint8

// The kinds of a line.
const (
	OtherLine     Kind = iota // nothing a tree is made of; blank lines too
	ElementLine               // - button "Save" [ref=e5]
	ChangedLine               // - <changed> button "Save" [ref=e5]: an element, the root of a change
	UnchangedLine             // - ref=e4 [unchanged]: names an element that is not printed
	TextLine                  // - text: words between elements
	PropertyLine              // - /url: https://example.com
)

// Span is a part of a line: bytes From to To, To exclusive.
type Span struct{ From, To int }

// Of cuts the span out of the line it was found in.
func (s Span) Of(line string) string { return line[s.From:s.To] }

// Empty reports a span without bytes: the part is not there, or empty.
func (s Span) Empty() bool { return s.From >= s.To }

// Line is one line taken apart. Role and Ref are parts of Raw; what may have to
// be unquoted first (Name, Value) is a method.
type Line struct {
	Raw    string
	Kind   Kind
	Indent int    // leading spaces and tabs
	Role   string // of an element; "text" of a text; a property's key without its slash
	Ref    string // the element's handle, or the one an UnchangedLine names; "" where there is none

	HasName  bool // a name is written, be it empty
	HasValue bool // a value is written behind the key
	Whole    bool // every byte of the line has its place in the notation

	KeyAt    Span // role, name and attributes, with the quotes around a quoted key
	RoleAt   Span
	NameAt   Span // with its quotes; a /pattern/ with its slashes
	AttrsAt  Span // all attributes, with their brackets
	RefAt    Span // the ref alone
	ValueAt  Span // as it is written, without white space around it
	dialect  Dialect
	doubled  bool // the key is quoted: a single quote in it is written twice
	together bool // several attributes share a bracket, as agent-browser writes them

	bracketed bool // attributes stand in brackets, not as words
}

// IsElement reports a line that shows an element.
func (l *Line) IsElement() bool { return l.Kind == ElementLine || l.Kind == ChangedLine }

// Own is the handle of the element that the line shows: unlike Ref it is empty
// for a line that only names an element shown elsewhere.
func (l *Line) Own() string {
	if l.IsElement() {
		return l.Ref
	}
	return ""
}

// ReadLine reads one line, given without its line break. A carriage return at
// its end is white space.
func ReadLine(raw string, d Dialect) Line {
	var l Line
	l.read(raw, d)
	return l
}

// Own is the handle of the element that a line shows, "" for none.
func Own(line string, d Dialect) string {
	var l Line
	l.read(line, d)
	return l.Own()
}

func (l *Line) read(raw string, d Dialect) {
	*l = Line{Raw: raw, Indent: indentOf(raw), dialect: d}
	switch d {
	case UID:
		l.readUID()
	case Index:
		l.readIndex()
	case AXTree:
		l.readAXTree()
	case Loose:
		l.readLoose()
	case "":
		if !l.readDash() {
			l.readUID()
		}
	default:
		l.readDash()
	}
}

// Indent is the number of leading spaces of a line.
func Indent(line string) int {
	n := 0
	for n < len(line) && line[n] == ' ' {
		n++
	}
	return n
}

// indentOf counts leading tabs as well.
func indentOf(line string) int {
	n := 0
	for n < len(line) && (line[n] == ' ' || line[n] == '\t') {
		n++
	}
	return n
}

func word(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// wordEnd is the end of the run of word characters that begins at i.
func wordEnd(s string, i int) int {
	for i < len(s) && word(s[i]) {
		i++
	}
	return i
}

// trim takes white space off both ends of a span.
func trim(line string, s Span) Span {
	for s.From < s.To && blank(line[s.From]) {
		s.From++
	}
	for s.From < s.To && blank(line[s.To-1]) {
		s.To--
	}
	return s
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }
