package aria

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed js/*.js
var sources embed.FS

// Script is the JavaScript to evaluate once in each document. Evaluating it
// again in the same world changes nothing: refs handed out stay good.
var Script = assemble(sources)

// assemble joins the files in the order of their names inside one function, so
// that nothing but __snapscope is left in the world it runs in.
func assemble(files fs.FS) string {
	names, err := fs.Glob(files, "js/*.js") // sorted by name
	if err != nil {
		panic("aria: " + err.Error()) // the pattern is a constant
	}
	var b strings.Builder
	b.WriteString("(() => {\n'use strict';\nif (globalThis.__snapscope) return;\n")
	for _, name := range names {
		body, err := fs.ReadFile(files, name)
		if err != nil {
			panic("aria: " + err.Error()) // the file was embedded
		}
		b.Write(body)
		b.WriteByte('\n')
	}
	b.WriteString("})();\n")
	return b.String()
}
