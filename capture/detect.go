package capture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/klauspost/compress/zstd"
)

// detect finds out by content what the source is, and reads its header.
func (r *Reader) detect() error {
	head, err := r.plain.peek(4)
	if len(head) == 4 {
		if err := r.decompress(head); err != nil {
			return err
		}
		head, err = r.plain.peek(4)
	}
	if err != nil && err != io.EOF {
		return r.fault(Unreadable, err, "", "")
	}
	if len(head) == 0 {
		return r.fault(Unreadable, nil, "empty: not one byte is there", "was the capture stopped before it was flushed?")
	}
	if len(head) < 4 {
		return r.notCapture()
	}
	if binary.LittleEndian.Uint32(head) == blockSection {
		return r.openPcapng()
	}
	if f, ok := pcapMagics[binary.LittleEndian.Uint32(head)]; ok {
		return r.openPcap(f)
	}
	return r.notCapture()
}

// others are what people give by mistake, by the first bytes.
var others = []struct{ head, what, hint string }{
	{"BZh", "compressed with bzip2", "give it as: bzip2 -dc FILE | ksniff … -"},
	{"\xfd7zXZ", "compressed with xz", "give it as: xz -dc FILE | ksniff … -"},
	{"\x04\x22\x4d\x18", "compressed with lz4", "give it as: lz4 -dc FILE | ksniff … -"},
	{"PK\x03\x04", "a zip archive", "unpack it first"},
	{"\x1f\x8b", "compressed twice", "unpack it once first"},
	{"\x28\xb5\x2f\xfd", "compressed twice", "unpack it once first"},
	{"snoop\x00\x00\x00", "a Solaris snoop file", "convert it: editcap FILE out.pcap"},
	{"\x7fELF", "a program", ""},
	{"{", "text (JSON?)", ""},
}

func (r *Reader) notCapture() error {
	head, _ := r.plain.peek(16)
	for _, o := range others {
		if len(head) >= len(o.head) && string(head[:len(o.head)]) == o.head {
			return r.fault(Unreadable, nil, "not a capture but "+o.what, o.hint)
		}
	}
	return r.fault(Unreadable, nil, fmt.Sprintf("not a capture: starts with % x (%+q)", head[:min(8, len(head))], head[:min(8, len(head))]),
		"pcap and pcapng are read, also gzip or zstd compressed")
}

// fault is the error for what is wrong at this point of the source. A cause that the system or the
// decompressor gave overrules reason and words.
func (r *Reader) fault(reason Reason, cause error, what, hint string) *Error {
	e := &Error{Source: r.name, Reason: reason, Offset: r.plain.offset(), What: what, Hint: hint, Err: cause}
	if r.format != nil && reason != Unsupported {
		e.Packet = r.number + 1
	}
	var system *fs.PathError
	switch {
	case cause == nil || cause == io.EOF:
		e.Err = nil
	case r.packed != nil && errors.Is(cause, io.ErrUnexpectedEOF):
		e.What, e.Hint = "the "+r.packed.name+" data is cut short", ""
		if reason != Unreadable {
			e.Reason = Cut
		}
	case errors.Is(cause, zstd.ErrWindowSizeExceeded):
		e.Reason, e.What = Unsupported, fmt.Sprintf("the zstd data needs a window of more than %d MB", maxZstdWindow>>20)
		e.Hint = "give it as: zstd -dc --long=31 FILE | ksniff … -"
	case r.packed != nil && !errors.As(cause, &system):
		e.What, e.Hint = "the "+r.packed.name+" data is damaged: "+cause.Error(), ""
		if reason != Unreadable {
			e.Reason = Damaged
		}
	default:
		s := systemError(r.name, cause)
		e.Reason, e.What, e.Hint = Failed, s.What, s.Hint
	}
	if e.Hint == "" && r.number > 0 && e.Packet > 0 {
		e.Hint = "what came before it stands"
	}
	return e
}
