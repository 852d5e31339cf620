#!/usr/bin/env bash
# ObjectStore.Get of nats.go's newer package jetstream gives the whole download five seconds if the context has no
# deadline: who reads slower gets "nats: timeout" in the middle of a healthy object. The context is not that of the
# call alone, as its name and all other calls suggest, but that of the reader. The older API of the same module reads
# on.
# It bites who sends nets, books or tables to workers by an object store: a file of 9 MB never arrives over a line of
# less than 15 Mbit/s, however often it is tried, and every test on one machine passes.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

modules github.com/nats-io/nats-server/v2@v2.15.2 github.com/nats-io/nats.go@v1.55.0
build <<'GO'
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const size = 8 << 20

// read reads an object with a pause of a second after each MiB, and tells what came.
func read(name string, r io.Reader, err error) {
	if err != nil {
		log.Fatal(err)
	}
	part := make([]byte, size/8)
	for n := 0; ; {
		k, err := io.ReadFull(r, part)
		n += k
		switch {
		case n == size:
			fmt.Printf("%s: whole\n", name)
			return
		case err != nil:
			fmt.Printf("%s: cut, %v\n", name, err)
			return
		}
		time.Sleep(time.Second)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	s := must(server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: os.Args[1], NoLog: true, NoSigs: true,
	}))
	s.Start()
	defer s.Shutdown()
	if !s.ReadyForConnections(20 * time.Second) {
		log.Fatal("the server does not start")
	}
	c := must(nats.Connect(s.ClientURL()))
	ctx := context.Background()
	files := must(must(jetstream.New(c)).CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: "nets"}))
	net := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{}).Read(net)
	must(files.PutBytes(ctx, "net", net))

	newer, err := files.Get(ctx, "net")
	read("newer", newer, err)
	long, cancel := context.WithTimeout(ctx, time.Minute)
	newer, err = files.Get(long, "net")
	read("newer, with a deadline of a minute", newer, err)
	cancel()
	older, err := must(must(c.JetStream()).ObjectStore("nets")).Get("net")
	read("older", older, err)
}
GO
"$work/go/finding" "$work/store" >"$work/said"
said() { sed -n "s/^$1: //p" "$work/said"; }
expect 'package jetstream, context without a deadline' 'cut, nats: timeout' "$(said newer)"
expect 'package jetstream, deadline of a minute' whole "$(said 'newer, with a deadline of a minute')"
expect 'package nats' whole "$(said older)"
finish
