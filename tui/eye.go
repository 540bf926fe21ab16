package tui

import (
	"strings"

	"snapscope/session"
)

// eyeLine is the line of the page that a person wants to see first after a step:
// the element acted on where the step changed it, else the first change that
// tells something, else the element acted on, else any change. -1: nothing
// stands out, so the page is read from its top.
func eyeLine(p *page, target *session.Target) int32 {
	if p.first {
		return -1 // another document: an old ref could name anything in it
	}
	acted := targetLine(p, target)
	if acted >= 0 && p.tells(acted) {
		return acted
	}
	any := int32(-1)
	for i := range int32(len(p.lines)) {
		if p.mark[i] == markSame && p.lost[i] == 0 {
			continue
		}
		if p.tells(i) {
			return i
		}
		if any < 0 {
			any = i
		}
	}
	if acted >= 0 {
		return acted
	}
	return any
}

// tells reports that a line changed in more than where the focus is.
func (p *page) tells(line int32) bool {
	if p.lost[line] > 0 {
		return true
	}
	if was, ok := p.was[line]; ok {
		return unfocused(was) != unfocused(p.lines[line])
	}
	return p.mark[line] != markSame
}

func unfocused(line string) string { return strings.Replace(line, " [active]", "", 1) }

// targetLine finds the element that an action names on the page; -1 where it is
// not there or was named in another way.
func targetLine(p *page, t *session.Target) int32 {
	if t == nil || t.Ref == "" && t.Role == "" {
		return -1
	}
	left := max(t.Nth, 1)
	for i, l := range p.lines {
		switch {
		case t.Ref != "":
			if !strings.Contains(l, t.Ref) || refOf(l) != t.Ref {
				continue
			}
		case !strings.Contains(l, t.Role) || roleOf(l) != t.Role || t.Name != "" && nameOf(l) != t.Name:
			continue
		}
		if left--; left == 0 {
			return int32(i)
		}
	}
	return -1
}
