package tui

import (
	"testing"
)

func TestStepThrough(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(40)}, 160, 45)
	d.wants("no step yet", "s takes the first")
	d.press("s")
	d.wants("step 1/6", "full", "passmark", "compress", "heading \"Leads\"")
	d.press("s", "s", "s")
	d.wants("step 4/6", "delta", "unchanged", "~", "checkbox \"Select Melonie Parker 0\"")
	t.Log("\n" + d.screen())
	d.press("s", "s")
	d.wants("step 6/6")
	d.press("s")
	d.wants("the session ends here")
	d.press("[", "[")
	d.wants("step 4/6")
}
