// Package token counts the tokens of a text: exactly, with the encodings of
// public models, or by estimators that say they are estimates.
//
// It is the only importer of the tokenizer.
package token

// Default is the encoding used where none is named.
const Default = "o200k_base"

// Counter counts tokens. It is safe for concurrent use.
type Counter interface {
	Name() string // o200k_base, chars4, …
	Exact() bool  // false: an estimator
	Count(text string) int
}
