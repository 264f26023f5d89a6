package reassembly

// Config bounds what an Assembler keeps.
type Config struct {
	Memory int64 // bytes for connections and for segments that came too early; 0 means 32 MiB
	// Most bounds how many connections there are at once, for the sake of what others keep of them; 0: Memory alone does.
	Most int
}

// Stats counts what an Assembler saw. Bytes + Waiting + Repeated + Stray is all the payload captured.
type Stats struct {
	Segments    int64 // segments taken
	Connections int64 // connections announced, that is, with at least one byte or gap
	Bytes       int64 // stream bytes handed to Data, each once
	Waiting     int64 // stream bytes held behind a hole; 0 after Flush
	Gaps        int64 // gaps announced
	GapBytes    int64 // stream bytes that the capture lacks
	Repeated    int64 // bytes captured again, keep-alive probes, and bytes later than the end of the wait for them
	Stray       int64 // payload that is in no stream: text of an RST, data behind a FIN
	Conflicts   int64 // segments that repeat waiting bytes as other bytes; handed-out bytes are not kept to compare
	OutOfOrder  int64 // segments that had to wait
	Evicted     int64 // connections that the memory limit ended
	Forced      int64 // gaps announced early because of the memory limit
}

// Stats says what was counted so far.
func (a *Assembler) Stats() Stats { return a.stats }
