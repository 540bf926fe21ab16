// Package shard counts a shard's sessions in processes of their own.
//
//	worker ─▶ Runner ─ a session ─▶ counting process (Serve) ─▶ sweep.Stream
//	                 ◀─ its outcome ┘  memory and time bounded
//
// A session that takes too much memory, ends its process or does not end takes that
// process with it and nothing else: it is tried once more in a process where nothing
// was before it, and becomes an outcome with its error if that ends alike. So one
// session is named at once, and the shard's others are counted.
package shard

import (
	"snapscope/replay/sweep"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/token"
)

// Job is everything that decides a session's outcome: what a worker must know
// besides the session's name. It is what a sweep's manifest says, with the prices
// themselves.
type Job struct {
	Program  string        `json:"program"`
	Policy   policy.Policy `json:"policy"`
	Axes     []sweep.Axis  `json:"axes"`
	Encoding string        `json:"encoding"`
	Prices   string        `json:"prices"` // a price table in TOML
	Model    string        `json:"model,omitempty"`
	Fixed    [2]int        `json:"system_and_definition_tokens"`
	Format   string        `json:"format,omitempty"`
	Limits   int           `json:"limits,omitempty"`
	Secrets  bool          `json:"keep_secrets,omitempty"`
	// Dir is the folder that names of files are relative to.
	Dir     string `json:"dir,omitempty"`
	Parquet bool   `json:"parquet,omitempty"`
}

// Manifest is the job as the manifest of a sweep over inputs.
func (j Job) Manifest(inputs []sweep.InputFile) (sweep.Manifest, error) {
	prices, err := ledger.ParsePrices("the prices", []byte(j.Prices))
	return sweep.Manifest{
		Program: j.Program, Policy: j.Policy, Axes: j.Axes, Encoding: j.Encoding,
		Prices: sweep.PricesDigest(prices), Model: j.Model, Fixed: j.Fixed, Inputs: inputs,
		Reading: sweep.ReadingFlags(j.Format, j.Limits, j.Secrets),
	}, err
}

// Options are what the ledger needs.
func (j Job) Options() (sweep.Options, error) {
	count, err := token.New(j.Encoding)
	if err != nil {
		return sweep.Options{}, err
	}
	prices, err := ledger.ParsePrices("the prices", []byte(j.Prices))
	if err != nil {
		return sweep.Options{}, err
	}
	return sweep.Options{
		Count: count.Count, Parallel: 1,
		Ledger: ledger.Options{Prices: prices, Model: j.Model, System: j.Fixed[0], Definitions: j.Fixed[1]},
	}, nil
}

// Plan says which sessions the shards of one batch hold.
type Plan struct {
	Shards []Shard `json:"shards"`
}

// Shard is a run of neighbouring sessions that become one part.
type Shard struct {
	Chunk  int      `json:"chunk"` // the part's number
	From   int      `json:"from"`  // the first session's place in the input
	Inputs []string `json:"inputs"`
}
