package capture

import (
	"fmt"
	"strings"
	"time"
)

// Rotation says when a Writer begins another file, and what it is called: as tcpdump's -C, -G and -W.
// The zero value is one file for all.
type Rotation struct {
	Size  int64         // begin another file when this one has more bytes (-C counts millions); 0: never
	Every time.Duration // begin another file after this time, by the packets' clock (-G); 0: never
	// Files bounds their number (-W): with Size alone the first one is overwritten after the last one;
	// with Every alone writing ends; with both it only gives the numbers in names their digits.
	Files int
}

// fileNames makes the names of files that follow one another.
type fileNames struct {
	Rotation
	name  string
	count int // files of this name before this one
	made  int // files in all
}

// next is the name of the next file: with Every the time fills the verbs of strftime, with Size a
// number follows, with leading zeros where Files says how many there will be.
func (f *fileNames) next(now int64) string {
	f.made++
	name := f.name
	if f.Every > 0 {
		name = strftime(name, time.Unix(0, now))
	}
	digits := 0
	for n := f.Files - 1; n > 0; n /= 10 {
		digits++
	}
	if f.Size > 0 && (f.count > 0 || digits > 0) {
		name = fmt.Sprintf("%s%0*d", name, digits, f.count)
	}
	return name
}

// larger goes on to the next number, later to the next time.
func (f *fileNames) larger() {
	f.count++
	if f.Files > 0 && f.Every == 0 && f.count >= f.Files {
		f.count = 0
	}
}

func (f *fileNames) later() { f.count = 0 }

// full says that no other file may be made.
func (f *fileNames) full() bool {
	return f.Every > 0 && f.Size == 0 && f.Files > 0 && f.made >= f.Files
}

// verbs are those of strftime(3) that make sense in a file's name, as layouts of package time.
var verbs = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "01", 'd': "02", 'e': "_2", 'H': "15", 'I': "03", 'M': "04", 'S': "05", 'p': "PM", 'j': "002",
	'b': "Jan", 'B': "January", 'a': "Mon", 'A': "Monday", 'Z': "MST", 'z': "-0700", 'F': "2006-01-02", 'T': "15:04:05", 'R': "15:04", 'D': "01/02/06",
}

// strftime fills the verbs in a name with a time.
func strftime(name string, t time.Time) string {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] != '%' || i+1 == len(name) {
			b.WriteByte(name[i])
			continue
		}
		i++
		switch layout := verbs[name[i]]; {
		case layout != "":
			b.WriteString(t.Format(layout))
		case name[i] == 's':
			fmt.Fprintf(&b, "%d", t.Unix())
		case name[i] == '%':
			b.WriteByte('%')
		default:
			b.WriteString(name[i-1 : i+1])
		}
	}
	return b.String()
}
