package main

import (
	"fmt"
	"strconv"
	"strings"
)

// size is a flag's number of bytes: 128M, 64k, 1G, 1MiB, 4096. As with tcpdump and Java, K, M and G
// are powers of 1024.
type size int64

var sizeUnits = []struct {
	suffix string
	bytes  int64
}{{"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}}

func (s *size) String() string {
	n := int64(*s)
	for i := len(sizeUnits) - 1; i >= 0; i-- {
		if unit := sizeUnits[i]; n >= unit.bytes && n%unit.bytes == 0 {
			return strconv.FormatInt(n/unit.bytes, 10) + strings.ToUpper(unit.suffix)
		}
	}
	return strconv.FormatInt(n, 10)
}

func (s *size) Type() string { return "size" }

func (s *size) Set(text string) error {
	number := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(text), "b"), "i")
	factor := int64(1)
	for _, unit := range sizeUnits {
		if rest, found := strings.CutSuffix(number, unit.suffix); found {
			number, factor = rest, unit.bytes
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > (1<<62)/factor {
		return fmt.Errorf("%q is no size; write 64M, 1G, 500k", text)
	}
	*s = size(n * factor)
	return nil
}
