//go:build !race

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// schemaOf writes JSON Schemas (draft 2020-12) of Go types as their source has
// them: the keys and what may be left out from the tags, the words from the
// comments, the values of a named string from its constants. It reads source
// and not values because most of these types are private to their package.
type schemaOf struct {
	t     *testing.T
	pkgs  map[string]*source
	defs  map[string]any
	owner map[string]string // the type behind a name of defs
}

// source is one package of ours.
type source struct {
	types  map[string]*ast.TypeSpec
	docs   map[string]string
	files  map[string]*ast.File // by the type's name, for its imports
	values map[string][]any     // the constants of a type
}

// object is a JSON object; encoding/json sorts its keys.
type object = map[string]any

// standIn is for types whose JSON is another type's.
var standIn = map[string]string{"session/policy.Stage": "stageJSON"}

// document is the schema of one line or one answer.
func (s *schemaOf) document(title, pkg, name string, list bool) object {
	s.defs, s.owner = object{}, map[string]string{}
	root := s.named(pkg, name)
	out := object{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
	if list {
		out["type"], out["items"] = "array", root
	} else {
		out["$ref"] = root["$ref"]
	}
	out["$defs"] = s.defs
	return out
}

func (s *schemaOf) load(pkg string) *source {
	if p, ok := s.pkgs[pkg]; ok {
		return p
	}
	p := &source{map[string]*ast.TypeSpec{}, map[string]string{}, map[string]*ast.File{}, map[string][]any{}}
	s.pkgs[pkg] = p
	set := token.NewFileSet()
	files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pkg), "*.go"))
	if err != nil || len(files) == 0 {
		s.t.Fatalf("no source of %s: %v", pkg, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				p.take(f, g)
			}
		}
	}
	return p
}

func (p *source) take(f *ast.File, g *ast.GenDecl) {
	for _, spec := range g.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			p.types[spec.Name.Name], p.files[spec.Name.Name] = spec, f
			doc := spec.Doc.Text()
			if doc == "" {
				doc = g.Doc.Text()
			}
			p.docs[spec.Name.Name] = oneLine(doc)
		case *ast.ValueSpec:
			typ, ok := spec.Type.(*ast.Ident)
			if g.Tok != token.CONST || !ok {
				continue
			}
			for _, v := range spec.Values {
				if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					if text, err := strconv.Unquote(lit.Value); err == nil && text != "" {
						p.values[typ.Name] = append(p.values[typ.Name], text)
					}
				}
			}
		}
	}
}

// named is a reference to a type of a package, which it writes down once.
func (s *schemaOf) named(pkg, name string) object {
	if as, ok := standIn[pkg+"."+name]; ok {
		name = as
	}
	p := s.load(pkg)
	spec, ok := p.types[name]
	if !ok {
		s.t.Fatalf("%s has no type %s", pkg, name)
	}
	if _, is := spec.Type.(*ast.StructType); !is {
		out := s.expr(pkg, p.files[name], spec.Type)
		if v := p.values[name]; len(v) > 0 {
			out["enum"] = slices.Compact(slices.SortedFunc(slices.Values(v), func(a, b any) int { return strings.Compare(a.(string), b.(string)) }))
		}
		return out
	}
	key := strings.TrimSuffix(strings.TrimPrefix(name, "json"), "JSON")
	key = strings.ToLower(key[:1]) + key[1:]
	if of, ok := s.owner[key]; ok && of != pkg+"."+name {
		key = pkg[strings.LastIndex(pkg, "/")+1:] + "." + key
	}
	s.owner[key] = pkg + "." + name
	if _, ok := s.defs[key]; !ok {
		s.defs[key] = object{} // a type may hold itself
		def := s.structure(pkg, p.files[name], spec.Type.(*ast.StructType))
		if doc := p.docs[name]; doc != "" {
			def["description"] = doc
		}
		s.defs[key] = def
	}
	return object{"$ref": "#/$defs/" + key}
}

// structure is a struct's keys; those of an embedded struct are its own unless
// it has the same key itself.
func (s *schemaOf) structure(pkg string, f *ast.File, st *ast.StructType) object {
	props, required := object{}, []string{}
	add := func(key string, schema any, must bool) {
		props[key] = schema
		required = slices.DeleteFunc(required, func(k string) bool { return k == key })
		if must {
			required = append(required, key)
		}
	}
	for _, field := range st.Fields.List {
		if len(field.Names) > 0 {
			continue
		}
		inner := s.inner(pkg, f, field.Type)
		must, _ := inner["required"].([]string)
		if _, ok := field.Type.(*ast.StarExpr); ok { // it may be nil
			must = nil
		}
		for key, schema := range inner["properties"].(object) {
			add(key, schema, slices.Contains(must, key))
		}
	}
	for _, field := range st.Fields.List {
		for _, name := range field.Names {
			var tag string
			if field.Tag != nil {
				tag = reflect.StructTag(strings.Trim(field.Tag.Value, "`")).Get("json")
			}
			key, rest, _ := strings.Cut(tag, ",")
			if key == "-" || !name.IsExported() {
				continue
			}
			if key == "" {
				key = name.Name
			}
			schema := s.expr(pkg, f, field.Type)
			doc := field.Comment.Text()
			if doc == "" {
				doc = field.Doc.Text()
			}
			if doc = oneLine(doc); doc != "" {
				schema["description"] = doc
			}
			add(key, schema, !strings.Contains(rest, "omit"))
		}
	}
	slices.Sort(required)
	return object{"type": "object", "properties": props, "required": required}
}

// inner is the structure of an embedded type.
func (s *schemaOf) inner(pkg string, f *ast.File, e ast.Expr) object {
	name := ""
	switch e := e.(type) {
	case *ast.Ident:
		name = e.Name
	case *ast.SelectorExpr:
		pkg, name = s.imported(f, e), e.Sel.Name
	case *ast.StarExpr:
		return s.inner(pkg, f, e.X)
	default:
		s.t.Fatalf("%s embeds what is no name", pkg)
	}
	p := s.load(pkg)
	return s.structure(pkg, p.files[name], p.types[name].Type.(*ast.StructType))
}

// imported is the package of ours that a name with a dot is of.
func (s *schemaOf) imported(f *ast.File, e *ast.SelectorExpr) string {
	short := e.X.(*ast.Ident).Name
	for _, imp := range f.Imports {
		path, _ := strconv.Unquote(imp.Path.Value)
		if imp.Name != nil && imp.Name.Name == short || imp.Name == nil && path[strings.LastIndex(path, "/")+1:] == short {
			return strings.TrimPrefix(path, "snapscope/")
		}
	}
	s.t.Fatalf("%s is imported by nobody", short)
	return ""
}

func (s *schemaOf) expr(pkg string, f *ast.File, e ast.Expr) object {
	switch e := e.(type) {
	case *ast.Ident:
		if basic, ok := jsonBasics[e.Name]; ok {
			if basic == "" {
				return object{}
			}
			return object{"type": basic}
		}
		return s.named(pkg, e.Name)
	case *ast.SelectorExpr:
		switch from := s.imported(f, e); from {
		case "time":
			if e.Sel.Name == "Duration" {
				return object{"type": "integer"}
			}
			return object{"type": "string", "format": "date-time"}
		case "encoding/json": // RawMessage: whatever it was
			return object{}
		default:
			return s.named(from, e.Sel.Name)
		}
	case *ast.StarExpr:
		return object{"anyOf": []any{s.expr(pkg, f, e.X), object{"type": "null"}}}
	case *ast.ArrayType:
		return object{"type": "array", "items": s.expr(pkg, f, e.Elt)}
	case *ast.MapType:
		return object{"type": "object", "additionalProperties": s.expr(pkg, f, e.Value)}
	case *ast.StructType:
		return s.structure(pkg, f, e)
	case *ast.InterfaceType:
		return object{}
	}
	s.t.Fatalf("%s: no schema for a %T", pkg, e)
	return nil
}

var jsonBasics = map[string]string{
	"string": "string", "bool": "boolean", "int": "integer", "int64": "integer", "uint64": "integer",
	"float64": "number", "any": "", "rune": "integer",
}
