package session

// Verb is an action in snapscope's own vocabulary, the words of a step script.
type Verb string

// The verbs.
const (
	VerbGoto       Verb = "goto"
	VerbBack       Verb = "back"
	VerbForward    Verb = "forward"
	VerbReload     Verb = "reload"
	VerbClick      Verb = "click"
	VerbDblClick   Verb = "dblclick"
	VerbHover      Verb = "hover"
	VerbFill       Verb = "fill"
	VerbType       Verb = "type"
	VerbPress      Verb = "press"
	VerbCheck      Verb = "check"
	VerbUncheck    Verb = "uncheck"
	VerbSelect     Verb = "select"
	VerbScroll     Verb = "scroll"
	VerbDrag       Verb = "drag"
	VerbUpload     Verb = "upload"
	VerbDialog     Verb = "dialog"
	VerbTab        Verb = "tab"
	VerbEvaluate   Verb = "evaluate"
	VerbWait       Verb = "wait"
	VerbSnapshot   Verb = "snapshot"
	VerbScreenshot Verb = "screenshot"
	VerbUser       Verb = "user"
	VerbNote       Verb = "note"
)

// ArgKind is what an argument of a verb holds.
type ArgKind uint8

// The kinds of arguments.
const (
	ArgText   ArgKind = iota // any text
	ArgNumber                // a number
	ArgBool                  // true or false
	ArgTarget                // a nested element: ref, role and name, or CSS
	ArgWords                 // a text or a list of texts
)

// Arg is one argument a verb takes besides its own target.
type Arg struct {
	Name     string
	Kind     ArgKind
	Required bool
	Choices  []string
	Doc      string
}

// VerbSpec is one row of the table of verbs: scripts, the command line, its
// completion and the help are all read off it.
type VerbSpec struct {
	Verb   Verb
	Target TargetUse
	Short  string // the argument that a bare value stands for: goto: URL
	Args   []Arg
	Doc    string
}

// Blind reports whether the tool's answer leaves the page out: what Playwright's
// tools answer to these two is a value and a picture.
func (v Verb) Blind() bool { return v == VerbEvaluate || v == VerbScreenshot }

// TargetUse says whether a verb acts on an element.
type TargetUse uint8

// How a verb uses a target.
const (
	TargetNone     TargetUse = iota
	TargetOptional           // the focused element or the page without one
	TargetRequired
)

// Verbs is the one table of actions.
var Verbs = []VerbSpec{
	{VerbGoto, TargetNone, "url", []Arg{{Name: "url", Required: true, Doc: "where to"}}, "open a URL"},
	{VerbBack, TargetNone, "", nil, "go back in history"},
	{VerbForward, TargetNone, "", nil, "go forward in history"},
	{VerbReload, TargetNone, "", nil, "load the page again"},
	{VerbClick, TargetRequired, "", []Arg{{Name: "button", Choices: []string{"left", "right", "middle"}, Doc: "mouse button"}}, "click an element"},
	{VerbDblClick, TargetRequired, "", nil, "click an element twice"},
	{VerbHover, TargetRequired, "", nil, "move the mouse onto an element"},
	{VerbFill, TargetRequired, "text", []Arg{{Name: "text", Required: true, Doc: "the new value"}}, "replace the value of a field"},
	{VerbType, TargetOptional, "text", []Arg{{Name: "text", Required: true, Doc: "what to type"}, {Name: "submit", Kind: ArgBool, Doc: "press Enter afterwards"}}, "type key by key"},
	{VerbPress, TargetOptional, "key", []Arg{{Name: "key", Required: true, Doc: "Enter, ArrowDown, Control+a, …"}}, "press a key"},
	{VerbCheck, TargetRequired, "", nil, "tick a checkbox or radio button"},
	{VerbUncheck, TargetRequired, "", nil, "untick a checkbox"},
	{VerbSelect, TargetRequired, "value", []Arg{{Name: "value", Kind: ArgWords, Required: true, Doc: "option label or value"}}, "choose options of a select"},
	{VerbScroll, TargetOptional, "to", []Arg{{Name: "to", Choices: []string{"top", "bottom"}, Doc: "an end of the page"}, {Name: "by", Kind: ArgNumber, Doc: "CSS pixels, down is positive"}}, "scroll the page or bring an element into view"},
	{VerbDrag, TargetRequired, "", []Arg{{Name: "to", Kind: ArgTarget, Required: true, Doc: "where to drop"}}, "drag one element onto another"},
	{VerbUpload, TargetRequired, "files", []Arg{{Name: "files", Kind: ArgWords, Required: true, Doc: "file paths"}}, "choose files"},
	{VerbDialog, TargetNone, "do", []Arg{{Name: "do", Required: true, Choices: []string{"accept", "dismiss"}, Doc: "how to answer"}, {Name: "text", Doc: "what to answer a prompt"}}, "answer an open dialog, or the next one"},
	{VerbTab, TargetNone, "do", []Arg{{Name: "do", Required: true, Choices: []string{"new", "switch", "close"}, Doc: "what to do"}, {Name: "index", Kind: ArgNumber, Doc: "which tab, from 0"}, {Name: "url", Doc: "what a new tab opens"}}, "open, switch or close a tab"},
	{VerbEvaluate, TargetOptional, "js", []Arg{{Name: "js", Required: true, Doc: "an expression or function"}}, "run JavaScript in the page"},
	{VerbWait, TargetOptional, "text", []Arg{{Name: "text", Doc: "until this text is on the page"}, {Name: "gone", Doc: "until this text is gone"}, {Name: "ms", Kind: ArgNumber, Doc: "this long"}, {Name: "url", Doc: "until the URL holds this"}}, "wait for something"},
	{VerbSnapshot, TargetNone, "", nil, "capture the page"},
	{VerbScreenshot, TargetOptional, "file", []Arg{{Name: "file", Doc: "PNG to write"}}, "take a picture"},
	{VerbUser, TargetNone, "text", []Arg{{Name: "text", Required: true, Doc: "what the user says"}}, "a user message: counts for expiry, starts a new agent step"},
	{VerbNote, TargetNone, "text", []Arg{{Name: "text", Required: true, Doc: "the remark"}}, "a remark in the recording"},
}

// SpecOf finds a verb's row.
func SpecOf(v Verb) (VerbSpec, bool) {
	for _, s := range Verbs {
		if s.Verb == v {
			return s, true
		}
	}
	return VerbSpec{}, false
}

// Navigates reports whether the verb loads a document by its own meaning.
func (v Verb) Navigates() bool {
	return v == VerbGoto || v == VerbBack || v == VerbForward || v == VerbReload
}
