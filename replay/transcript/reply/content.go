package reply

import (
	"strings"

	"snapscope/replay/tape"
	"snapscope/snapshot"
)

// Content joins the text of a result's content: a string, a list of blocks, or
// one block. images are the sizes of the pictures in it, in pixels; a zero
// size is not known.
func Content(v tape.Value) (text string, images []snapshot.Size) {
	switch v.Kind() {
	case tape.String:
		return v.Str(), nil
	case tape.Object:
		if c := v.Get("content"); c.OK() {
			return Content(c)
		}
		return Block(v)
	case tape.Array:
		var parts []string
		v.Items(func(x tape.Value) {
			if x.Kind() == tape.String {
				parts = append(parts, x.Str())
				return
			}
			t, n := Block(x)
			images = append(images, n...)
			if t != "" || x.Get("text").OK() {
				parts = append(parts, t)
			}
		})
		if len(parts) == 1 {
			return parts[0], images
		}
		return strings.Join(parts, "\n"), images
	}
	return "", nil
}

// Block is the text of one content block, or its size where it is a picture.
func Block(x tape.Value) (text string, images []snapshot.Size) {
	switch x.Get("type").Str() {
	case "image", "image_url", "input_image", "media":
		return "", []snapshot.Size{imageSize(x)}
	case "resource":
		return x.Get("resource", "text").Str(), nil
	}
	if x.Has("inlineData") { // Gemini's parts have no type
		return "", []snapshot.Size{imageSize(x)}
	}
	return x.Get("text").Str(), nil
}

// Unwrap is the text of a saved result: a JSON array of text blocks, or the
// text itself.
func Unwrap(text string) string {
	var t tape.Tape
	v, err := t.ParseText(text)
	if err != nil || (v.Kind() != tape.Array && v.Kind() != tape.Object) {
		return text
	}
	if s, _ := Content(v); s != "" {
		return s
	}
	return text
}
