// Command modzip writes a Go module from a folder, in the layout of a Go module proxy: what GOPROXY=file://OUT serves.
//
//	modzip MODULE VERSION TIME FOLDER OUT
//
// TIME is RFC 3339. See https://go.dev/ref/mod#goproxy-protocol and https://go.dev/ref/mod#zip-files.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

func main() {
	if len(os.Args) != 6 {
		fmt.Fprintln(os.Stderr, "usage: modzip MODULE VERSION TIME FOLDER OUT")
		os.Exit(2)
	}
	version := module.Version{Path: os.Args[1], Version: os.Args[2]}
	if err := write(version, os.Args[3], os.Args[4], os.Args[5]); err != nil {
		fmt.Fprintln(os.Stderr, "modzip:", err)
		os.Exit(1)
	}
}

func write(version module.Version, time, folder, out string) error {
	if err := module.Check(version.Path, version.Version); err != nil {
		return err
	}
	path, err := module.EscapePath(version.Path)
	if err != nil {
		return err
	}
	served := filepath.Join(out, filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(served, 0o755); err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(served, version.Version+".zip"))
	if err != nil {
		return err
	}
	if err := errors.Join(zip.CreateFromDir(file, version, folder), file.Close()); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		return err
	}
	info, err := json.Marshal(map[string]string{"Version": version.Version, "Time": time})
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{
		version.Version + ".mod":  mod,
		version.Version + ".info": info,
		"list":                    []byte(version.Version + "\n"),
	} {
		if err := os.WriteFile(filepath.Join(served, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
