package main

import (
	"errors"

	"golang.org/x/sys/unix"
)

// makeBlockDevice makes a block device that leads nowhere. Only root can.
func makeBlockDevice(path string) (string, error) {
	const major, minor = 7, 4095 // a loop device that no system has
	if err := unix.Mknod(path, unix.S_IFBLK|0o600, int(unix.Mkdev(major, minor))); err != nil {
		return "", errors.Join(errNoDevice, err)
	}
	return path, nil
}
