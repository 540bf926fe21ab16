package control

import (
	"context"
	"errors"
	"slices"
	"strings"

	"snapscope/replay/proxy"
)

// Both is a person's end of the two seats of one agent: what either holds is one
// list, and a word goes to the seat that it is about.
//
//	step run result args give answer drop ─▶ the seat that has held something longest, else the tools'
//	hold models                           ─▶ the model's; hold none: both
//	policy                                ─▶ both: one rewrites pages, the other clears results
//	everything else                       ─▶ the tools'
type Both struct {
	Tools, Model *Console
	changed      chan struct{}
}

// NewBoth makes one console of two. They are closed by it.
func NewBoth(tools, model *Console) *Both {
	b := &Both{Tools: tools, Model: model, changed: make(chan struct{}, 1)}
	for _, k := range []*Console{tools, model} {
		go func() {
			for range k.Notices() {
				select {
				case b.changed <- struct{}{}:
				default:
				}
			}
		}()
	}
	return b
}

// Changed is signalled when something was held or went, or a seat ended.
func (b *Both) Changed() <-chan struct{} { return b.changed }

// State is that of the seat before the tools, with what both hold; it has ended
// when both have.
func (b *Both) State() State {
	st, model := b.Tools.State(), b.Model.State()
	st.Holds = append(st.Holds, model.Holds...)
	slices.SortStableFunc(st.Holds, func(x, y proxy.Hold) int { return x.Since.Compare(y.Since) })
	st.Models, st.Next = model.Models, st.Next || model.Next
	st.Ended = st.Ended && model.Ended
	return st
}

// Beat renews both leases. A seat that has ended needs none.
func (b *Both) Beat(ctx context.Context) error {
	var errs []error
	gone := 0
	for _, k := range []*Console{b.Tools, b.Model} {
		switch err := k.Beat(ctx); {
		case errors.Is(err, ErrEnded):
			gone++
		case err != nil:
			errs = append(errs, err)
		}
	}
	if gone == 2 {
		return ErrEnded
	}
	return errors.Join(errs...)
}

// Do carries out one line of words.
func (b *Both) Do(ctx context.Context, line string) (said string, err error) {
	word, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
	arg = strings.TrimSpace(arg)
	switch {
	case word == "hold" && arg == "models":
		if _, err := b.Model.Do(ctx, "hold all"); err != nil {
			return "", err
		}
		return "every model call is held", nil
	case word == "hold" && arg == "none" || word == "policy":
		_, merr := b.Model.Do(ctx, line)
		said, err := b.Tools.Do(ctx, line)
		return said, errors.Join(err, ifGoing(merr))
	}
	switch word {
	case "step", "run", "result", "args", "give", "answer", "drop":
		return b.holder().Do(ctx, line)
	}
	return b.Tools.Do(ctx, line)
}

func ifGoing(err error) error {
	if errors.Is(err, ErrEnded) {
		return nil
	}
	return err
}

// holder is the seat whose hold is the oldest.
func (b *Both) holder() *Console {
	tools, model := b.Tools.State().Holds, b.Model.State().Holds
	if len(model) > 0 && (len(tools) == 0 || model[0].Since.Before(tools[0].Since)) {
		return b.Model
	}
	return b.Tools
}

// Close lets everything go.
func (b *Both) Close() error { return errors.Join(b.Tools.Close(), b.Model.Close()) }
