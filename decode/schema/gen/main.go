// Gen turns the notation files into Go tables, and formats them. It is run by go generate in
// decode/schema:
//
//	go run ./gen
package main

import (
	"fmt"
	"os"
)

func main() {
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	if err := run(dir); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	files, err := read(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := f.write(); err != nil {
			return err
		}
	}
	tables, err := render(files)
	if err != nil {
		return err
	}
	if tables["zz_errors.go"], err = errorTables(dir); err != nil {
		return err
	}
	for name, text := range tables {
		if err := os.WriteFile(dir+"/"+name, text, 0o666); err != nil {
			return err
		}
	}
	return nil
}
