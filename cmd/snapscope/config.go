package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"snapscope/session/policy"
)

// config is the user's TOML file; environment variables named after its keys
// (SNAPSCOPE_BROWSER, SNAPSCOPE_THEME, …) stand above it, flags above both.
type config struct {
	Encoding string             `toml:"encoding"` // tokens are counted in this
	Browser  string             `toml:"browser"`  // Chromium's path
	Settle   string             `toml:"settle"`   // how pages are waited for: playwright-mcp, quick
	Exact    bool               `toml:"exact"`    // snapshot prints passwords in clear, as Playwright does
	Theme    string             `toml:"theme"`    // dark, light, contrast, none
	Mouse    *bool              `toml:"mouse"`
	Policies string             `toml:"policies"` // TOML file with own policies
	Prices   string             `toml:"prices"`   // TOML file with model prices
	Model    string             `toml:"model"`    // whose prices count
	Keys     map[string]keyList `toml:"keys"`     // action = "key" or ["key", …]

	path string // where it was read; empty: there is none
}

// keyList is the keys of an action: one, or a list of them.
type keyList []string

// UnmarshalTOML reads either.
func (k *keyList) UnmarshalTOML(v any) error {
	*k = keyList{}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, e := range list {
		s, ok := e.(string)
		if !ok {
			return fmt.Errorf("a key is a text such as \"x\" or \"ctrl+x\", or a list of them, not %v", e)
		}
		*k = append(*k, s)
	}
	return nil
}

// keys are the keys of each action that the file gives any.
func (c *config) keys() map[string][]string {
	out := make(map[string][]string, len(c.Keys))
	for action, keys := range c.Keys {
		out[action] = keys
	}
	return out
}

// passesOn marks a command that stands between an agent and what the agent needs: it
// goes on without a file of settings that cannot be read, and says so.
const passesOn = "passes on"

// faulty is what a fault in the file of settings is to a command: its end, or a line.
func faulty(c *cobra.Command) func(error) error {
	return func(err error) error {
		if _, ok := c.Annotations[passesOn]; !ok {
			return err
		}
		fmt.Fprintf(c.ErrOrStderr(), "snapscope: %v; the session goes on with the default settings\n", err)
		return nil
	}
}

// load reads the settings: of the file, over them the environment's, over those the
// command line's. Where faulty answers nil of a file that cannot be read, there is none.
func (a *app) load(flags *pflag.FlagSet, faulty func(error) error) error {
	path, named := a.configFile, a.configFile != ""
	if !named {
		if path = os.Getenv("SNAPSCOPE_CONFIG"); path != "" {
			named = true
		} else if dir, err := configDir(); err == nil {
			path = filepath.Join(dir, "config.toml")
		}
	}
	if path != "" {
		err := a.conf.read(path)
		if err != nil && (named || !absent(err)) {
			if err = faulty(err); err != nil {
				return err
			}
			a.conf = config{}
		}
	}
	for env, dst := range map[string]*string{
		"SNAPSCOPE_ENCODING": &a.conf.Encoding, "SNAPSCOPE_BROWSER": &a.conf.Browser,
		"SNAPSCOPE_SETTLE": &a.conf.Settle,
		"SNAPSCOPE_THEME":  &a.conf.Theme, "SNAPSCOPE_POLICIES": &a.conf.Policies,
		"SNAPSCOPE_PRICES": &a.conf.Prices, "SNAPSCOPE_MODEL": &a.conf.Model,
	} {
		if v := os.Getenv(env); v != "" {
			*dst = v
		}
	}
	if f := flags.Lookup("policies"); f != nil && f.Value.String() != "" {
		a.conf.Policies = f.Value.String()
	}
	if v := os.Getenv("SNAPSCOPE_MOUSE"); v != "" {
		on, err := strconv.ParseBool(v)
		if err != nil {
			return usagef("SNAPSCOPE_MOUSE is %q; it takes true or false", v)
		}
		a.conf.Mouse = &on
	}
	if os.Getenv("NO_COLOR") != "" {
		a.noColor = true
	}
	return nil
}

// configDir is where the person's settings are.
func configDir() (string, error) {
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "snapscope"), err
}

// read reads the file; a key it does not know is an error with its line.
func (c *config) read(path string) error {
	data, err := readFile(path, maxSettings)
	if err != nil {
		return fmt.Errorf("reading the config: %w", err)
	}
	if err := policy.DecodeTOML(path, data, c); err != nil {
		return usageError{err}
	}
	c.path = path
	return nil
}
