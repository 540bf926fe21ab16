package ledger

import (
	"math"
	"strings"

	"snapscope/snapshot"
)

// ImageRulesDate is the day on which the vendors' rules below were read.
const ImageRulesDate = "2026-05-25"

// ImageRule is how one vendor counts a picture in tokens, as it publishes it.
type ImageRule struct {
	Name   string   // for people: "Anthropic, width × height / 750"
	Source string   // where it is published
	Models []string // names of models, or their beginnings before a "-" or "."
	Count  func(width, height int) int
}

// imageRules is the one table of them. A model that no row names has no rule:
// newer models often count otherwise, so nothing is guessed.
var imageRules = []ImageRule{
	{
		Name: "Anthropic, width × height / 750 at up to 2,576 pixels", Source: "https://platform.claude.com/docs/en/build-with-claude/vision",
		Models: []string{"claude-opus-4-7", "claude-opus-4-8"}, Count: area(2576, 4784),
	},
	{
		Name: "Anthropic, width × height / 750 at up to 1,568 pixels", Source: "https://platform.claude.com/docs/en/build-with-claude/vision",
		Models: []string{"claude"}, Count: area(1568, 1600),
	},
	{
		Name: "OpenAI, 85 and 170 for each tile of 512 pixels", Source: "https://platform.openai.com/docs/guides/images-vision",
		Models: []string{"gpt-4o", "gpt-4.1", "gpt-4.5"}, Count: tiles(85, 170),
	},
	{
		Name: "OpenAI, 2,833 and 5,667 for each tile of 512 pixels", Source: "https://platform.openai.com/docs/guides/images-vision",
		Models: []string{"gpt-4o-mini"}, Count: tiles(2833, 5667),
	},
	{
		Name: "OpenAI, 70 and 140 for each tile of 512 pixels", Source: "https://platform.openai.com/docs/guides/images-vision",
		Models: []string{"gpt-5", "gpt-5.1", "gpt-5-codex", "gpt-5.1-codex"}, Count: tiles(70, 140),
	},
	{
		Name: "OpenAI, 75 and 150 for each tile of 512 pixels", Source: "https://platform.openai.com/docs/guides/images-vision",
		Models: []string{"o1", "o3"}, Count: tiles(75, 150),
	},
	{
		Name: "OpenAI, 1.62 for each patch of 32 pixels", Source: "https://platform.openai.com/docs/guides/images-vision",
		Models: []string{"gpt-4.1-mini", "gpt-5-mini"}, Count: patches(1.62),
	},
	{
		Name: "OpenAI, 2.46 for each patch of 32 pixels", Source: "https://platform.openai.com/docs/guides/images-vision",
		Models: []string{"gpt-4.1-nano", "gpt-5-nano"}, Count: patches(2.46),
	},
	{
		Name: "OpenAI, 1.72 for each patch of 32 pixels", Source: "https://platform.openai.com/docs/guides/images-vision",
		Models: []string{"o4-mini"}, Count: patches(1.72),
	},
	{
		Name: "Google, 258 for each tile of up to 768 pixels", Source: "https://ai.google.dev/gemini-api/docs/image-understanding",
		Models: []string{"gemini-1.5", "gemini-2.0", "gemini-2.5"}, Count: crops,
	},
}

// ImageRuleOf finds a model's rule: of the rows that name it the one with the
// longest name.
func ImageRuleOf(model string) (ImageRule, bool) {
	best, found := 0, -1
	for _, name := range imageNames(model) {
		for i, r := range imageRules {
			for _, m := range r.Models {
				if len(m) > best && namedBy(name, m) {
					best, found = len(m), i
				}
			}
		}
	}
	if found < 0 {
		return ImageRule{}, false
	}
	return imageRules[found], true
}

// imageNames is a model's name as it is and without what hosts put before it.
func imageNames(model string) []string {
	model = strings.ToLower(strings.TrimSpace(model))
	out := []string{model}
	for _, sep := range []string{"/", "anthropic."} {
		if i := strings.LastIndex(model, sep); i >= 0 {
			out = append(out, model[i+len(sep):])
		}
	}
	return out
}

// namedBy reports whether a row's name is the model's, apart from a date or a
// variant behind it. "gpt-5" does not name gpt-5.4, nor "gpt-5-mini".
func namedBy(model, name string) bool {
	rest, ok := strings.CutPrefix(model, name)
	if !ok || rest == "" {
		return ok
	}
	if rest[0] != '-' || !strings.Contains(name, "claude") && !strings.HasPrefix(name, "gemini") && (len(rest) < 2 || rest[1] < '0' || rest[1] > '9') {
		return false
	}
	return true
}

// area is Anthropic's rule: a picture is made smaller until its long edge and
// its tokens fit, then each 750 pixels are a token.
func area(edge, most int) func(w, h int) int {
	return func(w, h int) int {
		if long := max(w, h); long > edge {
			w, h = scaled(w, edge, long), scaled(h, edge, long)
		}
		return min(most, (w*h+749)/750)
	}
}

func scaled(n, to, of int) int { return max(1, int(math.Round(float64(n)*float64(to)/float64(of)))) }

// tiles is OpenAI's older rule: fitted into 2,048 pixels, then the short side to
// 768, then so many tiles of 512.
func tiles(base, tile int) func(w, h int) int {
	return func(w, h int) int {
		x, y := float64(w), float64(h)
		if long := math.Max(x, y); long > 2048 {
			x, y = x*2048/long, y*2048/long
		}
		if short := math.Min(x, y); short > 768 {
			x, y = x*768/short, y*768/short
		}
		return base + tile*int(math.Ceil(math.Floor(x)/512)*math.Ceil(math.Floor(y)/512))
	}
}

// maxPatches is how many patches of 32 pixels OpenAI's newer rule counts at most.
const maxPatches = 1536

// patches is OpenAI's newer rule: patches of 32 pixels, the picture made smaller
// until they are no more than 1,536 and fill whole ones, times a factor.
func patches(factor float64) func(w, h int) int {
	return func(w, h int) int {
		x, y := float64(w)/32, float64(h)/32
		if math.Ceil(x)*math.Ceil(y) > maxPatches {
			r := math.Sqrt(maxPatches / (x * y))
			r *= math.Min(math.Floor(x*r)/(x*r), math.Floor(y*r)/(y*r))
			x, y = x*r, y*r
		}
		n := math.Min(maxPatches, math.Ceil(x-1e-9)*math.Ceil(y-1e-9))
		return int(math.Ceil(n * factor))
	}
}

// crops is Google's rule: a small picture is one tile; of a larger one the tile
// is two thirds of the short side, between 256 and 768 pixels.
func crops(w, h int) int {
	if w <= 384 && h <= 384 {
		return 258
	}
	unit := min(768, max(256, min(w, h)*2/3))
	return 258 * ((w + unit - 1) / unit) * ((h + unit - 1) / unit)
}

// pictureCount counts the pictures of one session.
type pictureCount struct {
	rule ImageRule
	ok   bool
}

func picturesFor(model string) pictureCount {
	r, ok := ImageRuleOf(model)
	return pictureCount{r, ok}
}

// tokens counts one picture; ok is false where its size or the rule is unknown.
func (p pictureCount) tokens(s snapshot.Size) (n int, ok bool) {
	if !p.ok || s.W <= 0 || s.H <= 0 || s.W > 1<<16 || s.H > 1<<16 {
		return 0, false
	}
	return p.rule.Count(s.W, s.H), true
}

// pictures adds the pictures of one message to its parts, as far as they can be
// counted.
func (h *history) pictures(es []entry, sizes []snapshot.Size) []entry {
	for _, s := range sizes {
		n, ok := h.picture.tokens(s)
		if !ok {
			h.notes.pictures++
			continue
		}
		h.notes.counted++
		es = append(es, entry{kind: PartImage, weight: weight{n, n}})
	}
	return es
}
