package reply

import "testing"

// TestWhyFailed holds what is said of an answer that failed.
func TestWhyFailed(t *testing.T) {
	for text, want := range map[string]string{
		"Error: Ref e99 not found\nat line 3":                     "Ref e99 not found",
		"### Result\nError: gone":                                 "gone",
		"{\n \"success\": false,\n \"message\": \"not found\"\n}": "not found",
		`{"error": {"message": "timed out\nafter 5 s"}}`:          "timed out",
		`{"error": "no page"}`:                                    "no page",
		`{"ok": false}`:                                           `{"ok": false}`,
		"{ broken":                                                "{ broken",
	} {
		if got := whyFailed(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
