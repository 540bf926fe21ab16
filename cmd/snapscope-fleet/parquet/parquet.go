// Package parquet writes a part's rows as Parquet: the columns of its JSON lines, see
// sweep.Row. A column that a JSON row leaves out is null.
package parquet

import (
	"bytes"
	"fmt"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"snapscope/replay/sweep"
)

// Name is the file of a chunk's rows.
func Name(chunk int) string { return fmt.Sprintf("part-%06d.parquet", chunk) }

type row struct {
	Index     int64   `parquet:"index,delta"`
	Recording string  `parquet:"recording,dict"`
	Site      *string `parquet:"site,optional,dict"`
	Model     *string `parquet:"model,optional,dict"`
	Format    *string `parquet:"format,optional,dict"`
	Full      int64   `parquet:"full_input_tokens"`
	Setting   *string `parquet:"setting,optional,dict"`
	Point     *int64  `parquet:"point,optional"`
	Input     *int64  `parquet:"input_tokens,optional"`
	Appended  *int64  `parquet:"appended_tokens,optional"`
	Peak      *int64  `parquet:"peak_tokens,optional"`
	Cached    *int64  `parquet:"cached_tokens,optional"`
	Acted     *int64  `parquet:"acted,optional"`
	Survived  *int64  `parquet:"survived,optional"`
	Lost      *int64  `parquet:"lost,optional"`
	Quotes    *int64  `parquet:"quotes,optional"`
	Read      *int64  `parquet:"quotes_kept,optional"`
	Nano      *int64  `parquet:"cost_nano_usd,optional"`
	Error     *string `parquet:"error,optional"`
	Partial   *int64  `parquet:"partial,optional"`
}

// Encode is the file of a chunk's outcomes, which are in their order. settings are
// the Names of the grid.
func Encode(outs []sweep.Outcome, settings []string) ([]byte, error) {
	var b bytes.Buffer
	w := pq.NewGenericWriter[row](&b, pq.Compression(&zstd.Codec{}), pq.CreatedBy("snapscope", "", ""))
	for _, o := range outs {
		rows := o.Rows(settings)
		out := make([]row, len(rows))
		for i, r := range rows {
			out[i] = of(r)
		}
		if _, err := w.Write(out); err != nil {
			return nil, fmt.Errorf("writing Parquet: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("writing Parquet: %w", err)
	}
	return b.Bytes(), nil
}

func of(r sweep.Row) row {
	out := row{
		Index: int64(r.Index), Recording: r.Recording, Site: known(r.Site), Model: known(r.Model), Format: known(r.Format),
		Full: int64(r.Full), Setting: known(r.Setting), Error: known(r.Error),
	}
	if r.Partial > 0 {
		out.Partial = number(r.Partial)
	}
	if f := r.Figures; f != nil {
		out.Point, out.Input, out.Appended, out.Peak = number(f.Point), number(f.Input), number(f.Appended), number(f.Peak)
		out.Lost, out.Quotes, out.Read = number(f.Lost), number(f.Quotes), number(f.Read)
		out.Cached, out.Acted, out.Survived, out.Nano = number(f.Cached), number(f.Acted), number(f.Survived), f.Nano
	}
	return out
}

func known(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func number(n int) *int64 {
	v := int64(n)
	return &v
}
