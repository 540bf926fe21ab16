package main

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"snapscope/cmd/snapscope-fleet/store"
	"snapscope/replay/transcript"
)

// bucketServer is as much of S3 as the fleet asks for
// (https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html),
// in memory, by paths. It can be busy now and then, and cut what it sends.
type bucketServer struct {
	mu      sync.Mutex
	objects map[string][]byte // by bucket/key
	asked   int
	busy    int // every so many requests it answers 503
	cut     int // every so many objects it sends half of one
	sent    int
	full    string // what begins so it has no room for
}

func newBucketServer(t *testing.T) *bucketServer {
	t.Helper()
	b := &bucketServer{objects: map[string][]byte{}}
	srv := httptest.NewServer(b)
	t.Cleanup(srv.Close)
	for k, v := range map[string]string{
		"AWS_ENDPOINT_URL": srv.URL, "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "secret",
	} {
		t.Setenv(k, v)
	}
	return b
}

// upload puts a folder into the bucket.
func (b *bucketServer) upload(t *testing.T, dir, at string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		b.objects[at+"/"+filepath.ToSlash(rel)] = data
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (b *bucketServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	if b.busy > 0 && b.asked%b.busy == 0 {
		b.fail(w, http.StatusServiceUnavailable, "SlowDown")
		return
	}
	key := strings.TrimPrefix(r.URL.Path, "/")
	bucket, name, _ := strings.Cut(key, "/")
	data, there := b.objects[key]
	switch {
	case r.Method == http.MethodPut && b.full != "" && strings.Contains(key, "/"+b.full):
		b.fail(w, http.StatusForbidden, "QuotaExceeded")
	case r.Method == http.MethodPut:
		body, err := payload(r)
		if err != nil {
			b.fail(w, http.StatusBadRequest, "IncompleteBody")
			return
		}
		b.objects[key] = body
		w.Header().Set("ETag", etag(body))
	case r.Method == http.MethodDelete:
		delete(b.objects, key)
		w.WriteHeader(http.StatusNoContent)
	case name == "":
		b.list(w, bucket, r.URL.Query().Get("prefix"), r.URL.Query().Get("delimiter"), r.URL.Query().Get("continuation-token"))
	case !there:
		b.fail(w, http.StatusNotFound, "NoSuchKey")
	default:
		b.send(w, r, data)
	}
}

func (b *bucketServer) send(w http.ResponseWriter, r *http.Request, data []byte) {
	status, from := http.StatusOK, 0
	if at, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes="); ok {
		from, _ = strconv.Atoi(strings.TrimSuffix(at, "-"))
		status = http.StatusPartialContent
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(data)-1, len(data)))
	}
	h := w.Header()
	h.Set("ETag", etag(data))
	h.Set("Last-Modified", time.Unix(0, 0).UTC().Format(http.TimeFormat))
	h.Set("Content-Length", strconv.Itoa(len(data)-from))
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return
	}
	b.sent++
	if b.cut > 0 && b.sent%b.cut == 0 && len(data) > 1 {
		_, _ = w.Write(data[from : from+(len(data)-from)/2])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(data[from:])
}

func (b *bucketServer) fail(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>%s</Message></Error>", code, code)
}

// list answers ListObjectsV2, seven keys at a time.
func (b *bucketServer) list(w http.ResponseWriter, bucket, prefix, delimiter, after string) {
	type object struct {
		Key          string
		Size         int
		ETag         string
		LastModified string
	}
	type result struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		Name, Prefix          string
		IsTruncated           bool
		NextContinuationToken string
		Contents              []object
	}
	out := result{Name: bucket, Prefix: prefix}
	var keys []string
	for key := range b.objects {
		name, ok := strings.CutPrefix(key, bucket+"/")
		if ok && strings.HasPrefix(name, prefix) && name > after && (delimiter == "" || !strings.Contains(name[len(prefix):], delimiter)) {
			keys = append(keys, name)
		}
	}
	slices.Sort(keys)
	for i, name := range keys {
		if i == 7 {
			out.IsTruncated, out.NextContinuationToken = true, keys[i-1]
			break
		}
		data := b.objects[bucket+"/"+name]
		out.Contents = append(out.Contents, object{name, len(data), etag(data), "2026-01-01T00:00:00.000Z"})
	}
	_ = xml.NewEncoder(w).Encode(out)
}

func etag(data []byte) string {
	sum := md5.Sum(data)
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

// payload is what a request holds, out of the chunks that it may be signed in
// (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html).
func payload(r *http.Request) ([]byte, error) {
	if !strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-") {
		return io.ReadAll(r.Body)
	}
	var out bytes.Buffer
	in := bufio.NewReader(r.Body)
	for {
		head, err := in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		size, _, _ := strings.Cut(strings.TrimSpace(head), ";")
		n, err := strconv.ParseInt(size, 16, 64)
		if err != nil || n == 0 {
			return out.Bytes(), err
		}
		if _, err := io.CopyN(&out, in, n); err != nil {
			return nil, err
		}
		if _, err := in.ReadString('\n'); err != nil {
			return nil, err
		}
	}
}

// withSideFiles are recordings, and transcripts that link to files beside them.
func withSideFiles(t *testing.T) string {
	t.Helper()
	dir := recordings(t, 6)
	for _, kind := range []string{"claude-code", "mcp-f", "session-v1", "mcp-e"} {
		if err := os.CopyFS(filepath.Join(dir, kind), os.DirFS(filepath.Join(root, "testdata/transcripts", kind))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestABucketGivesTheTableOfTheFolder(t *testing.T) {
	dir := withSideFiles(t)
	want := plainTable(t, dir, fewKnobs)
	b := newBucketServer(t)
	b.upload(t, dir, "evals/runs")
	// Without its side files a session is another: else the test would show nothing.
	without := t.TempDir()
	if err := os.CopyFS(without, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	bare := want
	for _, beside := range []string{"session-v1/001.snapshot.yml", "claude-code/7d2f0000-0000-4000-8000-000000000001/tool-results"} {
		if err := os.RemoveAll(filepath.Join(without, beside)); err != nil {
			t.Fatal(err)
		}
		less := strings.ReplaceAll(plainTable(t, without, fewKnobs), without, dir)
		if less == bare {
			t.Fatalf("%s makes no difference", beside)
		}
		bare = less
	}
	for name, trouble := range map[string][2]int{"calm": {}, "503": {4, 0}, "cut": {0, 3}, "both": {5, 4}} {
		t.Run(name, func(t *testing.T) {
			b.mu.Lock()
			b.busy, b.cut = trouble[0], trouble[1]
			b.mu.Unlock()
			got, err := alone(t, "s3://evals/runs", "s3://evals/swept-"+name, fewKnobs)
			got = ofAFolder.ReplaceAllString(got, "$1")
			if got = strings.ReplaceAll(got, "s3://evals/runs", dir); err != nil || got != want {
				t.Errorf("err %v\n--- bucket\n%s\n--- folder\n%s", err, got, want)
			}
		})
	}
}

// ofAFolder finds the command that fetches a session, where a folder's is named.
var ofAFolder = regexp.MustCompile(`"\$\(snapscope-fleet fetch '([^']*)'(?: --limits 2)?\)"`)

// What is fetched from a bucket is the session that was counted, side files and all.
func TestAnOutlierOfABucketIsFetched(t *testing.T) {
	dir := withSideFiles(t)
	b := newBucketServer(t)
	b.upload(t, dir, "evals/runs")
	b.busy, b.cut = 5, 4
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv(asProgram, "1")
	wider := fewKnobs
	wider.limits, wider.secrets = 2, true
	table, err := alone(t, "s3://evals/runs", "s3://evals/swept", wider)
	if err != nil {
		t.Fatal(err)
	}
	lines := ofAFolder.FindAllStringSubmatch(table, -1)
	if len(lines) == 0 || !strings.Contains(table, ` --limits 2)" --limits 2 --keep-secrets --policy `) {
		t.Fatalf("no outlier is named:\n%s", table)
	}
	for _, at := range append(lines, []string{"", "s3://evals/runs/session-v1/session.md"}) {
		var fetched string
		for range 2 { // the second writes over the first
			out, err := program(t, nil, "fetch", at[1], "--limits", "2").Output()
			if err != nil {
				t.Fatal(at[1], err)
			}
			fetched = strings.TrimSpace(string(out))
		}
		rel := strings.TrimPrefix(at[1], "s3://evals/runs")
		if got, want := events(t, fetched), events(t, dir+rel); got != want || len(want) < 1000 {
			t.Errorf("%s has %d bytes of events, the folder's %d", rel, len(got), len(want))
		}
	}
	if out, err := program(t, nil, "fetch", "s3://evals/runs/none.jsonl").CombinedOutput(); err == nil || !strings.Contains(string(out), "reading s3://evals/runs/none.jsonl: file does not exist") {
		t.Errorf("what is not there: %v %s", err, out)
	}
}

func events(t *testing.T, file string) string {
	t.Helper()
	im, err := transcript.Read(t.Context(), file, transcript.Options{Roots: []string{filepath.Dir(file)}, Limits: 1})
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(im.Events)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(data), filepath.Dir(file), "")
}

func TestABucketsTrouble(t *testing.T) {
	b := newBucketServer(t)
	if _, err := store.List(t.Context(), "s3://evals/none", says(io.Discard, "")); err == nil || err.Error() != "there is no session below s3://evals/none/" {
		t.Error("an empty bucket:", err)
	}
	if _, err := store.List(t.Context(), "s3://", says(io.Discard, "")); err == nil {
		t.Error("an address without a bucket passes")
	}
	target, err := store.OpenTarget(t.Context(), "s3://evals/swept")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := target.Read("manifest.json"); !os.IsNotExist(err) && !strings.Contains(fmt.Sprint(err), fs.ErrNotExist.Error()) {
		t.Error("what is not there:", err)
	}
	b.mu.Lock()
	b.busy = 1
	b.mu.Unlock()
	t.Setenv("AWS_ENDPOINT_URL", "nonsense")
	if _, err := store.OpenTarget(t.Context(), "s3://evals/swept"); err == nil || !strings.Contains(err.Error(), "AWS_ENDPOINT_URL") {
		t.Error("an endpoint that is none:", err)
	}
}
