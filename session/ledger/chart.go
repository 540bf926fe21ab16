package ledger

import (
	"fmt"
	"math"
	"sort"

	"snapscope/snapshot/wording"
)

// The chart of policies: saved tokens from left to right, survival from the
// bottom up. Lengths are units of the SVG, about a pixel on a phone.
const (
	chartW, chartH         = 360, 300
	chartLeft, chartRight  = 38, 340
	chartTop, chartBottom  = 16, 262
	chartLabel, chartGlyph = 13, 6.1 // height of a label, width of one of its letters
)

// chart is what the page draws.
type chart struct {
	W, H, Left, Right, Top, Bottom int
	Points                         []chartPoint
	Columns, Rows                  []chartTick
}

type chartTick struct {
	At   float64
	Name string
}

// chartPoint is one policy with the place of its label.
type chartPoint struct {
	X, Y, LabelX, LabelY float64
	Name, Title, Class   string
	Anchor               string
	Line                 bool // the label stands away from its point
}

// chartOf draws reports of one session; nil where there is nothing to compare.
func chartOf(reports []*Report, best *Report) *chart {
	c := &chart{W: chartW, H: chartH, Left: chartLeft, Right: chartRight, Top: chartTop, Bottom: chartBottom}
	low, least := 0.0, 1.0
	for _, r := range reports {
		if r.Survival.Unknown {
			return nil
		}
		low, least = math.Min(low, r.SavedRatio), math.Min(least, r.Survival.Ratio())
	}
	low = math.Max(-1, math.Floor(low*4)/4)
	least = math.Min(0.75, math.Floor(least*4)/4)
	x := func(f float64) float64 {
		return chartLeft + (math.Max(low, f)-low)/(1-low)*(chartRight-chartLeft)
	}
	y := func(f float64) float64 { return chartBottom - (f-least)/(1-least)*(chartBottom-chartTop) }
	for f := low; f <= 1.001; f += 0.25 {
		c.Columns = append(c.Columns, chartTick{x(f), short(f)})
	}
	for f := least; f <= 1.001; f += 0.25 {
		c.Rows = append(c.Rows, chartTick{y(f), short(f)})
	}
	for _, r := range reports {
		p := chartPoint{X: x(r.SavedRatio), Y: y(r.Survival.Ratio()), Name: plain(r.Policy.Name), Class: "keeps"}
		p.Title = fmt.Sprintf("%s: saved %s, net %s, survival %s", p.Name, wording.Percent(r.SavedRatio), wording.Percent(r.NetSavedRatio), r.Survival.Label())
		switch {
		case r == best:
			p.Class = "best"
		case r.Survival.Survived < r.Survival.Acted:
			p.Class = "loses"
		}
		c.Points = append(c.Points, p)
	}
	c.label()
	return c
}

func short(f float64) string {
	s := fmt.Sprintf("%.0f %%", math.Abs(f)*100)
	if f < 0 {
		s = "−" + s
	}
	return s
}

// box is a rectangle that a label or a point takes.
type box struct{ x0, y0, x1, y1 float64 }

func (b box) hits(o box) bool { return b.x0 < o.x1 && o.x0 < b.x1 && b.y0 < o.y1 && o.y0 < b.y1 }

// label finds for each point the nearest free place for its name.
func (c *chart) label() {
	sort.SliceStable(c.Points, func(i, j int) bool { return c.Points[i].X > c.Points[j].X })
	var taken []box
	for _, p := range c.Points {
		taken = append(taken, box{p.X - 4, p.Y - 4, p.X + 4, p.Y + 4})
	}
	for i := range c.Points {
		p := &c.Points[i]
		wide := chartGlyph * float64(len([]rune(p.Name)))
		for n := range 60 {
			dy := float64((n/2+1)/2) * chartLabel
			if n/2%2 == 1 {
				dy = -dy
			}
			b := box{p.X - 8 - wide, p.Y + dy - 6, p.X - 8, p.Y + dy + 6}
			if n%2 == 1 {
				b.x0, b.x1 = p.X+8, p.X+8+wide
			}
			if b.x0 < chartLeft+2 || b.x1 > chartW-2 || b.y0 < 2 || b.y1 > chartBottom-2 || hitsAny(b, taken) {
				continue
			}
			taken = append(taken, b)
			p.LabelX, p.Anchor = b.x1, "end"
			if n%2 == 1 {
				p.LabelX, p.Anchor = b.x0, "start"
			}
			p.LabelY, p.Line = p.Y+dy, dy != 0
			break
		}
	}
}

func hitsAny(b box, taken []box) bool {
	for _, t := range taken {
		if b.hits(t) {
			return true
		}
	}
	return false
}
