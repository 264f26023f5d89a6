package decode

import "strconv"

// AppendFault writes a fault as JSON, with the path of the field that it is in.
func AppendFault(dst []byte, f Fault, path string) []byte {
	dst = append(append(dst, `{"code":"`...), f.Code.String()...)
	dst = append(append(dst, `","class":"`...), f.Class.String()...)
	dst = strconv.AppendInt(append(dst, `","offset":`...), int64(f.Offset), 10)
	dst = AppendString(append(dst, `,"path":`...), path)
	dst = strconv.AppendInt(append(dst, `,"need":`...), int64(f.Need), 10)
	dst = strconv.AppendInt(append(dst, `,"have":`...), int64(f.Have), 10)
	return append(AppendString(append(dst, `,"message":`...), f.Message()), '}')
}
