package strategy

import "strings"

// Navigates reports whether a tool loads a document by its own meaning.
func Navigates(tool string) bool {
	switch tool {
	case "goto", "back", "forward", "reload", "navigate":
		return true
	}
	return false
}

// SameDocument reports whether two snapshots show one document in one tab.
// Where the source does not tell documents apart, the URL before the fragment
// stands for them.
func SameDocument(a, b Moment) bool {
	if a.Tab != b.Tab || a.Document != b.Document {
		return false
	}
	return a.Document != "" || beforeHash(a.URL) == beforeHash(b.URL)
}

func beforeHash(url string) string {
	s, _, _ := strings.Cut(url, "#")
	return s
}

// TextURL is the URL that a text names in its first line, as passmark's and
// Playwright's do; empty: none.
func TextURL(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	for _, key := range []string{"url: ", "- Page URL: "} {
		if u, ok := strings.CutPrefix(first, key); ok {
			return u
		}
	}
	return ""
}
