package session

import "snapscope/snapshot/strategy"

// Recipe tells what a policy made of a page on its way to an agent, so that
// Result.Shown can be made of the page again and read. It needs no policy of that
// name: names are reused and knobs are turned.
type Recipe struct {
	// Stages are the policy's rewrites in order, every knob with its value.
	Stages []RecipeStage `json:"stages,omitempty"`
	// Since is the action whose page is the first that this reader was known to
	// have: only it and later ones can be a base. The page's own: none can.
	Since string `json:"since,omitempty"`
	// Anew says why pages before Since are no base; "" where there are none.
	Anew Whole `json:"anew,omitempty"`
	// Grammar stood before the answer: how what follows is read.
	Grammar string `json:"grammar,omitempty"`
	// Nothing: the rewrites left nothing of the page, so Shown is empty.
	Nothing bool `json:"nothing,omitempty"`
	// Whole says why the page went out as it came; "" where it did not, or where the
	// rewrites themselves left it as it was.
	Whole Whole `json:"whole,omitempty"`
}

// RecipeStage is one rewrite of a recipe.
type RecipeStage struct {
	Strategy string          `json:"strategy"`
	Knobs    strategy.Values `json:"knobs,omitempty"`
}

// Whole says why a page goes out as it came, or why no page before it can be its
// base. The words are part of the recording's format.
type Whole string

// Why a page goes out as it came.
const (
	WholeAgain      Whole = "asked again"        // for the second time with nothing between: the first did not serve
	WholeFailed     Whole = "error"              // the answer is an error
	WholeLarge      Whole = "too large"          // nobody waits for a rewrite of so much
	WholeUntaught   Whole = "grammar costs more" // telling how it is read takes more than it has saved so far
	WholeStructured Whole = "structured content" // the server says the same in structuredContent, and the two must agree
	WholeApart      Whole = "not in one piece"   // the page does not stand in one piece of the answer
	WholeBatch      Whole = "batch"              // it came in a batch, which is never changed
	WholeLate       Whole = "too late"           // the rewrite took too long
)

// Why no page before can be a base.
const (
	AnewReader    Whole = "another reader" // who reads is not known, or has not read one
	AnewCompacted Whole = "compacted"      // the agent shortened its history
	AnewCut       Whole = "cut"            // the agent's client did not hand the last one on whole
	AnewMemory    Whole = "memory"         // too much page text lies between
	AnewEdited    Whole = "edited"         // a person changed an answer
	AnewPolicy    Whole = "policy"         // pages went out under another policy, or none
)

// wholes says each reason in a clause, for people.
var wholes = map[Whole]string{
	WholeAgain:      "asked for again with nothing between",
	WholeFailed:     "the answer is an error",
	WholeLarge:      "the page is too large to be rewritten in time",
	WholeUntaught:   "telling how it is read would cost more than it has saved so far",
	WholeStructured: "the server sends the same as structuredContent, and the two must agree",
	WholeApart:      "it does not stand in one piece of the answer",
	WholeBatch:      "the answer came in a batch, which is never changed",
	WholeLate:       "the rewrite took too long",
	AnewReader:      "it is not known that this reader has the page before",
	AnewCompacted:   "the agent shortened its history",
	AnewCut:         "the agent's client did not hand the page before on whole",
	AnewMemory:      "too much page text lies between",
	AnewEdited:      "a person changed an answer",
	AnewPolicy:      "the page before went out under another policy",
}

// String is the reason as a person reads it.
func (w Whole) String() string {
	if s, ok := wholes[w]; ok {
		return s
	}
	return string(w)
}
