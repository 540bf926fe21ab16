package proxy

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func wait(ctx context.Context, h *Holds, x Hold, limit time.Duration) chan Decision {
	out := make(chan Decision, 1)
	go func() { out <- h.Wait(ctx, x, limit) }()
	synctest.Wait()
	return out
}

func TestAHoldEndsOnlyForAReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHolds()
		got := wait(t.Context(), h, Hold{What: HeldCall}, 50*time.Second)
		time.Sleep(49 * time.Second)
		select {
		case d := <-got:
			t.Fatalf("went after 49 s: %+v", d)
		default:
		}
		time.Sleep(2 * time.Second)
		if d := <-got; d.Do != Go || d.By != ByDeadline {
			t.Errorf("at the deadline: %+v", d)
		}
		forever := wait(t.Context(), h, Hold{What: HeldCall}, 0)
		time.Sleep(24 * time.Hour)
		if n := len(h.List()); n != 1 {
			t.Errorf("%d are held after a day, want 1", n)
		}
		h.LetGo(ByScreen)
		if d := <-forever; d.Do != Go || d.By != ByScreen {
			t.Errorf("when the screen went: %+v", d)
		}
	})
}

func TestAClientThatGivesUpIsNeverServedLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHolds()
		ctx, cancel := context.WithCancel(t.Context())
		got := wait(ctx, h, Hold{What: HeldCall}, 0)
		id := h.List()[0].ID
		cancel()
		if d := <-got; d.Do != Drop || d.By != ByClient {
			t.Errorf("the client gave up: %+v", d)
		}
		if err := h.Decide(id, Decision{Do: Go}); err == nil {
			t.Error("a hold that is over was decided")
		}
	})
}

func TestARetryJoinsItsHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHolds()
		ctx, cancel := context.WithCancel(t.Context())
		first := wait(ctx, h, Hold{What: HeldModel, Key: "k"}, 0)
		cancel()
		<-first
		time.Sleep(joinFor / 2)
		second := wait(t.Context(), h, Hold{What: HeldModel, Key: "k"}, 0)
		time.Sleep(2 * joinFor)
		if l := h.List(); len(l) != 1 || l[0].ID != "h1" {
			t.Fatalf("held: %+v", l)
		}
		if err := h.Decide("h1", Decision{Do: Go}); err != nil {
			t.Fatal(err)
		}
		if d := <-second; d.Do != Go || d.By != ByPerson {
			t.Errorf("the retry: %+v", d)
		}
		ctx, cancel = context.WithCancel(t.Context())
		third := wait(ctx, h, Hold{What: HeldModel, Key: "k"}, 0)
		cancel()
		<-third
		time.Sleep(2 * joinFor)
		if l := h.List(); len(l) != 0 {
			t.Errorf("nobody came again, and it is still held: %+v", l)
		}
	})
}

func TestStepAndRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHolds()
		h.StopNext("step")
		if why, ok := h.Stops(); !ok || why != "step" {
			t.Fatalf("step stops nothing: %q", why)
		}
		a := wait(t.Context(), h, Hold{What: HeldCall, Action: "1"}, 0)
		if why, ok := h.Stops(); !ok || why != "the call before it is held" {
			t.Errorf("a second call: %q %v", why, ok)
		}
		b := wait(t.Context(), h, Hold{What: HeldCall, Action: "2"}, 0)
		if err := h.Decide("h1", Decision{Do: Go, Then: ThenResult}); err != nil {
			t.Fatal(err)
		}
		if <-a; !h.StopsResult("1") || h.StopsResult("2") {
			t.Error("the result of the first call alone is to be held")
		}
		if err := h.Decide("h2", Decision{Do: Go, Then: ThenStep}); err != nil {
			t.Fatal(err)
		}
		if <-b; h.Quiet() {
			t.Error("nothing stops the next call")
		}
		c := wait(t.Context(), h, Hold{What: HeldResult, Action: "1"}, 0)
		d := wait(t.Context(), h, Hold{What: HeldCall, Action: "3"}, 0)
		if err := h.Decide("h3", Decision{Do: Go}); err != nil {
			t.Fatal(err)
		}
		<-c
		if got := <-d; got.Do != Go {
			t.Errorf("run lets everything go: %+v", got)
		}
		if _, ok := h.Stops(); ok || !h.Quiet() {
			t.Error("after run nothing stops")
		}
	})
}

func TestDecisionsThatDoNotFit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHolds()
		got := wait(t.Context(), h, Hold{What: HeldResult, Action: "1"}, 0)
		for name, d := range map[string]Decision{
			"no such thing": {Do: "jump"}, "answer a result": {Do: Answer, Result: []byte("{}")},
			"arguments of a result": {Do: Go, Args: []byte("{}")}, "no JSON": {Do: Go, Result: []byte("{")},
			"no object": {Do: Go, Result: []byte(" [1]")}, "the result of a result": {Do: Go, Then: ThenResult},
		} {
			if err := h.Decide("h1", d); err == nil {
				t.Errorf("%s: no error", name)
			}
		}
		if err := h.Decide("h1", Decision{Do: Go, Result: []byte(` {"content":[]}`)}); err != nil {
			t.Error(err)
		}
		<-got
	})
}
