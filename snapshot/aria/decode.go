package aria

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"snapscope/snapshot"
)

// wire is the first line of the script's answer.
type wire struct {
	Answer
	Prefix string `json:"prefix"`
	Boxes  []int  `json:"boxes"` // number, x, y, width, height of every ref, one flat list
}

// boxFields is how many numbers of the flat list make one box.
const boxFields = 5

// Decode reads the string that capture returned: one line of JSON, a newline,
// the aria text. An error says what was wrong with it; nothing in the string
// can make Decode panic.
func Decode(raw string) (Answer, error) {
	head, text, found := strings.Cut(raw, "\n")
	if !found {
		return Answer{}, fmt.Errorf("the page's answer has no text after its first line (%d bytes)", len(raw))
	}
	var w wire
	if err := json.Unmarshal([]byte(head), &w); err != nil {
		return Answer{}, fmt.Errorf("the first line of the page's answer: %w", err)
	}
	answer := w.Answer
	answer.Text = strings.Clone(text) // for itself: a page is kept for long, the boxes it came with are not
	if err := checkFrames(answer); err != nil {
		return Answer{}, err
	}
	if w.Boxes != nil {
		boxes, err := unpackBoxes(w.Prefix, w.Boxes)
		if err != nil {
			return Answer{}, err
		}
		answer.Boxes = boxes
	}
	return answer, nil
}

// checkFrames makes sure that every frame names a line that is there and that
// they stand in the order of their lines, as Join needs.
func checkFrames(a Answer) error {
	lines, last := strings.Count(a.Text, "\n")+1, -1
	for _, f := range a.Frames {
		if f.Line <= last || f.Line >= lines {
			return fmt.Errorf("the page's answer puts frame %q on line %d of %d", f.Ref, f.Line, lines)
		}
		last = f.Line
	}
	return nil
}

func unpackBoxes(prefix string, flat []int) (map[string]snapshot.Box, error) {
	if len(flat)%boxFields != 0 {
		return nil, fmt.Errorf("the page's answer has %d numbers of boxes, not a multiple of %d", len(flat), boxFields)
	}
	boxes := make(map[string]snapshot.Box, len(flat)/boxFields)
	for i := 0; i < len(flat); i += boxFields {
		ref := prefix + "e" + strconv.Itoa(flat[i])
		boxes[ref] = snapshot.Box{X: flat[i+1], Y: flat[i+2], W: flat[i+3], H: flat[i+4]}
	}
	return boxes, nil
}
