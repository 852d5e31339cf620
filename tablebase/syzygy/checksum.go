package syzygy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"
)

// The generator of the official tables ends each file with a checksum of what comes before it: CityHashCrc256 of every
// 16 MiB, and CityHashCrc128 of those hashes (Pike and Alakuijala, CityHash 1.0.3, 2011; checksum.c of syzygy1/tb).
const (
	checksumBytes = 16      // readers want the size of a file to be 16 modulo 64
	checksumChunk = 1 << 24 // bytes that are hashed as one
	hashBytes     = 32      // of a chunk
)

// Errors of a file that is not as it was written.
var (
	errSize     = fmt.Errorf("size that is not %d more than a multiple of 64", checksumBytes)
	errChecksum = errors.New("wrong checksum of the contents")
)

// verify compares a file of size bytes, which openTable has checked, with the checksum that ends it.
func verify(file io.ReaderAt, size int64) error {
	size -= checksumBytes
	var want [checksumBytes]byte
	if _, err := file.ReadAt(want[:], size); err != nil {
		return err
	}
	got, err := checksum(file, size)
	if err == nil && got != want {
		err = fmt.Errorf("byte %d: %w", size, errChecksum)
	}
	return err
}

// checksum is the checksum of the first size bytes of a file, a multiple of 64.
func checksum(file io.ReaderAt, size int64) (sum [checksumBytes]byte, err error) {
	var hashes []byte
	memory := make([]byte, min(size, checksumChunk))
	for at := int64(0); at < size; at += checksumChunk {
		chunk := memory[:min(size-at, checksumChunk)]
		if _, err := file.ReadAt(chunk, at); err != nil {
			return sum, err
		}
		for _, h := range crc256(chunk) {
			hashes = binary.LittleEndian.AppendUint64(hashes, h)
		}
	}
	low, high := crc128(hashes)
	binary.LittleEndian.PutUint64(sum[:], low)
	binary.LittleEndian.PutUint64(sum[8:], high)
	return sum, nil
}

// The constants of CityHash.
const (
	city0   = 0xc3a5c85c97cb3127
	city1   = 0xb492b66fbe98f273
	city3   = 0xc949d7c7509e6557
	cityMul = 0x9ddfea08eb382d69

	crcBytes  = 240 // of a step of crc256
	cityBytes = 128 // of a step of city128
)

// slices8 are the CRC of each byte that n other bytes follow, for the next eight bytes at once (Kounavis and Berry 2005).
var slices8 = func() (t [8][256]uint32) {
	t[0] = *crc32.MakeTable(crc32.Castagnoli)
	for n := 1; n < len(t); n++ {
		for i, before := range t[n-1] {
			t[n][i] = before>>8 ^ t[0][before&255]
		}
	}
	return t
}()

// crc is the instruction CRC32 of SSE 4.2, which does not invert.
func crc(sum uint32, word uint64) uint32 {
	x := word ^ uint64(sum)
	return slices8[7][x&255] ^ slices8[6][x>>8&255] ^ slices8[5][x>>16&255] ^ slices8[4][x>>24&255] ^
		slices8[3][x>>32&255] ^ slices8[2][x>>40&255] ^ slices8[1][x>>48&255] ^ slices8[0][x>>56]
}

func word(b []byte) uint64         { return binary.LittleEndian.Uint64(b) }
func right(x uint64, n int) uint64 { return bits.RotateLeft64(x, -n) }
func shiftMix(x uint64) uint64     { return x ^ x>>47 }

// mix is HashLen16 of CityHash.
func mix(low, high uint64) uint64 {
	x := shiftMix((low ^ high) * cityMul)
	return shiftMix((high^x)*cityMul) * cityMul
}

// crcState is the state of crc256.
type crcState struct {
	a, b, c, d, e, t uint64
	crcs             [5]uint32
}

// step takes 40 bytes.
func (x *crcState) step(s []byte, multiplier uint64, z int) {
	x.a, x.b, x.c, x.d, x.e, x.t = right(x.b, 41^z)*multiplier+word(s), right(x.c, 27^z)*multiplier+word(s[8:]),
		right(x.d, 41^z)*multiplier+word(s[16:]), right(x.e, 33^z)*multiplier+word(s[24:]),
		right(x.t, 25^z)*multiplier+word(s[32:]), x.a
	for i, v := range [5]uint64{x.a, x.b, x.c, x.d, x.e} {
		x.crcs[i] = crc(x.crcs[i], v)
	}
}

// crc256 is CityHashCrc256.
func crc256(s []byte) (hash [4]uint64) {
	seed := uint32(0)
	if len(s) < crcBytes {
		seed = ^uint32(len(s))
		s = append(append(make([]byte, 0, crcBytes), s...), make([]byte, crcBytes-len(s))...)
	}
	length := uint64(len(s))
	x := crcState{a: word(s[56:]) + city0, b: word(s[96:]) + city0, e: word(s[184:]) + uint64(seed), crcs: [5]uint32{seed}}
	hash[0], hash[1] = mix(x.b, length), word(s[120:])*city0+length
	x.c, x.d = hash[0], hash[1]
	x.t = x.c + x.d
	rest := s
	for ; len(rest) >= crcBytes; rest = rest[crcBytes:] {
		for k := 0; k < crcBytes; k += 80 {
			x.step(rest[k:], 1, 1)
			x.step(rest[k+40:], city0, 0)
		}
	}
	for ; len(rest) >= 40; rest = rest[40:] {
		x.step(rest, city0, 0)
	}
	if len(rest) > 0 {
		x.step(s[len(s)-40:], city0, 0)
	}
	return x.finish(hash)
}

func (x *crcState) finish(hash [4]uint64) [4]uint64 {
	a, b, c, d, e := x.a, x.b, x.c, x.d, x.e
	f, g, h, i, j := uint64(x.crcs[0]), uint64(x.crcs[1]), uint64(x.crcs[2]), uint64(x.crcs[3]), uint64(x.crcs[4])
	j += i << 32
	a = mix(a, j)
	h += g << 32
	b += h
	c = mix(c, f) + i
	d = mix(d, e+hash[0])
	j += e
	i += mix(h, x.t)
	e = mix(a, d) + j
	f = mix(b, c) + a
	g = mix(j, i) + c
	hash[0] = e + f + g + h
	a = shiftMix((a+g)*city0)*city0 + b
	hash[1] += a + hash[0]
	a = shiftMix(a*city0)*city0 + c
	hash[2] = a + hash[1]
	hash[3] = shiftMix((a+e)*city0)*city0 + hash[2]
	return hash
}

// crc128 is CityHashCrc128 of hashes of chunks.
func crc128(s []byte) (low, high uint64) {
	const longest = 900
	if len(s) <= longest {
		return city128(s)
	}
	hash := crc256(s)
	return hash[2], hash[3]
}

// city128 is CityHash128 of a multiple of 32 bytes, the first 16 of which are the seed.
func city128(s []byte) (low, high uint64) {
	if len(s) < hashBytes {
		return 0, 0 // there is no chunk
	}
	x, y, s := word(s)^city3, word(s[8:]), s[16:]
	if len(s) < cityBytes {
		return murmur(s, x, y)
	}
	z := uint64(len(s)) * city1
	var v, w [2]uint64
	v[0] = right(y^city1, 49)*city1 + word(s)
	v[1] = right(v[0], 42)*city1 + word(s[8:])
	w[0] = right(y+z, 35)*city1 + x
	w[1] = right(x+word(s[88:]), 53) * city1
	all := s
	for ; len(s) >= cityBytes; s = s[cityBytes:] {
		for _, half := range [][]byte{s, s[cityBytes/2:]} {
			x = right(x+y+v[0]+word(half[8:]), 37) * city1
			y = right(y+v[1]+word(half[48:]), 42) * city1
			x ^= w[1]
			y += v[0] + word(half[40:])
			z = right(z+w[0], 33) * city1
			v = weak(half, v[1]*city1, x+w[0])
			w = weak(half[32:], z+w[1], y+word(half[16:]))
			x, z = z, x
		}
	}
	x += right(v[0]+z, 49) * city0
	z += right(w[0], 37) * city0
	for done := 0; done < len(s); {
		done += 32
		tail := all[len(all)-done:]
		y = right(x+y, 42)*city0 + v[1]
		w[0] += word(tail[16:])
		x = x*city0 + w[0]
		z += w[1] + word(tail)
		w[1] += v[0]
		v = weak(tail, v[0]+z, v[1])
	}
	x, y = mix(x, v[0]), mix(y+z, w[0])
	return mix(x+v[1], w[1]) + y, mix(x+w[1], y+v[1])
}

// weak hashes 32 bytes into a pair.
func weak(s []byte, a, b uint64) [2]uint64 {
	a += word(s)
	b = right(b+a+word(s[24:]), 21)
	c := a
	a += word(s[8:]) + word(s[16:])
	b += right(a, 44)
	return [2]uint64{a + word(s[24:]), b + c}
}

// murmur is CityMurmur of 16 bytes, or of a multiple of 16.
func murmur(s []byte, a, b uint64) (low, high uint64) {
	n := uint64(len(s))
	var c, d uint64
	if n == 16 {
		first, last := word(s), word(s[8:])
		a = shiftMix(a*city1) * city1
		c = b*city1 + (mix(first, right(last+n, int(n))) ^ last)
		d = shiftMix(a + first)
	} else {
		c = mix(word(s[n-8:])+city1, a)
		d = mix(b+n, c+word(s[n-16:]))
		a += d
		for ; len(s) > 16; s = s[16:] {
			a = (a ^ shiftMix(word(s)*city1)*city1) * city1
			b ^= a
			c = (c ^ shiftMix(word(s[8:])*city1)*city1) * city1
			d ^= c
		}
	}
	a, b = mix(a, c), mix(d, b)
	return a ^ b, mix(b, a)
}
