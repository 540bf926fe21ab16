package reply

import (
	"fmt"
	"strings"
)

// applyDelta applies a line delta: "+ ", "- " and two spaces before each line,
// "..." for what is skipped. Chunks are placed at the first fitting place after
// the chunk before; several says that another place would have fitted too.
func applyDelta(base string, body []string) (text string, several bool, err error) {
	old := strings.Split(base, "\n")
	var out []string
	at := 0
	for i := 0; i < len(body); {
		if body[i] == "..." {
			i++
			continue
		}
		end := i
		var want []string
		for end < len(body) && body[end] != "..." {
			switch {
			case strings.HasPrefix(body[end], "  "), strings.HasPrefix(body[end], "- "):
				want = append(want, body[end][2:])
			case strings.HasPrefix(body[end], "+ "), body[end] == "+":
			case strings.TrimSpace(body[end]) == "", body[end] == "-":
				want = append(want, "")
			default:
				return "", false, fmt.Errorf("line %d of the delta has no sign", end+1)
			}
			end++
		}
		place := findLines(old, want, at)
		if place < 0 {
			return "", false, fmt.Errorf("line %d of the delta fits nowhere in the snapshot before", i+1)
		}
		if i > 0 || at < place { // a chunk after a gap might stand elsewhere as well
			several = several || (len(want) > 0 && findLines(old, want, place+1) >= 0 && body[max(0, i-1)] == "...")
		}
		out = append(out, old[at:place]...)
		for _, l := range body[i:end] {
			switch {
			case strings.HasPrefix(l, "+"):
				out = append(out, strings.TrimPrefix(strings.TrimPrefix(l, "+"), " "))
			case strings.HasPrefix(l, "-"):
			case len(l) >= 2:
				out = append(out, l[2:])
			default:
				out = append(out, "")
			}
		}
		at = place + len(want)
		i = end
	}
	return strings.Join(append(out, old[at:]...), "\n"), several, nil
}

// maxCompared bounds the search for a chunk's place: a delta that is made to
// fit almost everywhere is given up.
const maxCompared = 20_000_000

func findLines(in, want []string, from int) int {
	compared := 0
next:
	for i := from; i+len(want) <= len(in) && compared < maxCompared; i++ {
		for k, w := range want {
			compared++
			if in[i+k] != w {
				continue next
			}
		}
		return i
	}
	return -1
}
