package parquet_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	oracle "github.com/parquet-go/parquet-go"

	"ksniff/report/parquet"
)

// row is the test's table as the library for the format reads it.
type row struct {
	N    int64    `parquet:"n"`
	Key  *int32   `parquet:"key,optional"`
	At   *int64   `parquet:"at,optional,timestamp(microsecond)"`
	F    *float64 `parquet:"f,optional"`
	Yes  bool     `parquet:"yes"`
	Name *string  `parquet:"name,optional"`
	List []string `parquet:"list,list"`
}

var columns = []parquet.Column{
	{Name: "n", Type: parquet.Int64}, {Name: "key", Type: parquet.Int32, Optional: true},
	{Name: "at", Type: parquet.Timestamp, Optional: true}, {Name: "f", Type: parquet.Double, Optional: true},
	{Name: "yes", Type: parquet.Bool}, {Name: "name", Type: parquet.Text, Optional: true}, {Name: "list", Type: parquet.Text, List: true},
}

func to[T any](v T) *T { return &v }

// sample makes row i; everything that may be absent is so in some rows.
func sample(i int) (r row) {
	r.N, r.Yes = int64(i)*1e12-5, i%3 == 0
	if i%2 == 0 {
		r.Key = to(int32(i - 7))
		r.F = to(float64(i) / 3)
	}
	if i%5 != 0 {
		r.At = to(int64(1748779200_000000 + i))
		r.Name = to(fmt.Sprintf("name-%d-%s", i%11, strings.Repeat("é", i%40)))
	}
	for k := range i % 4 {
		r.List = append(r.List, fmt.Sprint("t", k))
	}
	return r
}

func set[T any](w *parquet.Writer, column int, v *T, put func(int, T)) {
	if v == nil {
		w.Null(column)
		return
	}
	put(column, *v)
}

func write(t *testing.T, out io.Writer, n int) error {
	t.Helper()
	w := parquet.New(out, columns)
	for i := range n {
		r := sample(i)
		w.Int(0, r.N)
		set(w, 1, r.Key, func(c int, v int32) { w.Int(c, int64(v)) })
		set(w, 2, r.At, w.Int)
		set(w, 3, r.F, w.Float)
		w.Bool(4, r.Yes)
		set(w, 5, r.Name, w.Text)
		w.Texts(6, r.List)
		if err := w.EndRow(); err != nil {
			return err
		}
	}
	return w.Close()
}

func same(a, b row) bool {
	eq := func(x, y any) bool { return fmt.Sprint(x) == fmt.Sprint(y) }
	val := func(r row) any {
		deref := func(p any) any {
			switch p := p.(type) {
			case *int32:
				if p != nil {
					return *p
				}
			case *int64:
				if p != nil {
					return *p
				}
			case *float64:
				if p != nil {
					return math.Float64bits(*p)
				}
			case *string:
				if p != nil {
					return *p
				}
			}
			return "absent"
		}
		return []any{r.N, deref(r.Key), deref(r.At), deref(r.F), r.Yes, deref(r.Name), len(r.List), r.List}
	}
	return eq(val(a), val(b))
}

// Another program's library must read what we wrote: no rows, some, several pages, several row groups.
func TestReadBackByTheLibrary(t *testing.T) {
	for _, n := range []int{0, 1, 8, 1000, 70_000, 140_000} {
		if n > 100_000 && testing.Short() {
			continue
		}
		var out bytes.Buffer
		if err := write(t, &out, n); err != nil {
			t.Fatal(err)
		}
		rows, err := oracle.Read[row](bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil {
			t.Fatalf("%d rows: %v", n, err)
		}
		if len(rows) != n {
			t.Fatalf("%d rows, read %d", n, len(rows))
		}
		for i := range rows {
			if !same(rows[i], sample(i)) {
				t.Fatalf("row %d of %d: %+v, want %+v", i, n, rows[i], sample(i))
			}
		}
		f, err := oracle.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if groups := f.RowGroups(); n == 140_000 && len(groups) < 2 {
			t.Errorf("%d rows in %d row group", n, len(groups))
		}
	}
}

type broken struct{ left int }

func (b *broken) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errors.New("full")
	}
	return len(p), nil
}

func TestErrorsOfWritingAreGiven(t *testing.T) {
	for _, room := range []int{0, 4, 500} {
		if err := write(t, &broken{room}, 1000); err == nil {
			t.Errorf("no error with room for %d bytes", room)
		}
	}
}
