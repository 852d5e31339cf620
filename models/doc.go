// Package models holds the net files that are built into the program, with their cards, and opens net files.
//
// Open reads a file once and tells by its first bytes which kind of net it holds. What evaluates takes a net, never a
// path, so no file is read a second time. Package eut reads the transformers, package nnue the CPU nets.
package models
