package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/goccy/go-yaml"
)

// plan is the part of goreleaser's configuration that this project uses; the
// names are goreleaser's (https://goreleaser.com/customization/).
type plan struct {
	Version int    `yaml:"version"`
	Project string `yaml:"project_name"`
	Dist    string `yaml:"dist"`
	Before  struct {
		Hooks []string `yaml:"hooks"`
	} `yaml:"before"`
	Builds   []buildPlan   `yaml:"builds"`
	Archives []archivePlan `yaml:"archives"`
	Sboms    []struct {
		Artifacts string   `yaml:"artifacts"`
		Cmd       string   `yaml:"cmd"`
		Args      []string `yaml:"args"`
		Documents []string `yaml:"documents"`
	} `yaml:"sboms"`
	Checksum struct {
		Name string `yaml:"name_template"`
	} `yaml:"checksum"`
	Snapshot struct {
		Version string `yaml:"version_template"`
	} `yaml:"snapshot"`
	Changelog struct {
		Disable bool `yaml:"disable"`
	} `yaml:"changelog"`
}

type buildPlan struct {
	ID           string   `yaml:"id"`
	Main         string   `yaml:"main"`
	Binary       string   `yaml:"binary"`
	Env          []string `yaml:"env"`
	Goos         []string `yaml:"goos"`
	Goarch       []string `yaml:"goarch"`
	Flags        []string `yaml:"flags"`
	Ldflags      []string `yaml:"ldflags"`
	ModTimestamp string   `yaml:"mod_timestamp"`
}

type archivePlan struct {
	ID        string   `yaml:"id"`
	Name      string   `yaml:"name_template"`
	Wrap      bool     `yaml:"wrap_in_directory"`
	Formats   []string `yaml:"formats"`
	Overrides []struct {
		Goos    string   `yaml:"goos"`
		Formats []string `yaml:"formats"`
	} `yaml:"format_overrides"`
	Files []packed `yaml:"files"`
}

// packed is a file of every archive: a path, or a pattern and the folder its
// matches go to.
type packed struct {
	Src   string `yaml:"src"`
	Dst   string `yaml:"dst"`
	Strip bool   `yaml:"strip_parent"`
}

// UnmarshalYAML takes the short form too, which is a path alone.
func (p *packed) UnmarshalYAML(b []byte) error {
	if err := yaml.Unmarshal(b, &p.Src); err == nil {
		return nil
	}
	type plain packed
	return yaml.UnmarshalWithOptions(b, (*plain)(p), yaml.Strict())
}

// readPlan reads the configuration. A key that is not in plan is an error with
// its line: goreleaser would do something that dist does not.
func readPlan(file string) (*plan, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var p plan
	if err := yaml.UnmarshalWithOptions(b, &p, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	if len(p.Builds) != 1 || len(p.Archives) != 1 {
		return nil, fmt.Errorf("reading %s: one build and one archive are known here, not %d and %d", file, len(p.Builds), len(p.Archives))
	}
	return &p, nil
}

// stamp is what goreleaser's templates call a commit's facts.
type stamp struct {
	Version    string // without "v"
	FullCommit string
	CommitDate string // RFC 3339, UTC
	at         time.Time
}

// readStamp asks git, as the Makefile does for make build.
func readStamp(ctx context.Context) (stamp, error) {
	git := func(args ...string) (string, error) {
		out, err := exec.CommandContext(ctx, "git", args...).Output()
		return strings.TrimSpace(string(out)), err
	}
	var st stamp
	var err error
	if st.FullCommit, err = git("rev-parse", "HEAD"); err != nil {
		return st, errors.New("a release is made of a commit: run this in a git clone")
	}
	unix, err := git("log", "-1", "--format=%ct")
	if err != nil {
		return st, fmt.Errorf("asking git for the commit's date: %w", err)
	}
	sec, err := strconv.ParseInt(unix, 10, 64)
	if err != nil {
		return st, fmt.Errorf("reading the commit's date: %w", err)
	}
	st.at = time.Unix(sec, 0).UTC()
	st.CommitDate = st.at.Format(time.RFC3339)
	st.Version, err = git("describe", "--tags", "--match", "v[0-9]*", "--dirty=.dirty")
	if err != nil || st.Version == "" {
		st.Version = "v0.0.0-dev"
	}
	st.Version = strings.TrimPrefix(st.Version, "v")
	return st, nil
}

// target is one binary of the release.
type target struct {
	stamp
	Os, Arch    string // as Go names them
	ProjectName string
	binary      string // the file's path
}

func (p *plan) targets(st stamp, folder string) []target {
	var out []target
	for _, goos := range p.Builds[0].Goos {
		for _, arch := range p.Builds[0].Goarch {
			t := target{stamp: st, Os: goos, Arch: arch, ProjectName: p.Project}
			t.binary = filepath.Join(folder, goos+"_"+arch, t.file(p))
			out = append(out, t)
		}
	}
	return out
}

// file is the binary's name on its system.
func (t target) file(p *plan) string {
	if t.Os == "windows" {
		return p.Builds[0].Binary + ".exe"
	}
	return p.Builds[0].Binary
}

// name is what the target's archive is called, without its ending.
func (t target) name(p *plan) string {
	s, err := t.fill(p.Archives[0].Name)
	if err != nil {
		return t.ProjectName + "_" + t.Os + "_" + t.Arch
	}
	return s
}

// fill carries out one of goreleaser's templates.
func (t target) fill(text string) (string, error) {
	tmpl, err := template.New("").Option("missingkey=error").Parse(text)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := tmpl.Execute(&b, t); err != nil {
		return "", err
	}
	return b.String(), nil
}
