package frames

import "io"

type parquetFile struct{}

func newParquet(io.Writer) *parquetFile { return &parquetFile{} }
func (*parquetFile) add(*Printer) error { return nil }
func (*parquetFile) close() error       { return nil }
