package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"snapscope/cmd/snapscope-fleet/store"
	"snapscope/replay/transcript"
	"snapscope/tui/safetext"
)

func fetchCmd() *cobra.Command {
	var into string
	var o transcript.Options
	cmd := &cobra.Command{
		Use:   "fetch s3://BUCKET/SESSION",
		Short: "Copy a session of a bucket here, with the files that it links to, and print where it is",
		Long: `Copies a session of a bucket into a folder of its own, brings the files that it links
to beside it, and prints the file's name: snapscope opens it from there. A copy from an
earlier time is replaced.`,
		Example: `  snapscope replay "$(snapscope-fleet fetch s3://evals/runs/run-0007.jsonl)"`,
		Args:    exactly(1, "the address of a session, such as s3://bucket/runs/run-0007.jsonl"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !store.IsBucket(args[0]) {
				return usageError{fmt.Errorf("%q lies in no bucket; an address is s3://bucket/runs/run-0007.jsonl", args[0])}
			}
			if into == "" {
				into = fetched(args[0])
				_ = os.RemoveAll(into) // an earlier copy; what cannot be removed is written over
			}
			path, err := fetch(cmd.Context(), args[0], into, o)
			if err == nil {
				_, err = fmt.Fprintln(cmd.OutOrStdout(), safetext.Line(path))
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Format, "from", "", "the session's format (default: recognised by content)")
	f.IntVar(&o.Limits, "limits", 1, "multiply every limit on what is read (unpacked size, events, one line) by this")
	f.StringVar(&into, "into", "", "the folder that it goes to (default: one of its own below the user's cache)")
	return cmd
}

// fetched is the folder of an address.
func fetched(address string) string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	sum := sha256.Sum256([]byte(address))
	return filepath.Join(dir, "snapscope", "fetched", hex.EncodeToString(sum[:8]))
}

// fetch copies an object and what it links to into a folder.
func fetch(ctx context.Context, address, into string, o transcript.Options) (string, error) {
	l, err := store.FetchInto(ctx, address, into)
	if err != nil {
		return "", err
	}
	if strings.HasSuffix(l.Path, ".toml") {
		return l.Path, nil
	}
	// Read for what it links to alone: who opens it says what is wrong with it.
	o.Fetch = l.Beside
	_, _ = transcript.Read(ctx, l.Path, o)
	if err := l.Err(); err != nil {
		return "", fmt.Errorf("fetching what %s links to: %w", address, err)
	}
	return l.Path, ctx.Err()
}
