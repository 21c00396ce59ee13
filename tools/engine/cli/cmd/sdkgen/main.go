// Command sdkgen writes the SDK of one language from a Pulumi schema, with Pulumi's generators. It replaces `pulumi package
// gen-sdk` when language hosts of the CLI's version are not available.
//
//	sdkgen nodejs|python|go SCHEMA OVERLAY OUT
//
// Files below the folder OVERLAY are added to the result and replace generated files. OUT is a new folder.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const tool = "pulumi-language-"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sdkgen:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 4 {
		return errors.New("usage: sdkgen nodejs|python|go SCHEMA OVERLAY OUT")
	}
	language, schemaPath, overlay, out := args[0], args[1], args[2], args[3]
	extra, err := readOverlay(overlay)
	if err != nil {
		return err
	}
	files, err := generate(schemaPath, language)
	if err != nil {
		return err
	}
	maps.Copy(files, extra)
	return write(out, files)
}

// generate binds the schema again, because generators modify their package.
func generate(schemaPath, language string) (map[string][]byte, error) {
	text, err := os.ReadFile(schemaPath)
	if err != nil {
		return nil, err
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return nil, fmt.Errorf("%s: %w", schemaPath, err)
	}
	var reserved []string
	if language == "go" {
		if reserved, err = reserveGetNames(&spec); err != nil {
			return nil, err
		}
	}
	pkg, diagnostics, err := schema.BindSpec(spec, schema.NewNullLoader(), schema.ValidationOptions{})
	if err != nil {
		return nil, err
	}
	for _, diagnostic := range diagnostics {
		fmt.Fprintln(os.Stderr, "sdkgen:", diagnostic)
	}
	if diagnostics.HasErrors() {
		return nil, fmt.Errorf("%s is not valid", schemaPath)
	}

	switch language {
	case "nodejs":
		return nodejs.GeneratePackage(tool+language, pkg, nil, nil, false, nil)
	case "python":
		return python.GeneratePackage(tool+language, pkg, nil, nil)
	case "go":
		files, err := gogen.GeneratePackage(tool+language, pkg, nil)
		if err != nil {
			return nil, err
		}
		for _, suffix := range reserved {
			before := len(files)
			maps.DeleteFunc(files, func(name string, _ []byte) bool { return strings.HasSuffix(name, suffix) })
			if len(files) == before {
				return nil, fmt.Errorf("%s was not generated: the names of the lookups would be wrong", suffix)
			}
		}
		return files, nil
	default:
		return nil, fmt.Errorf("unknown language %q: nodejs, python or go", language)
	}
}

func readOverlay(root string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(name)] = content
		return nil
	})
	return files, err
}

func write(out string, files map[string][]byte) error {
	for name, content := range files {
		path := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
