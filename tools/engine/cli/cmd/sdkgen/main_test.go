package main

import (
	"os"
	"path/filepath"
	"testing"
)

func put(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func exists(root, name string) bool {
	_, err := os.Stat(filepath.Join(root, name))
	return err == nil
}

func TestOnlyAGeneratedFolderIsEmptied(t *testing.T) {
	cases := []struct {
		name    string
		files   map[string]string
		refused bool
	}{
		{name: "someone's folder", files: map[string]string{"notes.txt": "x", "sub/more.txt": "x"}, refused: true},
		{name: "another attributes file", files: map[string]string{markName: "*.png binary", "a": "x"}, refused: true},
		{name: "a repository", files: map[string]string{markName: markText, ".git/HEAD": "x", "a": "x"}, refused: true},
		{name: "a generated SDK", files: map[string]string{markName: "* " + markText, "a": "x"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			out := t.TempDir()
			for name, text := range c.files {
				put(t, out, name, text)
			}
			err := prepare(out, []string{"node_modules"})
			if (err != nil) != c.refused {
				t.Fatalf("refused: %v, wanted %v", err, c.refused)
			}
			for name := range c.files {
				if exists(out, name) != c.refused {
					t.Errorf("%s: exists %v, wanted %v", name, exists(out, name), c.refused)
				}
			}
		})
	}
}

func TestKeptNamesStay(t *testing.T) {
	out := t.TempDir()
	put(t, out, markName, "* "+markText)
	put(t, out, "stale.ts", "x")
	put(t, out, "node_modules/x/index.js", "x")
	if err := prepare(out, []string{"node_modules"}); err != nil {
		t.Fatal(err)
	}
	if exists(out, "stale.ts") || !exists(out, "node_modules/x/index.js") {
		t.Error("the stale file should be gone and the kept folder there")
	}
}

// Every generator must leave the mark, or the second run over its output would be refused.
func TestEachLanguageCanBeGeneratedTwice(t *testing.T) {
	work := t.TempDir()
	put(t, work, "schema.json", `{"name":"sample","version":"0.1.0","provider":{},"resources":{"sample:m/v1:Thing":{}}}`)
	put(t, work, "overlay/EXTRA.txt", "x")
	for _, language := range []string{"nodejs", "python", "go"} {
		t.Run(language, func(t *testing.T) {
			out := filepath.Join(work, language)
			args := []string{"--schema", filepath.Join(work, "schema.json"), "--language", language, "--out", out}
			if err := run(args); err != nil {
				t.Fatal(err)
			}
			put(t, out, "stale.txt", "x")
			if err := run(append(args, "--overlay", filepath.Join(work, "overlay"))); err != nil {
				t.Fatal(err)
			}
			if exists(out, "stale.txt") || !exists(out, "EXTRA.txt") {
				t.Error("the second run should drop what is stale and add the overlay")
			}
		})
	}
}
