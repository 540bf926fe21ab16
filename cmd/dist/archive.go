package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// entry is one file on its way into an archive.
type entry struct {
	name string // slashes between folders
	data []byte
	run  bool // it is a program
}

func (e entry) mode() int64 {
	if e.run {
		return 0o755
	}
	return 0o644
}

// archive packs one target with what goes with it.
func (p *plan) archive(t target, out string) error {
	files, err := p.entries(t)
	if err != nil {
		return fmt.Errorf("packing %s/%s: %w", t.Os, t.Arch, err)
	}
	var data []byte
	switch format := p.format(t); format {
	case "tar.gz":
		data, err = tarGz(files, t.at)
	case "zip":
		data, err = zipped(files, t.at)
	default:
		err = fmt.Errorf("no archive format %q", format)
	}
	if err != nil {
		return fmt.Errorf("packing %s/%s: %w", t.Os, t.Arch, err)
	}
	return os.WriteFile(filepath.Join(out, t.name(p)+"."+p.format(t)), data, 0o644)
}

// format is the ending of a target's archive.
func (p *plan) format(t target) string {
	a := p.Archives[0]
	for _, o := range a.Overrides {
		if o.Goos == t.Os {
			return o.Formats[0]
		}
	}
	return a.Formats[0]
}

// entries reads what an archive holds: the files of the plan and the binary.
func (p *plan) entries(t target) ([]entry, error) {
	top := ""
	if p.Archives[0].Wrap {
		top = t.name(p)
	}
	var out []entry
	for _, f := range p.Archives[0].Files {
		found, err := filepath.Glob(f.Src)
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("%s matches no file (%v)", f.Src, err)
		}
		for _, file := range found {
			data, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			name := filepath.ToSlash(file)
			if f.Strip {
				name = path.Base(name)
			}
			out = append(out, entry{name: path.Join(top, f.Dst, name), data: data})
		}
	}
	data, err := os.ReadFile(t.binary)
	if err != nil {
		return nil, err
	}
	out = append(out, entry{path.Join(top, t.file(p)), data, true})
	slices.SortFunc(out, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// tarGz packs files so that the same files and moment make the same bytes: no
// owner, no clock, no name in gzip's header.
func tarGz(files []entry, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	gz, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(gz)
	for _, f := range files {
		head := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode(), Size: int64(len(f.data)), ModTime: at, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(head); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := gz.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// zipped is tarGz for systems that open zip files.
func zipped(files []entry, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		head := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at.UTC()}
		head.SetMode(os.FileMode(f.mode()))
		to, err := w.CreateHeader(head)
		if err != nil {
			return nil, err
		}
		if _, err := to.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
