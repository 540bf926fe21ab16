package mcp

import (
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"snapscope/replay/proxy"
)

// command starts scripts such as npx.cmd through the shell, as Windows asks for.
func command(argv []string) *exec.Cmd {
	path, err := exec.LookPath(argv[0])
	if err == nil {
		switch strings.ToLower(filepath.Ext(path)) {
		case ".cmd", ".bat":
			return exec.Command("cmd", append([]string{"/c"}, argv...)...)
		}
	}
	return exec.Command(argv[0], argv[1:]...)
}

// group is a job object: it ends with its last handle, and all in it with it, so
// that a seat that is killed leaves nothing behind.
type group struct{ job windows.Handle }

func (g *group) start(cmd *exec.Cmd, _ *proxy.Guard) error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return err
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info))); err != nil {
		_ = windows.CloseHandle(job)
		return err
	}
	if err := cmd.Start(); err != nil {
		_ = windows.CloseHandle(job)
		return err
	}
	g.job = job
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
	if err != nil {
		return nil // it has ended already
	}
	defer windows.CloseHandle(h)
	_ = windows.AssignProcessToJobObject(job, h)
	return nil
}

// ask does nothing: there is no polite way beside the closed input.
func (g *group) ask() {}

func (g *group) kill() { _ = windows.TerminateJobObject(g.job, 1) }

func (g *group) gone(exited <-chan struct{}, most time.Duration) bool {
	select {
	case <-exited:
	case <-time.After(most):
	}
	return false // others of the job may live: kill ends them
}

func signalOf(*exec.ExitError) int { return 0 }
