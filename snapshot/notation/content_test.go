package notation

import "testing"

func TestLooksLikeSnapshot(t *testing.T) {
	for text, want := range map[string]bool{
		"- button \"Go\" [ref=e12]":             true,
		"- iframe [ref=f1e3]":                   true,
		"button Go [e1]":                        true,
		"Opened.\nurl: https://example.com":     true,
		"  Title: Leads":                        true,
		"<main>\n<h1>Leads</h1>":                true,
		"<nav class=top>":                       true,
		`{"ok":true,"url":"https://a","t":"x"}`: false,
		`[{"id":1,"title":"Leads [e1]"}]`:       false,
		"[e1] button Go":                        true,
		"Clicked.":                              false,
		"":                                      false,
		"the url: was wrong":                    false,
		"<div>":                                 false,
		"<mainframe>":                           false,
		"[ref=x1]":                              false,
	} {
		if got := LooksLikeSnapshot(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
