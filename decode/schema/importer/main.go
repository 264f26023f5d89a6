// Importer brings the notation files up to date with Apache Kafka's message definitions:
//
//	go run ./decode/schema/importer OLDER-RELEASE NEWER-RELEASE…
//
// Each argument is a folder with the definitions (JSON) of one release, oldest first. Every version
// is taken from the newest release that has it; versions that only the notation has stay, and so do
// comments, history, early forms and header exceptions. Only facts are read: names, types, versions.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	to := flag.String("to", "decode/schema", "the folder with the notation files")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: importer [-to DIR] RELEASE…")
		os.Exit(2)
	}
	var releases []release
	for _, dir := range flag.Args() {
		r, err := readRelease(dir)
		if err == nil && len(r) == 0 {
			err = fmt.Errorf("%s: no message files", dir)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "importer:", err)
			os.Exit(1)
		}
		releases = append(releases, r)
	}
	changed, err := update(*to, releases)
	for _, c := range changed {
		fmt.Println(c)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "importer:", err)
		os.Exit(1)
	}
}
