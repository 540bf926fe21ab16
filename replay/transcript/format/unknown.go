package format

import (
	"strconv"

	"snapscope/replay/tape"
)

// unknownKind counts an entry whose kind is not known.
func (p *importer) unknownKind(kind string, line int) {
	kind = plainName(kind)
	p.im.skip("entry of unknown kind "+kind, line)
	if p.opt.Unknowns {
		p.im.unknown(kind, "", line)
	}
}

// plainName makes a name that a file gives fit for a line of a report.
func plainName(s string) string {
	if s == "" {
		return "(none)"
	}
	if len(s) > 60 {
		s = s[:60]
	}
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return strconv.QuoteToASCII(s)
		}
	}
	return s
}

// fields collects the fields of an entry that are not known.
func (p *importer) fields(kind string, v tape.Value, known map[string]bool, line int) {
	if !p.opt.Unknowns {
		return
	}
	v.Fields(func(key string, _ tape.Value) {
		if !known[key] {
			p.im.unknown(plainName(kind), plainName(key), line)
		}
	})
}

// block collects a kind of content block that is not known.
func (p *importer) block(kind string, known map[string]bool, line int) {
	if known[kind] {
		return
	}
	p.unknownKind("content "+kind, line)
}

func words(list ...string) map[string]bool {
	out := make(map[string]bool, len(list))
	for _, w := range list {
		out[w] = true
	}
	return out
}

// fieldUnknown collects one field.
func (p *importer) fieldUnknown(kind, field string, line int) {
	if p.opt.Unknowns {
		p.im.unknown(kind, plainName(field), line)
	}
}
