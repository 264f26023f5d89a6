package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"ksniff/decode/schema"
)

// release is set when a release is built: -ldflags '-X main.release=1.2.3'.
var release = "development"

// versionText says what this program is and which ranges of the protocol it knows.
func versionText() string {
	built := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				built = " " + setting.Value[:min(len(setting.Value), 12)]
			}
		}
	}
	layouts := 0
	for i := range schema.APIs {
		for _, m := range []*schema.Message{schema.APIs[i].Request, schema.APIs[i].Response} {
			layouts += int(m.Valid.Max-m.Valid.Min) + 1
		}
	}
	return fmt.Sprintf(`ksniff %s%s (%s %s/%s)
modern protocol: Kafka 0.8 to 4.4, %d API keys, %d layouts; message formats 0, 1, 2
legacy protocol: Kafka 0.6 and 0.7, 5 request types
`, release, built, runtime.Version(), runtime.GOOS, runtime.GOARCH, len(schema.APIs), layouts)
}
