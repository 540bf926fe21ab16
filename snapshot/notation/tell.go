package notation

import "strings"

// tellLines is how many lines of a text are looked at to tell its dialect.
const tellLines = 200

// Tell answers the dialect a text is written in by its lines alone, "" where they
// show nothing with a name or a state. Aria and AgentBrowser share their lines; a bracket with
// several attributes tells the second.
func Tell(text string) Dialect {
	var l Line
	found := Dialect("")
	for range tellLines {
		line, rest, more := strings.Cut(text, "\n")
		switch d := tellLine(&l, line); {
		case d == Aria && found == "":
			found = Aria
		case d == AgentBrowser && (found == "" || found == Aria), d != "" && d != Aria && found == "":
			return d
		}
		if !more {
			break
		}
		text = rest
	}
	return found
}

func tellLine(l *Line, line string) Dialect {
	*l = Line{Raw: line, Indent: indentOf(line)}
	switch {
	case l.readIndex(): // before the dash: Convergence's lines have both
		return Index
	case l.readDash():
		switch {
		case !l.Whole || !l.HasName && l.AttrsAt.Empty() && l.Kind != UnchangedLine: // a list in prose looks like this
			return ""
		case l.together && l.Ref != "":
			return AgentBrowser
		}
		return Aria
	case l.readUID():
		return UID
	case l.readAXTree() && l.Ref != "":
		return AXTree
	}
	return ""
}
