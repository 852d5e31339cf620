//go:build !linux

package main

func makeBlockDevice(string) (string, error) { return "", errNoDevice }
