package main

import (
	"testing"
	"time"
)

func TestProgressSaysHowLongTheRestTakes(t *testing.T) {
	for _, c := range []struct {
		done, all int64
		took      time.Duration
		want      string
	}{
		{250e6, 1000e6, 2 * time.Second, "25 % of 1000 MB, 125 MB/s, 6s left"},
		{500e6, 0, time.Second, "500 MB, 500 MB/s"},
		{1000e6, 1000e6, 4 * time.Second, "100 % of 1000 MB, 250 MB/s"},
	} {
		if got := progressLine(c.done, c.all, c.took); got != c.want {
			t.Errorf("progressLine(%d, %d, %s) = %q, want %q", c.done, c.all, c.took, got, c.want)
		}
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]size{"4096": 4096, "64k": 64 << 10, "128M": 128 << 20, "1G": 1 << 30, "1MiB": 1 << 20, "2mb": 2 << 20} {
		var s size
		if err := s.Set(text); err != nil || s != want {
			t.Errorf("%q is %d (%v), want %d", text, s, err, want)
		}
	}
	for _, text := range []string{"", "M", "-1", "1.5G", "9999999999G"} {
		var s size
		if s.Set(text) == nil {
			t.Errorf("%q was taken for %d bytes", text, s)
		}
	}
	if s := size(defaultMemory); s.String() != "128M" {
		t.Errorf("the default prints as %s", s.String())
	}
}
