package reply

import "testing"

// Small replies that stand for a large tree, a thousand times, are rebuilt up
// to a bound; every one is still there as it was sent.
func TestRebuildingIsBounded(t *testing.T) {
	p := &Pages{}
	tab := p.tabOf(0)
	tab.keep("- main [ref=e1]", "aria")
	sent := Reply{Found: true, Part: true, Snap: "- <changed> main [active] [ref=e1]", Dialect: "aria"}
	if full, ok, _ := p.rebuilt(tab, sent); !ok || full != "- main [active] [ref=e1]" {
		t.Fatalf("%q %v", full, ok)
	}
	p.built = maxBuilt
	full, ok, notes := p.rebuilt(tab, sent)
	if ok || full != sent.Snap || len(notes) != 1 {
		t.Errorf("%q %v %q", full, ok, notes)
	}
}
