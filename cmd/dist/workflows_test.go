package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// workflow is what the tests below ask of a file under .github/workflows.
type workflow struct {
	Name        string         `yaml:"name"`
	On          any            `yaml:"on"`
	Permissions map[string]any `yaml:"permissions"`
	Jobs        map[string]struct {
		Minutes int `yaml:"timeout-minutes"`
		Steps   []struct {
			Uses string `yaml:"uses"`
			Run  string `yaml:"run"`
		} `yaml:"steps"`
	} `yaml:"jobs"`
}

// TestWorkflowsCallWhatThereIs reads what only another machine runs: every make
// target and folder in it exists, every action has a version, every job ends.
func TestWorkflowsCallWhatThereIs(t *testing.T) {
	inTree(t)
	b, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	targets := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+):`).FindAllStringSubmatch(string(b), -1) {
		targets[m[1]] = true
	}
	makes := regexp.MustCompile(`\bmake ([a-z-]+)`)
	paths := regexp.MustCompile(`\bcmd/[\w/.]+`)
	files, err := filepath.Glob(".github/workflows/*.yml")
	if err != nil || len(files) != 3 {
		t.Fatalf("%d workflows (%v)", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var w workflow
		if err := yaml.Unmarshal(text, &w); err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if w.Name == "" || w.On == nil || w.Permissions["contents"] != "read" || len(w.Jobs) == 0 {
			t.Errorf("%s lacks a name, an event, jobs, or gives every job more than reading", file)
		}
		for name, job := range w.Jobs {
			if job.Minutes == 0 || len(job.Steps) == 0 {
				t.Errorf("%s: job %s never ends, or does nothing", file, name)
			}
			for _, s := range job.Steps {
				if s.Uses != "" && !regexp.MustCompile(`^[\w-]+/[\w-]+@v\d+$`).MatchString(s.Uses) {
					t.Errorf("%s: %s has no version", file, s.Uses)
				}
				for _, m := range makes.FindAllStringSubmatch(s.Run, -1) {
					if !targets[m[1]] {
						t.Errorf("%s: there is no make %s", file, m[1])
					}
				}
				for _, path := range paths.FindAllString(s.Run, -1) {
					if _, err := os.Stat(strings.TrimSuffix(path, ".")); err != nil {
						t.Errorf("%s: %v", file, err)
					}
				}
			}
		}
	}
}
