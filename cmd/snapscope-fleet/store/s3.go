package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"snapscope/replay/sweep"
	"snapscope/replay/transcript"
)

// bucket is what lies below a prefix of a bucket. Its credentials come from
// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, else from
// ~/.aws/credentials, else from the machine's role; its endpoint from
// AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, else it is Amazon's; its region from
// AWS_REGION or AWS_DEFAULT_REGION. An endpoint that is named is asked for
// endpoint/bucket/key, Amazon's for bucket.endpoint/key.
type bucket struct {
	ctx          context.Context
	client       *minio.Client
	name, prefix string // prefix ends in / or is empty
}

// openBucket opens s3://bucket/prefix.
func openBucket(ctx context.Context, address string) (*bucket, error) {
	name, prefix, _ := strings.Cut(strings.TrimPrefix(address, "s3://"), "/")
	if name == "" {
		return nil, fmt.Errorf("%s names no bucket; an address is s3://bucket/prefix", address)
	}
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		prefix += "/"
	}
	host, secure, style := "s3.amazonaws.com", true, minio.BucketLookupAuto
	if at := cmp.Or(os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL")); at != "" {
		u, err := url.Parse(at)
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("AWS_ENDPOINT_URL is %q; it is an address such as http://127.0.0.1:9000", at)
		}
		host, secure, style = u.Host, u.Scheme != "http", minio.BucketLookupPath
	}
	client, err := minio.New(host, &minio.Options{
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{Client: http.DefaultClient},
		}),
		Secure: secure, BucketLookup: style, MaxRetries: tries,
		Region: cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION")),
	})
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", address, err)
	}
	return &bucket{ctx, client, name, prefix}, nil
}

// tries is how often a request is made until its failure is told.
const tries = 5

// Names lists the prefix, without what lies in folders below it.
func (b *bucket) Names() ([]string, error) {
	var out []string
	for o := range b.client.ListObjectsIter(b.ctx, b.name, minio.ListObjectsOptions{Prefix: b.prefix}) {
		if o.Err != nil {
			return nil, b.says("listing", "", o.Err)
		}
		out = append(out, strings.TrimPrefix(o.Key, b.prefix))
	}
	return out, nil
}

// sessions lists the recordings below the prefix. Amazon's ETag tells contents from
// each other; it need not be a digest of the content.
func (b *bucket) sessions(progress func(done, of int)) ([]sweep.InputFile, error) {
	var out []sweep.InputFile
	for o := range b.client.ListObjectsIter(b.ctx, b.name, minio.ListObjectsOptions{Prefix: b.prefix, Recursive: true}) {
		if o.Err != nil {
			return nil, b.says("listing", "", o.Err)
		}
		if transcript.IsBelow(strings.TrimPrefix(o.Key, b.prefix)) {
			out = append(out, sweep.InputFile{Name: "s3://" + b.name + "/" + o.Key, Size: o.Size, Hash: strings.Trim(o.ETag, `"`)})
			progress(len(out), 0)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there is no session below s3://%s/%s", b.name, b.prefix)
	}
	slices.SortFunc(out, func(x, y sweep.InputFile) int { return strings.Compare(x.Name, y.Name) })
	return out, nil
}

// Read reads an object whole. One that arrives cut is asked for again.
func (b *bucket) Read(name string) ([]byte, error) {
	var data bytes.Buffer
	err := b.fetch(b.prefix+name, &data, data.Reset)
	return data.Bytes(), err
}

// Write puts an object in place: S3 shows an object when all of it has arrived.
func (b *bucket) Write(name string, data []byte) error {
	_, err := b.client.PutObject(b.ctx, b.name, b.prefix+name, bytes.NewReader(data), int64(len(data)),
		minio.PutObjectOptions{DisableMultipart: len(data) < 64<<20, SendContentMd5: true})
	return b.says("writing", name, err)
}

func (b *bucket) Remove(name string) error {
	return b.says("removing", name, b.client.RemoveObject(b.ctx, b.name, b.prefix+name, minio.RemoveObjectOptions{}))
}

// fetch copies an object to w. again is called before it is asked for once more.
func (b *bucket) fetch(key string, w io.Writer, again func()) error {
	var err error
	for try := range tries {
		if try > 0 {
			again()
		}
		if err = b.fetchOnce(key, w); err == nil || b.ctx.Err() != nil || !Transient(err) {
			break
		}
	}
	return b.says("reading", strings.TrimPrefix(key, b.prefix), err)
}

func (b *bucket) fetchOnce(key string, w io.Writer) error {
	o, err := b.client.GetObject(b.ctx, b.name, key, minio.GetObjectOptions{})
	if err != nil {
		return err
	}
	defer o.Close()
	info, err := o.Stat()
	if err != nil {
		return err
	}
	n, err := io.Copy(w, o)
	if err == nil && n != info.Size {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// says puts an error into words. One of an object that is not there is
// fs.ErrNotExist.
func (b *bucket) says(doing, name string, err error) error {
	if err == nil {
		return nil
	}
	switch minio.ToErrorResponse(err).StatusCode {
	case http.StatusForbidden: // a quota that is used up, too
		return fmt.Errorf("%s s3://%s/%s%s: %w (%w)", doing, b.name, b.prefix, name, err, fs.ErrPermission)
	case http.StatusNotFound:
		return fmt.Errorf("%s s3://%s/%s%s: %w", doing, b.name, b.prefix, name, errors.Join(fs.ErrNotExist, err))
	}
	return fmt.Errorf("%s s3://%s/%s%s: %w", doing, b.name, b.prefix, name, err)
}

// Transient reports whether an error may be gone when the same is tried later: the
// server was busy, or the connection broke. What the server refused for a reason is
// not.
func Transient(err error) bool {
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return false
	}
	code := minio.ToErrorResponse(err).StatusCode
	return code == 0 || code >= 500 || code == http.StatusTooManyRequests || code == http.StatusRequestTimeout
}

// Local is one object of a bucket as a file: in a folder of its own, under its own
// name, so that what it links to can be brought beside it.
type Local struct {
	Path string
	dir  string
	b    *bucket
	key  string
	err  error // the first that a linked file met and that may be gone later
}

// Fetch copies the object at s3://bucket/key into a new folder below dir. Close
// removes it.
func Fetch(ctx context.Context, address, dir string) (*Local, error) {
	own, err := os.MkdirTemp(dir, "session-")
	if err != nil {
		return nil, err
	}
	l, err := FetchInto(ctx, address, own)
	if err != nil {
		_ = os.RemoveAll(own)
	}
	return l, err
}

// FetchInto is Fetch into a folder that stays when nothing closes it.
func FetchInto(ctx context.Context, address, dir string) (*Local, error) {
	name, key, _ := strings.Cut(strings.TrimPrefix(address, "s3://"), "/")
	if key == "" || strings.HasSuffix(key, "/") {
		return nil, fmt.Errorf("%s names no object", address)
	}
	b, err := openBucket(ctx, "s3://"+name)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	l := &Local{Path: filepath.Join(dir, path.Base(key)), dir: dir, b: b, key: key}
	if err := l.bring(key, l.Path); err != nil {
		return nil, err
	}
	return l, nil
}

// Beside brings a file that lies beside the session, by its path from the session's
// folder. One that is not there is none.
func (l *Local) Beside(name string) {
	to := filepath.Join(l.dir, filepath.FromSlash(name))
	if !filepath.IsLocal(filepath.FromSlash(name)) || os.MkdirAll(filepath.Dir(to), 0o700) != nil {
		return
	}
	err := l.bring(path.Join(path.Dir(l.key), name), to)
	if err != nil && Transient(err) && l.err == nil {
		l.err = err
	}
}

// Err is what kept a file beside the session from being read, if that may be gone
// later: the session must be read again then.
func (l *Local) Err() error { return l.err }

// Close removes what was fetched.
func (l *Local) Close() { _ = os.RemoveAll(l.dir) }

func (l *Local) bring(key, to string) error {
	f, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = l.b.fetch(key, f, func() {
		_, _ = f.Seek(0, io.SeekStart)
		_ = f.Truncate(0)
	})
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = os.Remove(to)
	}
	return err
}
