package transcript

// unknownKind counts an entry whose kind is not known.
func (p *importer) unknownKind(kind string, line int) {
	if kind == "" {
		kind = "(none)"
	}
	if len(kind) > 60 {
		kind = kind[:60]
	}
	p.im.skip("entry of unknown kind "+validText(kind), line)
	if p.opt.Unknowns {
		p.im.unknown(validText(kind), "", line)
	}
}

// fields collects the fields of an entry that are not known.
func (p *importer) fields(kind string, v val, known map[string]bool, line int) {
	if !p.opt.Unknowns {
		return
	}
	v.fields(func(key string, _ val) {
		if !known[key] {
			p.im.unknown(kind, key, line)
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
		p.im.unknown(kind, field, line)
	}
}
