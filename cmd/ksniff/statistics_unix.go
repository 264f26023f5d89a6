//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// askedForStatistics gives a channel on which SIGUSR1 arrives.
func askedForStatistics() (<-chan os.Signal, func()) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	return asked, func() { signal.Stop(asked) }
}
