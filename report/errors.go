package report

import "strconv"

// modernError names an error code of Kafka 0.8 and later.
func modernError(code int16) string { return strconv.Itoa(int(code)) }
