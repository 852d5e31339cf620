package syzygy

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"tesla/tablebase/tablefile"
)

// pseudoRandom are bytes of a linear congruential generator.
func pseudoRandom(n int) []byte {
	data := make([]byte, n)
	for i, x := 0, uint32(1); i < n; i++ {
		x = x*1664525 + 1013904223
		data[i] = byte(x >> 24)
	}
	return data
}

// The values are those of the C code that made the official tables' checksums.
func TestCityHash(t *testing.T) {
	data := pseudoRandom(4096)
	for _, c := range []struct {
		n         int
		low, high uint64
	}{
		{32, 0xc77aa32c0e4b1d42, 0x1b45b75e6b924b32},
		{64, 0x67a90bb9aa375386, 0x4c76ddacc49ff1b9},
		{96, 0x3aaf6285d78e72d0, 0xef468c41816c0732},
		{128, 0xa07dedafc151f036, 0x4463891436f4a90f},
		{160, 0x71a6374b1b4083e8, 0xbe8b9dc2b1d73b11},
		{192, 0x8cecdc008460dae0, 0x3e08c74d6ca06de8},
		{224, 0x4e77f3e019c3840a, 0xdcd756b9118cb296},
		{288, 0xdae304989b561d6d, 0xe161e1049e51e165},
		{480, 0xea84a99d4ee1dd40, 0x34010f67b15b3178},
		{896, 0x44d13114fff0cbf5, 0xe6b33a1d2e05463d},
		{928, 0x310261003286ca41, 0xe6352d18f804f8f5},
		{1504, 0xfde442b1d4a553b6, 0x278624db963ba852},
	} {
		if low, high := crc128(data[:c.n]); low != c.low || high != c.high {
			t.Errorf("CityHashCrc128 of %d bytes: %x, %x, want %x, %x", c.n, low, high, c.low, c.high)
		}
	}
	for _, c := range []struct {
		n           int
		first, last uint64
	}{
		{64, 0xa885aaa3f93cdc80, 0x9646ac8677fd0c8f},
		{192, 0x7aac2e6e58640de9, 0xf10c2f331bfe84c5},
		{240, 0x3b8301a9bdbb93e1, 0x1eba51899c2e0084},
		{256, 0x3c1cf70ba6b1a2ab, 0xe9d732f7558549b4},
		{320, 0xfcdebe0cf3bcf24b, 0x2506450b7f276df9},
		{512, 0xcaf1b95db7927342, 0x8dc5b10f98cc3374},
		{1024, 0x7a25fa92e21178eb, 0x823e7b0e1240e2af},
		{4032, 0x0f2c3443df803a88, 0xad441e0e51369d51},
	} {
		if hash := crc256(data[:c.n]); hash[0] != c.first || hash[3] != c.last {
			t.Errorf("CityHashCrc256 of %d bytes: %x, %x, want %x, %x", c.n, hash[0], hash[3], c.first, c.last)
		}
	}
}

// sealed is a file of the contents with their checksum.
func sealed(contents []byte) []byte {
	data := padTo(bytes.Clone(contents), 64)
	sum, _ := checksum(bytes.NewReader(data), int64(len(data))) // reading memory does not fail
	return append(data, sum[:]...)
}

// A file is refused where any of its bits has changed, and where it was cut off or has grown.
func TestChecksum(t *testing.T) {
	data := randomTable(t, "KRvKR", false)
	m, err := parseName("KRvKR")
	if err != nil {
		t.Fatal(err)
	}
	open := func(data []byte) error {
		_, err := openTable(tablefile.NewCache(1<<16), bytes.NewReader(data), int64(len(data)), m, false)
		return err
	}
	if err := open(data); err != nil {
		t.Fatalf("as it was written: %v", err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		bad := bytes.Clone(data)
		bad[random.IntN(len(bad))] ^= 1 << random.IntN(8)
		if err := open(bad); !errors.Is(err, errChecksum) {
			t.Fatalf("a bit has changed: %v", err)
		}
	}
	for _, bad := range [][]byte{data[:len(data)-1], data[:len(data)-checksumBytes], append(bytes.Clone(data), 0), {}} {
		if err := open(bad); !errors.Is(err, errSize) {
			t.Errorf("%d bytes: %v", len(bad), err)
		}
	}
	if err := open(data[:len(data)-64]); !errors.Is(err, errChecksum) {
		t.Errorf("cut off by a block: %v", err)
	}
}

func BenchmarkChecksum(b *testing.B) {
	data := pseudoRandom(1 << 20)
	b.SetBytes(1 << 20)
	for b.Loop() {
		if _, err := checksum(bytes.NewReader(data), int64(len(data))); err != nil {
			b.Fatal(err)
		}
	}
}
