// Package kserve is generated from kserve.proto: the messages of the KServe v2 inference protocol that Tesla speaks.
package kserve

//go:generate protoc --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative kserve.proto
