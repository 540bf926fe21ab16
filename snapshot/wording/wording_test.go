package wording

import (
	"fmt"
	"math"
	"testing"
)

func Example() {
	fmt.Println(Plural(8000, "line"), Percent(0.7614), PercentAgainst(0.19997, 0.2), Share(0.2))
	// Output: 8,000 lines 76.1 % 19.997 % 20 %
}

func TestWording(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{Count(0), "0"},
		{Count(-1234567), "−1,234,567"},
		{Count(999), "999"},
		{Count(math.MinInt), "−9,223,372,036,854,775,808"},
		{Plural(1, "line"), "1 line"},
		{Plural(0, "line"), "0 lines"},
		{Percent(-0.5), "−50.0 %"},
		{Percent(math.Inf(1)), "∞ %"},
		{Percent(math.Inf(-1)), "−∞ %"},
		{Percent(math.NaN()), "0 %"},
		{PercentAgainst(0.2, 0.2), "20.0 %"},
		{PercentAgainst(0.2000001, 0.2), "20.00001 %"},
		{PercentAgainst(0.2+1e-12, 0.2), "20.000000 %"},
		{Share(0.125), "12.5 %"},
		{OneLine(" a\n b\t\xff", 9), "a b \uFFFD"},
		{OneLine("äöüß", 3), "äö…"},
		{OneLine("äöü", 3), "äöü"},
		{OneLine("abc", 0), "…"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}
