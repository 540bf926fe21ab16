package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"
)

// The bill of materials is an SPDX 2.3 document (https://spdx.github.io/spdx-spec/v2.3/)
// of what the binary itself says it was linked from: not what go.mod allows.
type spdx struct {
	Version   string        `json:"spdxVersion"`
	License   string        `json:"dataLicense"`
	ID        string        `json:"SPDXID"`
	Name      string        `json:"name"`
	Namespace string        `json:"documentNamespace"`
	Creation  creation      `json:"creationInfo"`
	Packages  []spdxPackage `json:"packages"`
	Relations []relation    `json:"relationships"`
}

type creation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type spdxPackage struct {
	ID       string      `json:"SPDXID"`
	Name     string      `json:"name"`
	Version  string      `json:"versionInfo"`
	Download string      `json:"downloadLocation"`
	Analyzed bool        `json:"filesAnalyzed"`
	Comment  string      `json:"comment,omitempty"` // the module's hash in go.sum
	Sums     []checksum  `json:"checksums,omitempty"`
	Refs     []reference `json:"externalRefs"`
}

type checksum struct {
	Algorithm string `json:"algorithm"`
	Value     string `json:"checksumValue"`
}

type reference struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type relation struct {
	From string `json:"spdxElementId"`
	Type string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

// writeBill writes a binary's bill of materials.
func writeBill(binary, out string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return fmt.Errorf("reading what %s was built from: %w", binary, err)
	}
	hash, err := sum(binary)
	if err != nil {
		return err
	}
	st, err := os.Stat(binary)
	if err != nil {
		return err
	}
	b, err := json.MarshalIndent(bill(info, fmt.Sprintf("%x", hash), st.ModTime()), "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	return os.WriteFile(out, append(b, '\n'), 0o644)
}

// bill lists the modules of a binary. The document's name holds the binary's
// hash, so that it is unique and the same each time; at is the binary's own date,
// which is its commit's.
func bill(info *debug.BuildInfo, hash string, at time.Time) spdx {
	setting := map[string]string{}
	for _, s := range info.Settings {
		setting[s.Key] = s.Value
	}
	system := setting["GOOS"] + "-" + setting["GOARCH"]
	doc := spdx{
		Version: "SPDX-2.3", License: "CC0-1.0", ID: "SPDXRef-DOCUMENT",
		Name:      "snapscope-" + system,
		Namespace: "https://spdx.org/spdxdocs/snapscope-" + system + "-" + hash,
		Creation:  creation{at.UTC().Format(time.RFC3339), []string{"Tool: snapscope-dist"}},
	}
	const program = "SPDXRef-snapscope"
	doc.Packages = append(doc.Packages, spdxPackage{
		ID: program, Name: info.Main.Path, Version: info.Main.Version, Download: "NOASSERTION",
		Sums: []checksum{{"SHA256", hash}}, Refs: []reference{golang(info.Main.Path, "")},
	})
	doc.Relations = append(doc.Relations, relation{doc.ID, "DESCRIBES", program})
	add := func(name, version, hash string) {
		id := "SPDXRef-" + spdxID(name)
		doc.Packages = append(doc.Packages, spdxPackage{
			ID: id, Name: name, Version: version, Download: "NOASSERTION",
			Comment: hash, Refs: []reference{golang(name, version)},
		})
		doc.Relations = append(doc.Relations, relation{program, "DEPENDS_ON", id})
	}
	add("stdlib", strings.TrimPrefix(info.GoVersion, "go"), "")
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		add(m.Path, m.Version, m.Sum)
	}
	return doc
}

// golang is a module's package URL (https://github.com/package-url/purl-spec).
func golang(name, version string) reference {
	if version != "" {
		version = "@" + version
	}
	return reference{"PACKAGE-MANAGER", "purl", "pkg:golang/" + name + version}
}

// spdxID keeps the letters that an SPDX identifier may have.
func spdxID(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '-'
	}, s)
}
