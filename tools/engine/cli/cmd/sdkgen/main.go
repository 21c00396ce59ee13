// Command sdkgen writes the SDK of one language from a Pulumi schema, with Pulumi's generators. It replaces `pulumi package
// gen-sdk` when language hosts of the CLI's version are not available.
//
//	sdkgen --schema schema.json --language nodejs|python|go --out DIR [--overlay DIR] [--keep NAMES] [--local]
//
// DIR is emptied first, to remove types that the schema no longer has; files below --overlay are added to the result and
// replace generated files.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
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
	flags := flag.NewFlagSet("sdkgen", flag.ContinueOnError)
	schemaPath := flags.String("schema", "schema.json", "the package `schema`")
	language := flags.String("language", "", "nodejs, python or go")
	out := flags.String("out", "", "the `folder` to write, emptied first")
	overlay := flags.String("overlay", "", "a `folder` of files to add")
	keep := flags.String("keep", "node_modules", "`names` in the folder to keep, separated by commas")
	local := flags.Bool("local", false, "write the form that `pulumi package add` links into a program (nodejs only)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if *language == "" || *out == "" {
		return errors.New("--language and --out are needed")
	}

	extra, err := readOverlay(*overlay)
	if err != nil {
		return err
	}
	files, err := generate(*schemaPath, *language, *local)
	if err != nil {
		return err
	}
	maps.Copy(files, extra)
	if err := prepare(*out, strings.Split(*keep, ",")); err != nil {
		return err
	}
	if err := write(*out, files); err != nil {
		return err
	}
	fmt.Printf("sdkgen: %s: %d files in %s\n", *language, len(files), *out)
	return nil
}

// generate binds the schema again, because generators modify their package.
func generate(schemaPath, language string, local bool) (map[string][]byte, error) {
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
		return nodejs.GeneratePackage(tool+language, pkg, nil, nil, local, nil)
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
	if root == "" {
		return files, nil
	}
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

// mark is a file that Pulumi's generators write to the root of every SDK: it identifies their output.
const (
	markName = ".gitattributes"
	markText = "linguist-generated"
)

// prepare empties the folder except for the names to keep. A folder with files must have the mark of a generated SDK, so
// that a wrong name does not delete other files.
func prepare(out string, keep []string) error {
	entries, err := os.ReadDir(out)
	if errors.Is(err, fs.ErrNotExist) {
		return os.MkdirAll(out, 0o755)
	}
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return nil
	}
	mark, err := os.ReadFile(filepath.Join(out, markName))
	if err != nil || !strings.Contains(string(mark), markText) {
		return fmt.Errorf("%s is not empty and is not a generated SDK (no %s with %q): not touched", out, markName, markText)
	}
	for _, entry := range entries {
		if entry.Name() == ".git" {
			return fmt.Errorf("%s is a repository: not touched", out)
		}
	}
	for _, entry := range entries {
		if slices.Contains(keep, entry.Name()) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(out, entry.Name())); err != nil {
			return err
		}
	}
	return nil
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
