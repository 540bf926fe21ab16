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

// Object is the JavaScript expression of the object that Script leaves behind.
// Its key is a symbol: a page can give an element any name, and an element is
// reached by its name from every world (HTML, "named properties on the Window
// object"), but no name is a symbol.
const Object = "globalThis[Symbol.for('snapscope')]"

// assemble joins the files in the order of their names inside one function, so
// that nothing but Object is left in the world it runs in.
func assemble(files fs.FS) string {
	names, err := fs.Glob(files, "js/*.js") // sorted by name
	if err != nil {
		panic("aria: " + err.Error()) // the pattern is a constant
	}
	var b strings.Builder
	b.WriteString("(() => {\n'use strict';\nif (" + Object + ") return;\n")
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
