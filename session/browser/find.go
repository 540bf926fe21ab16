package browser

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Env is the environment variable that names the browser to use.
const Env = "SNAPSCOPE_BROWSER"

// ErrNotFound says that there is no Chromium and how to get one.
var ErrNotFound = errors.New("no Chromium or Chrome was found; install one (Debian, Ubuntu: apt-get install chromium · " +
	"macOS: brew install --cask chromium · Windows: winget install Google.Chrome) or set " + Env + " to its path")

// Find looks a browser up: the named one if given, else the first of the usual
// commands on PATH and of the places installers use. A named browser that is
// not there is an error, never a reason to take another.
func Find(named string) (string, error) {
	if named != "" {
		path, err := exec.LookPath(named)
		if err != nil {
			return "", fmt.Errorf("the browser %s named by %s cannot be run: %w", named, Env, errors.Unwrap(err))
		}
		return absolute(path), nil
	}
	for _, c := range candidates() {
		if path, err := exec.LookPath(c); err == nil {
			return absolute(path), nil
		}
	}
	return "", ErrNotFound
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// candidates lists commands and paths, the likeliest first.
func candidates() []string {
	switch runtime.GOOS {
	case "darwin":
		var out []string
		for _, root := range []string{"", os.Getenv("HOME")} {
			out = append(out,
				root+"/Applications/Chromium.app/Contents/MacOS/Chromium",
				root+"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
				root+"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge")
		}
		return append(out, "chromium", "google-chrome")
	case "windows":
		var out []string
		for _, root := range []string{os.Getenv("ProgramFiles"), os.Getenv("ProgramFiles(x86)"), os.Getenv("LocalAppData")} {
			if root != "" {
				out = append(out,
					filepath.Join(root, `Chromium\Application\chrome.exe`),
					filepath.Join(root, `Google\Chrome\Application\chrome.exe`),
					filepath.Join(root, `Microsoft\Edge\Application\msedge.exe`))
			}
		}
		return append(out, "chrome", "msedge")
	}
	return []string{
		"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless-shell",
		"microsoft-edge", "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome",
		"/opt/google/chrome/chrome", "/snap/bin/chromium",
		"/var/lib/flatpak/exports/bin/org.chromium.Chromium",
	}
}
