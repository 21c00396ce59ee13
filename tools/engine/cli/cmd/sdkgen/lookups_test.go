package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const lookupSchema = `{
  "name": "sample", "version": "0.1.0", "provider": {},
  "language": {"go": {"importBasePath": "example.com/sample"}},
  "functions": {"sample:m/v1:getThing": {
    "inputs": {"type": "object", "properties": {"id": {"type": "string"}}},
    "outputs": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
  }}
}`

func TestGoLookupsAreCalledLookupAndLeaveNothingElse(t *testing.T) {
	work := t.TempDir()
	put(t, work, "schema.json", lookupSchema)
	out := filepath.Join(work, "go")
	if err := run([]string{"--schema", filepath.Join(work, "schema.json"), "--language", "go", "--out", out}); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	err := filepath.WalkDir(out, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, wanted := range []string{"func LookupThing(", "func LookupThingOutput(", "type LookupThingArgs struct", "type LookupThingResult struct"} {
		if !strings.Contains(all.String(), wanted) {
			t.Errorf("%q is not in the SDK", wanted)
		}
	}
	if strings.Contains(all.String(), "GetThing") || strings.Contains(all.String(), "Reserved") {
		t.Error("the reserved names are in the SDK")
	}
}

func TestEnumsBesideLookupsAreRefused(t *testing.T) {
	work := t.TempDir()
	put(t, work, "schema.json", strings.Replace(lookupSchema, `"provider": {},`,
		`"provider": {}, "types": {"sample:m/v1:Colour": {"type": "string", "enum": [{"value": "red"}]}},`, 1))
	args := []string{"--schema", filepath.Join(work, "schema.json"), "--language", "go", "--out", filepath.Join(work, "go")}
	if err := run(args); err == nil || !strings.Contains(err.Error(), "Colour") {
		t.Errorf("want an error that names the enum, got %v", err)
	}
}
