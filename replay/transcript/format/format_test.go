package format

import "testing"

func TestFormatsTable(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range All {
		if f.Name == "" || f.Title == "" || f.Doc == "" || f.detect == nil || f.read == nil || seen[f.Name] {
			t.Errorf("a row of the table of formats is not whole: %+v", f)
		}
		seen[f.Name] = true
		if got, err := Find(f.Name); err != nil || got != f {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}
