// Package models holds the net files and their cards, and opens them. Package eut reads the transformers, package nnue the
// nets for CPUs.
package models
