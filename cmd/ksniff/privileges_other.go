//go:build !unix

package main

import "errors"

// becomeUser does not exist here, nor does the live capture that would need it.
func becomeUser(string) error { return errors.New("not on this system") }
