package strategy

// full is the measure of all others: the page's text as it is.
var full = &Strategy{
	Name:   "full",
	Title:  "full snapshot",
	Source: "the page itself",
	Doc:    "The whole snapshot, every time. What an agent reads when nothing is cut.",
	Apply: func(in Input, _ Values) Verdict {
		return Verdict{Kind: KindFull, Rules: []Rule{Said("all", "full", "nothing is left out")}, Text: in.Page.Text}
	},
}
