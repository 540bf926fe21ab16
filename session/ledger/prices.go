package ledger

// Price is what one model's tokens cost, in US dollars a million.
type Price struct {
	Model  string
	Input  float64
	Output float64
	Rule   Rule
}

func (p Price) input(plain, cached, written int) float64 {
	return (float64(plain) + float64(cached)*p.Rule.Read + float64(written)*p.Rule.Write) * p.Input / 1e6
}

// Prices is a price table.
type Prices struct{ Date string }

// Find answers a model's price.
func (p *Prices) Find(model string) (Price, bool) { return Price{}, false }
