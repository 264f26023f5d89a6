//go:build unix

package main

import (
	"fmt"
	"os/user"
	"strconv"
	"syscall"
)

// becomeUser gives up root for good: groups, group, user, in this order, for all threads.
func becomeUser(name string) error {
	u, err := user.Lookup(name)
	if err != nil {
		return err
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return err
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return err
	}
	if err := syscall.Setgroups([]int{gid}); err != nil {
		return fmt.Errorf("setting groups: %w", err)
	}
	if err := syscall.Setgid(gid); err != nil {
		return fmt.Errorf("setting the group: %w", err)
	}
	if err := syscall.Setuid(uid); err != nil {
		return fmt.Errorf("setting the user: %w", err)
	}
	return nil
}
