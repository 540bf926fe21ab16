// Package textdiff compares texts by line and lines by word. It is the only
// importer of go-diff.
package textdiff
