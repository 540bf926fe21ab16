package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed npm
var npmFiles embed.FS

// npmScope is where the packages of the single systems are published; npm
// installs only the one whose os and cpu are the machine's, because the program's
// own package names all of them as optional
// (https://docs.npmjs.com/cli/configuring-npm/package-json#optionaldependencies).
const npmScope = "@snapscope/"

// manifest is an npm package.json.
type manifest struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	License     string            `json:"license"`
	Keywords    []string          `json:"keywords,omitempty"`
	Bin         map[string]string `json:"bin,omitempty"`
	Files       []string          `json:"files"`
	Engines     map[string]string `json:"engines,omitempty"`
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
}

// npmSystem is a target in the words of process.platform and process.arch.
func npmSystem(t target) (platform, cpu string) {
	platform, cpu = t.Os, t.Arch
	if platform == "windows" {
		platform = "win32"
	}
	if cpu == "amd64" {
		cpu = "x64"
	}
	return platform, cpu
}

// npmFile is what npm pack calls a package's file.
func npmFile(name, version string) string {
	return strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-") + "-" + version + ".tgz"
}

// writeNpm packs the program's npm package and one package a system.
func writeNpm(made []target, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	license, err := os.ReadFile("LICENSE")
	if err != nil {
		return err
	}
	main := manifest{
		Name: "snapscope", Version: made[0].Version, License: "Apache-2.0",
		Description: "The terminal debugger for what browser agents read",
		Keywords:    []string{"browser", "agent", "playwright", "mcp", "accessibility", "snapshot", "tokens", "debugger"},
		Bin:         map[string]string{"snapscope": "bin/snapscope.js"},
		Files:       []string{"bin"}, Engines: map[string]string{"node": ">=18"}, Optional: map[string]string{},
	}
	for _, t := range made {
		platform, cpu := npmSystem(t)
		m := manifest{
			Name: npmScope + platform + "-" + cpu, Version: t.Version, License: "Apache-2.0",
			Description: fmt.Sprintf("The snapscope binary for %s on %s; install snapscope instead", platform, cpu),
			Files:       []string{"bin"}, OS: []string{platform}, CPU: []string{cpu},
		}
		main.Optional[m.Name] = t.Version
		data, err := os.ReadFile(t.binary)
		if err != nil {
			return err
		}
		files := []entry{
			{"package/LICENSE", license, false},
			{"package/README.md", []byte("# " + m.Name + "\n\n" + m.Description + ".\n"), false},
			{"package/bin/" + filepath.Base(t.binary), data, true},
		}
		if err := writePackage(m, files, t, folder); err != nil {
			return err
		}
	}
	files := []entry{{"package/LICENSE", license, false}}
	for _, name := range []string{"README.md", "bin/snapscope.js"} {
		data, err := npmFiles.ReadFile("npm/" + name)
		if err != nil {
			return err
		}
		files = append(files, entry{"package/" + name, data, strings.HasSuffix(name, ".js")})
	}
	return writePackage(main, files, made[0], folder)
}

func writePackage(m manifest, files []entry, t target, folder string) error {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	files = append(files, entry{"package/package.json", append(b, '\n'), false})
	slices.SortFunc(files, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	data, err := tarGz(files, t.at)
	if err != nil {
		return fmt.Errorf("packing %s: %w", m.Name, err)
	}
	return os.WriteFile(filepath.Join(folder, npmFile(m.Name, m.Version)), data, 0o644)
}
