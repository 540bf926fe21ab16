package main

import (
	"context"
	"fmt"
	"time"
)

// The tour's terminal: what most people have, and what a page shows unscaled.
const tourCols, tourRows = 120, 36

// scene is a key of the tour: what to see before the next, and how long a
// person looks at it.
type scene struct {
	key  string
	see  string
	look time.Duration
}

// tour is the README's tour of five minutes in one and a half.
func tour() []scene {
	const second = time.Second
	return []scene{
		{"", step1, 5 * second},
		{"s", step2, 3 * second},
		{"Tab", `▸passmark`, 1 * second},
		{"Enter", `why · passmark`, 5 * second},
		{"Escape", `% → delta`, 1 * second},
		{"s", step3, 4 * second},
		{"Tab", `▸compress`, 2 * second},
		{"!", `✗ LOST  checkbox`, 5 * second},
		{"o", `▸ ?fire_threshold`, 2 * second},
		{"Down", `▸ ?keep_n`, 1 * second},
		{"+", `keep_n .* 11\b`, 2 * second},
		{"+", `keep_n .* 12\b`, 3 * second},
		{"u", `keep_n .* 10\b`, 2 * second},
		{"o", `▸compress`, 1 * second},
		{"c", `(?s)step 15/15.*LOST 2( of |/)10`, 5 * second},
		{"v", `(?s)context and cost.*e1721.*keep_n[= ]274`, 6 * second},
		{"Tab", `(?s)e1712.*e1721`, 1 * second},
		{"Tab", `(?s)e1712.*e1721`, 2 * second},
		{"f", `compress .* 10/10`, 5 * second},
		{"Escape", `(?s)steps .*expiry`, 2 * second},
		{"?", `keys and commands`, 5 * second},
		{"Escape", `(?s)steps .*expiry .* calls `, 2 * second},
	}
}

// recordTour makes the cast: the live demo, driven at a person's pace. The
// pauses are the tour's own; what it waits for is still what is on the screen.
func recordTour(ctx context.Context, s studio) ([]byte, error) {
	t, err := openTerminal(ctx, s, tourCols, tourRows, dark, live...)
	if err != nil {
		return nil, err
	}
	defer t.close()
	cam, err := film(t)
	if err != nil {
		return nil, err
	}
	if err := play(t, tour()); err != nil {
		return nil, err
	}
	frames, err := cam.cut()
	if err != nil {
		return nil, err
	}
	return cast("snapscope: a tour", tourCols, tourRows, dark, frames)
}

// play goes through the scenes and out of the program.
func play(t *terminal, scenes []scene) error {
	if err := t.begin(); err != nil {
		return err
	}
	for _, sc := range scenes {
		if sc.key != "" {
			if err := t.press(sc.key); err != nil {
				return err
			}
		}
		if err := t.see(sc.see); err != nil {
			return fmt.Errorf("after %q: %w", sc.key, err)
		}
		if err := t.pause(sc.look); err != nil {
			return err
		}
	}
	if err := t.press("q"); err != nil {
		return err
	}
	if err := t.see(`snapscope replay leads.jsonl`); err != nil {
		return err
	}
	return t.pause(time.Second)
}
