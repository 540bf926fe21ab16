package format

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"sort"
	"strings"

	"snapscope/replay/tape"
)

// The bounds of an archive. A trace that says more of itself, or unpacks to
// more, is read up to there.
const maxZip = 1 << 30 // bytes of the archive itself

// openZip tells an archive from a plain trace. ok: r is to be read with
// eachZipped.
func openZip(p *importer, r io.Reader) (rest io.Reader, ok bool, err error) {
	b := bufio.NewReaderSize(r, 64<<10)
	magic, err := b.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) && len(magic) == 0 {
		return nil, false, err
	}
	return b, string(magic) == "PK\x03\x04", nil
}

// eachZipped reads the .trace files of an archive in the order of their names.
func eachZipped(ctx context.Context, p *importer, r io.Reader, f func(line int, v tape.Value)) error {
	raw, err := io.ReadAll(io.LimitReader(r, maxZip+1))
	if err != nil {
		return err
	}
	p.im.Bytes = int64(len(raw))
	if len(raw) > maxZip {
		return fmt.Errorf("%s: the archive is larger than 1 GB, more than is read", p.im.Path)
	}
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return fmt.Errorf("%s: the archive cannot be read: %w", p.im.Path, err)
	}
	var traces []*zip.File
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, ".trace") && path.Base(f.Name) != "test.trace" {
			traces = append(traces, f)
		}
	}
	if len(traces) == 0 {
		return fmt.Errorf("%s: the archive holds no .trace file, so it is no Playwright trace", p.im.Path)
	}
	sort.Slice(traces, func(i, j int) bool { return traces[i].Name < traces[j].Name })
	left := p.opt.Raise(MaxUnpacked)
	for _, t := range traces {
		in, err := t.Open()
		if err != nil {
			p.im.skip("trace in the archive that cannot be read", 0)
			continue
		}
		limit := min(left, max(FreeUnpacked, int64(t.CompressedSize64)*p.opt.Raise(MaxRatio)))
		bounded := &io.LimitedReader{R: in, N: limit}
		size := p.im.Bytes
		err = eachLine(ctx, p, bounded, f)
		p.im.Bytes = size
		in.Close()
		left -= limit - bounded.N
		if bounded.N == 0 {
			p.im.Cut = true
			p.im.skip(fmt.Sprintf("trace that unpacks to more than %s; the rest was not read (--limits raises the bound)", sizeText(int(limit))), 0)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil { // a damaged entry: what came before it is kept
			p.im.Cut = true
			p.im.skip("damaged trace in the archive", 0)
		}
	}
	return nil
}
