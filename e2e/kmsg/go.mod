module ksniff/e2e/kmsg

go 1.26.7

require ksniff v0.0.0

require github.com/twmb/franz-go/pkg/kmsg v1.15.1

replace ksniff => ../..
