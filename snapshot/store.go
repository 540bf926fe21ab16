package snapshot

import (
	"fmt"
	"math/bits"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Store keeps many snapshot texts in little memory, each under its hash. It is
// safe for concurrent use.
//
// The snapshots of a session repeat each other, so a text is compressed with an
// earlier one, its base, as the dictionary: what remains is about the size of
// what changed, and reading one text back touches only its base. A text becomes
// a base itself when none of the bases used last helps with it, or when what was
// stored with a base weighs more than a new base would.
type Store struct {
	mu    sync.Mutex
	texts map[string]packed
	live  []*base // those with an encoder, the one used last first
	open  []*base // those with a decoder, the one used last first
	bytes int
	plain *zstd.Encoder
	read  *zstd.Decoder
}

// packed is one text: a frame to unpack with its base; the base's own text has
// none.
type packed struct {
	base  *base
	frame []byte
}

type base struct {
	frame []byte // its text, compressed alone
	spent int    // bytes of the frames that need it
	enc   *zstd.Encoder
	dec   *zstd.Decoder
}

const (
	liveBases = 3  // bases tried for a new text
	openBases = 8  // decoders kept
	helps     = 4  // a base helps when a frame is at most 1/4 of its text
	enough    = 16 // at 1/16 no other base is tried
	dictID    = 1  // any number: a frame is only ever read with its own base
)

// NewStore makes an empty store.
func NewStore() *Store { return &Store{texts: map[string]packed{}} }

// Put keeps a text and answers its hash (HashText). The error is the
// compressor's own and leaves the store as it was.
func (s *Store) Put(text string) (string, error) {
	hash := HashText(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.texts[hash]; ok {
		return hash, nil
	}
	best, err := s.pack(text)
	if err != nil {
		return "", fmt.Errorf("storing a snapshot: %w", err)
	}
	s.touch(best.base)
	s.texts[hash] = best
	s.bytes += len(best.frame) + len(hash)
	return hash, nil
}

// pack compresses a text with the best of the live bases, or makes it one.
func (s *Store) pack(text string) (packed, error) {
	best := packed{}
	for _, b := range s.live {
		frame := b.enc.EncodeAll([]byte(text), nil)
		if best.base == nil || len(frame) < len(best.frame) {
			best = packed{b, frame}
		}
		if len(frame) <= len(text)/enough {
			break
		}
	}
	if b := best.base; b != nil && len(best.frame) <= len(text)/helps && b.spent <= len(b.frame) {
		b.spent += len(best.frame)
		best.frame = append([]byte(nil), best.frame...) // without the spare capacity
		return best, nil
	}
	b, err := s.newBase(text)
	return packed{base: b}, err
}

// touch moves a base to the front of the live ones and lets the last one's
// encoder go.
func (s *Store) touch(b *base) {
	s.live = front(s.live, b)
	if len(s.live) > liveBases {
		last := s.live[liveBases]
		s.live = s.live[:liveBases]
		last.enc = nil
	}
}

func front(list []*base, b *base) []*base {
	out := append(make([]*base, 0, len(list)+1), b)
	for _, x := range list {
		if x != b {
			out = append(out, x)
		}
	}
	return out
}

func (s *Store) newBase(text string) (*base, error) {
	if s.plain == nil {
		enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
		if err != nil {
			return nil, err
		}
		s.plain = enc
	}
	window := 1 << max(17, bits.Len(uint(4*len(text)))) // the base must stay in reach of the whole text
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderDictRaw(dictID, []byte(text)), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(min(window, zstd.MaxWindowSize)), zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return nil, err
	}
	frame := append([]byte(nil), s.plain.EncodeAll([]byte(text), nil)...)
	s.bytes += len(frame)
	return &base{frame: frame, enc: enc}, nil
}

// Get answers the text under a hash; ok is false where there is none.
func (s *Store) Get(hash string) (text string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.texts[hash]
	if !ok {
		return "", false
	}
	out, err := s.unpack(p)
	return string(out), err == nil // the frames are our own: an error would be broken memory
}

func (s *Store) unpack(p packed) ([]byte, error) {
	if s.read == nil {
		dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		s.read = dec
	}
	b := p.base
	if len(p.frame) == 0 {
		return s.read.DecodeAll(b.frame, nil)
	}
	if b.dec == nil {
		text, err := s.read.DecodeAll(b.frame, nil)
		if err != nil {
			return nil, err
		}
		b.dec, err = zstd.NewReader(nil, zstd.WithDecoderDictRaw(dictID, text), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
	}
	s.open = front(s.open, b)
	if len(s.open) > openBases {
		last := s.open[openBases]
		s.open = s.open[:openBases]
		last.dec.Close()
		last.dec = nil
	}
	return b.dec.DecodeAll(p.frame, nil)
}

// Len is the number of texts kept.
func (s *Store) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.texts)
}

// Bytes is what the texts take, without the few megabytes the compressor itself
// works in.
func (s *Store) Bytes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}
