package apitest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Step is one thing the model does, in the order of the script.
type Step struct {
	Goto  string `json:"goto,omitempty"`  // navigate to a URL
	Click string `json:"click,omitempty"` // click the element of this name, by a ref that a result shows
	Eval  string `json:"eval,omitempty"`  // run a script: an answer without a page
	Look  bool   `json:"look,omitempty"`  // take a snapshot
	Hand  []Step `json:"hand,omitempty"`  // have an agent of its own do these (Claude Code)
}

// Behaviour is what the model does wrong in one answer.
type Behaviour struct {
	Status  int           // answer this error
	Delay   time.Duration // before the answer
	CutAt   int           // break the connection after so many bytes of the answer; 0: never
	NotJSON bool          // answer no JSON
}

// Model is a scripted model API. Its fields are set before the first request.
type Model struct {
	Script []Step
	End    string           // what it says after the last step; "" DONE
	Count  func(string) int // its tokenizer; nil: bytes / 4
	// MinPrefix is the shortest prefix its cache holds, in tokens.
	MinPrefix int
	// Behave answers what goes wrong with the n-th request, from 1; nil: nothing.
	Behave func(n int) Behaviour
	// Read is how it reads a result, before it looks for an element: a notation that a
	// model understands is written out here. nil: as it stands.
	Read  func(string) string
	Think bool // begin each answer with a signed thought, where the form has them
	// Marked: in Anthropic's form the cache keeps what ends at a cache_control mark, and
	// finds it again from a mark at most 20 blocks behind it, as the vendor says. Else
	// every equal beginning is found.
	Marked bool

	mu    sync.Mutex
	n     int
	past  [][]string        // the parts of every request that was answered
	kept  map[[32]byte]bool // beginnings that the cache holds, by digest
	sizes map[string]int
	Calls []Seen
}

// Seen is what the model got and answered.
type Seen struct {
	Path    string
	Header  http.Header
	Body    []byte // as it came
	Refused []string
	Input   int
	Cached  int
	Written int
	Output  int
	Said    string // text, or the tool it called
}

// part is one piece of a request: what the vendors count and cache.
type part struct {
	kind string // fixed, text, call, result, thought
	id   string
	text string
	same string // what must be equal for the cache
	mark bool   // cache_control stands at it
}

// Log is every call so far, those of count_tokens left out.
func (m *Model) Log() []Seen {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Seen(nil), m.Calls...)
}

// ServeHTTP answers one request.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	form := formOf(r.URL.Path)
	var q request
	if form == "" || json.Unmarshal(body, &q) != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"type":"error","error":{"type":"not_found_error","message":"no such thing"}}`)
		return
	}
	parts, bad := q.parts(form)
	if strings.HasSuffix(r.URL.Path, "/count_tokens") || strings.HasSuffix(r.URL.Path, ":countTokens") {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"input_tokens":%d,"totalTokens":%[1]d}`, m.count(parts))
		return
	}
	m.mu.Lock()
	m.n++
	n := m.n
	m.mu.Unlock()
	do := Behaviour{}
	if m.Behave != nil {
		do = m.Behave(n)
	}
	if do.Delay > 0 {
		select {
		case <-time.After(do.Delay):
		case <-r.Context().Done():
			return
		}
	}
	s := Seen{Path: r.URL.Path, Header: r.Header.Clone(), Body: body, Refused: bad}
	a := answer{n: n, form: form, model: q.Model, stream: q.Stream || strings.HasSuffix(r.URL.Path, ":streamGenerateContent")}
	switch {
	case do.Status > 0:
		a.refuse(do.Status, "scripted trouble")
	case do.NotJSON:
		a.garbage()
	case len(bad) > 0:
		a.refuse(http.StatusBadRequest, strings.Join(bad, "; "))
	default:
		m.decide(&a, &q, parts, &s)
	}
	m.mu.Lock()
	m.Calls = append(m.Calls, s)
	m.mu.Unlock()
	a.write(w, do.CutAt)
}

// decide fills in what the model answers.
func (m *Model) decide(a *answer, q *request, parts []part, s *Seen) {
	if m.Marked && a.form == messages {
		s.Input, s.Cached, s.Written = m.marked(parts)
	} else {
		s.Input, s.Cached = m.usage(parts)
	}
	a.input, a.cached, a.written, a.output = s.Input, s.Cached, s.Written, 20
	s.Output = a.output
	if m.Think && a.form == messages {
		a.thought = fmt.Sprintf("I think of step %d <&> \u2028.", a.n)
	}
	done, script := 0, m.Script
	for _, p := range parts {
		switch p.kind {
		case "call":
			done++
		case "text":
			for i, st := range m.Script {
				if st.Hand != nil && strings.Contains(p.text, handing(i)) { // this is that agent
					script = st.Hand
				}
			}
		}
	}
	switch {
	case q.tool("browser_navigate") == "":
		a.text = "no browser tools here"
	case done >= len(script):
		a.text = m.End
		if a.text == "" {
			a.text = "DONE"
		}
	default:
		m.step(a, q, script[done], parts, done)
	}
	a.space = q.space(a.tool)
	s.Said = a.text
	if a.tool != "" {
		s.Said = a.tool
	}
}

// handing is what an agent of the agent is asked to do: step i of the script.
func handing(i int) string {
	return fmt.Sprintf("Do what is handed over in step %d of the script.", i+1)
}

func (m *Model) step(a *answer, q *request, st Step, parts []part, done int) {
	args := map[string]any{}
	switch {
	case st.Goto != "":
		a.tool, args["url"] = q.tool("browser_navigate"), st.Goto
	case st.Eval != "":
		a.tool, args["function"] = q.tool("browser_evaluate"), st.Eval
	case st.Look:
		a.tool = q.tool("browser_snapshot")
	case st.Hand != nil:
		a.tool, args["subagent_type"], args["description"], args["prompt"] = "Agent", "general-purpose", "a part", handing(done)
		if q.tool("Agent") != "Agent" {
			a.tool = "Task" // in older versions
		}
	default:
		ref := findRef(parts, st.Click, m.Read)
		if ref == "" {
			a.text = fmt.Sprintf("LOST %q is in no snapshot that I can read (step %d)", st.Click, done+1)
			return
		}
		a.tool = q.tool("browser_click")
		for key, value := range map[string]string{"element": st.Click, "ref": ref, "target": ref} { // newer servers ask for a target
			if a.form != gemini || q.takes(a.tool, key) { // Gemini CLI takes no argument that is not declared
				args[key] = value
			}
		}
	}
	a.args, _ = json.Marshal(args)
	a.text = "Next."
}

// findRef is the ref of an element in the newest result that shows it.
func findRef(parts []part, name string, read func(string) string) string {
	line := regexp.MustCompile(`"` + regexp.QuoteMeta(name) + `"[^\n]*\[ref=([^\]]+)\]`)
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i].kind != "result" {
			continue
		}
		text := parts[i].text
		if read != nil {
			text = read(text)
		}
		if found := line.FindStringSubmatch(text); found != nil {
			return found[1]
		}
	}
	return ""
}

// usage counts a request and how much of it an earlier one left in the cache.
func (m *Model) usage(parts []part) (input, cached int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var now []string
	for _, p := range parts {
		now = append(now, p.same)
	}
	best := 0
	for _, old := range m.past {
		n := 0
		for n < len(old) && n < len(now) && old[n] == now[n] {
			n++
		}
		best = max(best, n)
	}
	m.past = append(m.past, now)
	for i, p := range parts {
		n := m.tokens(p)
		input += n
		if i < best {
			cached += n
		}
	}
	if cached < m.MinPrefix {
		cached = 0
	}
	return input, cached
}

// lookBack is how many blocks before a mark what an earlier one left is looked for.
const lookBack = 20

// marked counts a request with a cache of breakpoints: what of it was kept at an
// earlier request's mark is read, up to its own last mark it is written.
func (m *Model) marked(parts []part) (input, cached, written int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil {
		m.kept = map[[32]byte]bool{}
	}
	upTo, keys := make([]int, len(parts)), make([][32]byte, len(parts))
	key := [32]byte{}
	last := -1
	for i, p := range parts {
		input += m.tokens(p)
		key = sha256.Sum256(append(key[:], p.same...))
		upTo[i], keys[i] = input, key
		if p.mark {
			last = i
		}
	}
	for i := last; i >= 0 && cached == 0; i-- {
		for k := i; parts[i].mark && k >= max(0, i-lookBack); k-- {
			if m.kept[keys[k]] {
				cached = upTo[k]
				break
			}
		}
	}
	for i, p := range parts {
		if p.mark && upTo[i] >= m.MinPrefix {
			m.kept[keys[i]] = true
			written = max(0, upTo[i]-cached)
		}
	}
	return input, cached, written
}

func (m *Model) count(parts []part) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, p := range parts {
		n += m.tokens(p)
	}
	return n
}

// tokens is what a part weighs: its text and a little for its frame.
func (m *Model) tokens(p part) int {
	const frame = 5
	if m.Count == nil {
		return frame + (len(p.text)+3)/4
	}
	n, ok := m.sizes[p.text]
	if !ok {
		if m.sizes == nil {
			m.sizes = map[string]int{}
		}
		n = m.Count(p.text)
		m.sizes[p.text] = n
	}
	return frame + n
}

// canonical is a JSON value apart from its layout and its cache marks.
func canonical(raw json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return string(raw)
	}
	if o, ok := v.(map[string]any); ok {
		delete(o, "cache_control")
	}
	out, _ := json.Marshal(v)
	return string(out)
}
