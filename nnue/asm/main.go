// Command asm writes ../kernels_amd64.s, the kernels of package nnue for AVX2, AVX-512 and AVX-512 with VNNI. It is a
// module of its own, so that the engine does not depend on the generator. Run "go generate" in .. after a change.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isa is an instruction set.
type isa struct {
	suffix string
	bytes  int                    // size of a vector
	vector func() reg.VecVirtual  // returns a new vector register
	move   func(mxy, mxy1 Op)     // loads or stores a vector that need not be aligned
	clear  func(v reg.VecVirtual) // sets a vector to zero
	wide   int                    // vectors in a large block of columns, all kept in registers
	vnni   bool                   // has VPDPBUSD and VPDPWSSD
}

var (
	avx2 = isa{suffix: "AVX2", bytes: 32, vector: YMM, wide: 8,
		move: func(a, b Op) { VMOVDQU(a, b) }, clear: func(v reg.VecVirtual) { VPXOR(v, v, v) }}
	avx512 = isa{suffix: "AVX512", bytes: 64, vector: ZMM, wide: 16,
		move: func(a, b Op) { VMOVDQU64(a, b) }, clear: func(v reg.VecVirtual) { VPXORD(v, v, v) }}
	vnni = isa{suffix: "VNNI", bytes: 64, vector: ZMM, wide: 16, move: avx512.move, clear: avx512.clear, vnni: true}
)

// narrow is the number of columns in a small block. It divides every width.
const narrow = 64

func main() {
	ConstraintExpr("amd64")
	for _, s := range []*isa{&avx512, &avx2} {
		s.update()
		s.hidden()
		s.activate()
		s.head()
	}
	for _, s := range []*isa{&vnni, &avx512, &avx2} {
		s.dots()
	}
	Generate()
}

// loop emits a loop that runs body while left >= step, and subtracts step from left each time. Labels begin with name.
func loop(name string, left reg.GPVirtual, step int, body func()) {
	Label(name)
	CMPQ(left, U32(step))
	JLT(LabelRef(name + "_done"))
	body()
	SUBQ(U32(step), left)
	JMP(LabelRef(name))
	Label(name + "_done")
}

// each emits a loop over the n row numbers at *next. body gets the address of that row of table. Afterwards next points
// behind the last number.
func each(name string, next, n, table, rowBytes reg.GPVirtual, body func(row reg.GPVirtual)) {
	left := GP64()
	MOVQ(n, left)
	Label(name)
	TESTQ(left, left)
	JZ(LabelRef(name + "_done"))
	row := GP64()
	MOVL(Mem{Base: next}, row.As32())
	IMULQ(rowBytes, row)
	ADDQ(table, row)
	body(row)
	ADDQ(U8(4), next)
	DECQ(left)
	JMP(LabelRef(name))
	Label(name + "_done")
}

// constant returns a vector with v in each word.
func (s *isa) constant(v uint64) reg.VecVirtual {
	c := s.vector()
	g := GP64()
	MOVQ(U64(v*0x0001000100010001), g)
	x := XMM()
	VMOVQ(g, x)
	VPBROADCASTQ(x, c)
	return c
}

func (s *isa) zero() reg.VecVirtual {
	v := s.vector()
	s.clear(v)
	return v
}

// update emits the kernel update, see ../kernels.go.
func (s *isa) update() {
	TEXT("update"+s.suffix, NOSPLIT, "func(dst, src, table *int16, width int, rows *uint32, adds, subs int)")
	Pragma("noescape")
	dst, src, table := param("dst"), param("src"), param("table")
	left, rows, adds, subs := param("width"), param("rows"), param("adds"), param("subs")
	rowBytes := GP64()
	LEAQ(Mem{Base: left, Index: left, Scale: 1}, rowBytes)
	s.blocks(left, rows, func(name string, acc []reg.VecVirtual, next reg.GPVirtual) {
		for i, a := range acc {
			s.move(Mem{Base: src, Disp: i * s.bytes}, a)
		}
		each(name+"_add", next, adds, table, rowBytes, func(row reg.GPVirtual) {
			for i, a := range acc {
				VPADDW(Mem{Base: row, Disp: i * s.bytes}, a, a)
			}
		})
		each(name+"_sub", next, subs, table, rowBytes, func(row reg.GPVirtual) {
			for i, a := range acc {
				VPSUBW(Mem{Base: row, Disp: i * s.bytes}, a, a)
			}
		})
		for i, a := range acc {
			s.move(a, Mem{Base: dst, Disp: i * s.bytes})
		}
		for _, p := range []reg.GPVirtual{src, dst, table} {
			ADDQ(U32(len(acc)*s.bytes), p)
		}
	})
}

// blocks emits the loops over the blocks of columns, the large ones first, and the end of the kernel. body gets an accumulator for
// each vector of the block, and a pointer to the row numbers that it may move.
func (s *isa) blocks(left, rows reg.GPVirtual, body func(name string, acc []reg.VecVirtual, next reg.GPVirtual)) {
	block := func(name string, vectors int) {
		loop(name, left, vectors*s.bytes/2, func() {
			acc, next := s.vectors(vectors), GP64()
			MOVQ(rows, next)
			body(name, acc, next)
		})
	}
	block("wide", s.wide)
	block("narrow", narrow*2/s.bytes)
	VZEROUPPER()
	RET()
}

// hidden emits the kernel hidden, see ../kernels.go.
func (s *isa) hidden() {
	TEXT("hidden"+s.suffix, NOSPLIT, "func(dst *uint8, bias *int16, table *int8, width int, rows *uint32, n int)")
	Pragma("noescape")
	dst, bias, table := param("dst"), param("bias"), param("table")
	left, rows, n := param("width"), param("rows"), param("n")
	rowBytes := GP64()
	MOVQ(left, rowBytes)
	zero, most, round := s.zero(), s.constant(255), s.constant(128)
	s.blocks(left, rows, func(name string, acc []reg.VecVirtual, next reg.GPVirtual) {
		for i, a := range acc {
			s.move(Mem{Base: bias, Disp: i * s.bytes}, a)
		}
		each(name+"_row", next, n, table, rowBytes, func(row reg.GPVirtual) {
			for i, a := range acc {
				t := s.vector()
				VPMOVSXBW(Mem{Base: row, Disp: i * s.bytes / 2}, t)
				VPADDW(t, a, a)
			}
		})
		s.square(acc, zero, most, round)
		s.pack(acc, dst)
		ADDQ(U32(len(acc)*s.bytes), bias)
		ADDQ(U32(len(acc)*s.bytes/2), dst)
		ADDQ(U32(len(acc)*s.bytes/2), table)
	})
}

// square clamps words to 0..255, squares them and shifts them right by 8, rounding to the nearest.
func (s *isa) square(words []reg.VecVirtual, zero, most, round reg.VecVirtual) {
	for _, a := range words {
		VPMAXSW(zero, a, a)
		VPMINSW(most, a, a)
		VPMULLW(a, a, a)
		VPADDW(round, a, a)
		VPSRLW(U8(8), a, a)
	}
}

// activate emits the kernel activate, see ../kernels.go.
func (s *isa) activate() {
	TEXT("activate"+s.suffix, NOSPLIT, "func(dst *uint8, acc *int16, width int)")
	Pragma("noescape")
	dst, acc, left := param("dst"), param("acc"), param("width")
	zero, most, round := s.zero(), s.constant(255), s.constant(128)
	loop("columns", left, narrow, func() {
		words := s.vectors(narrow * 2 / s.bytes)
		for i, a := range words {
			s.move(Mem{Base: acc, Disp: i * s.bytes}, a)
		}
		s.square(words, zero, most, round)
		s.pack(words, dst)
		ADDQ(U32(narrow*2), acc)
		ADDQ(U32(narrow), dst)
	})
	VZEROUPPER()
	RET()
}

// pack stores words, which are at most 255, as bytes at dst.
func (s *isa) pack(words []reg.VecVirtual, dst reg.GPVirtual) {
	if s.bytes == 64 {
		for i, a := range words {
			VPMOVWB(a, Mem{Base: dst, Disp: i * 32})
		}
		return
	}
	for i := 0; i < len(words); i += 2 {
		VPACKUSWB(words[i+1], words[i], words[i]) // packs each half of 16 bytes by itself; VPERMQ restores the order
		VPERMQ(U8(0b11011000), words[i], words[i])
		VMOVDQU(words[i], Mem{Base: dst, Disp: i * 16})
	}
}

// dots emits the kernel dots, see ../kernels.go. It takes four rows at a time, which share the loads of hidden and the
// additions of lanes, and the last ones singly.
func (s *isa) dots() {
	TEXT("dots"+s.suffix, NOSPLIT, "func(dst *int32, hidden *uint8, table *int8, width int, rows *uint32, n int)")
	Pragma("noescape")
	dst, hidden, table := param("dst"), param("hidden"), param("table")
	width, next, n := param("width"), param("rows"), param("n")
	loop("four", n, 4, func() {
		x := s.sumsOfFour(s.rowProducts("columns_of_four", hidden, table, width, next, 4))
		VMOVDQU(x, Mem{Base: dst})
		ADDQ(U8(16), dst)
	})
	loop("one", n, 1, func() {
		x := s.sum32(s.rowProducts("columns", hidden, table, width, next, 1)[0])
		VMOVD(x, Mem{Base: dst})
		ADDQ(U8(4), dst)
	})
	VZEROUPPER()
	RET()
}

// rowProducts emits the products of hidden with the next count rows of table, and returns a vector for each row whose lanes
// add up to its product. Without VNNI two products are added in a word, which pairLimit keeps from overflowing.
func (s *isa) rowProducts(name string, hidden, table, width, next reg.GPVirtual, count int) []reg.VecVirtual {
	rows, sums := make([]reg.GPVirtual, count), make([]reg.VecVirtual, count)
	for i := range rows {
		rows[i], sums[i] = GP64(), s.zero()
		MOVL(Mem{Base: next, Disp: 4 * i}, rows[i].As32())
		IMULQ(width, rows[i])
		ADDQ(table, rows[i])
	}
	ADDQ(U8(4*count), next)
	var ones reg.VecVirtual
	if !s.vnni {
		ones = s.constant(1)
	}
	at := GP64()
	XORQ(at, at)
	Label(name)
	for disp := 0; disp < narrow; disp += s.bytes {
		of := func(base reg.GPVirtual) Mem { return Mem{Base: base, Index: at, Scale: 1, Disp: disp} }
		h := s.vector()
		s.move(of(hidden), h)
		for i, row := range rows {
			if s.vnni {
				VPDPBUSD(of(row), h, sums[i])
				continue
			}
			w := s.vector()
			VPMADDUBSW(of(row), h, w)
			VPMADDWD(ones, w, w)
			VPADDD(w, sums[i], sums[i])
		}
	}
	ADDQ(U8(narrow), at)
	CMPQ(at, width)
	JLT(LabelRef(name))
	return sums
}

// half returns the sum of the upper and the lower half of the int32 lanes of a vector of 64 bytes, and others as they are.
func (s *isa) half(v reg.VecVirtual) reg.VecVirtual {
	y := YMM()
	if s.bytes == 64 {
		VEXTRACTI64X4(U8(1), v, y)
		VPADDD(v.AsY(), y, y)
	} else {
		VMOVDQU(v, y)
	}
	return y
}

// sumsOfFour returns the sums of the int32 lanes of four vectors.
func (s *isa) sumsOfFour(v []reg.VecVirtual) reg.VecVirtual {
	a, b, x := s.half(v[0]), s.half(v[2]), XMM()
	VPHADDD(s.half(v[1]), a, a)
	VPHADDD(s.half(v[3]), b, b)
	VPHADDD(b, a, a)
	VEXTRACTI128(U8(1), a, x)
	VPADDD(a.AsX(), x, x)
	return x
}

// sum32 adds the int32 lanes of v into the first lane of the result.
func (s *isa) sum32(v reg.VecVirtual) reg.VecVirtual {
	y, x, t := s.half(v), XMM(), XMM()
	VEXTRACTI128(U8(1), y, x)
	VPADDD(y.AsX(), x, x)
	VPSHUFD(U8(0b01001110), x, t)
	VPADDD(t, x, x)
	VPSHUFD(U8(0b10110001), x, t)
	VPADDD(t, x, x)
	return x
}

// Sizes of the layers of the value net, and where their weights lie in a tail, in floats; see ../net.go.
const (
	layer1, layer2, heads = 16, 32, 3
	tailBias1             = layer1
	tailBias2             = tailBias1 + layer1
	tailLayer2            = tailBias2 + layer2
	tailLayer3            = tailLayer2 + 2*layer1*layer2
	tailBias3             = tailLayer3 + heads*layer2
)

// head emits the kernel head, see ../kernels.go.
func (s *isa) head() {
	TEXT("head"+s.suffix, NOSPLIT, "func(dst *float32, sums *int32, tail *float32)")
	Pragma("noescape")
	dst, sums, tail := param("dst"), param("sums"), param("tail")
	lanes := s.bytes / 4
	of := func(index int) Mem { return Mem{Base: tail, Disp: 4 * index} }
	zero, one := s.zero(), s.vector()
	g, x := GP32(), XMM()
	MOVL(U32(0x3f800000), g)
	VMOVD(g, x)
	VPBROADCASTD(x, one)
	inputs := AllocLocal(2 * layer1 * 4)
	for i := 0; i < layer1; i += lanes {
		z, square := s.vector(), s.vector()
		VCVTDQ2PS(Mem{Base: sums, Disp: 4 * i}, z)
		VMULPS(of(i), z, z)
		VADDPS(of(tailBias1+i), z, z)
		VMULPS(z, z, square)
		VMINPS(one, square, square)
		s.move(square, inputs.Offset(4*i))
		s.clip(z, zero, one)
		s.move(z, inputs.Offset(4*(layer1+i)))
	}
	var y [2][]reg.VecVirtual
	for odd := range y {
		y[odd] = s.vectors(layer2 / lanes)
		for i, v := range y[odd] {
			if odd == 0 {
				s.move(of(tailBias2+i*lanes), v)
			} else {
				s.clear(v)
			}
		}
	}
	for k := range 2 * layer1 {
		input := s.vector()
		VBROADCASTSS(inputs.Offset(4*k), input)
		for i, v := range y[k%2] {
			product := s.vector()
			VMULPS(of(tailLayer2+k*layer2+i*lanes), input, product)
			VADDPS(product, v, v)
		}
	}
	for i, v := range y[0] {
		VADDPS(y[1][i], v, v)
		s.clip(v, zero, one)
	}
	for i := range heads {
		products := s.vectors(layer2 / lanes)
		for k, v := range products {
			VMULPS(of(tailLayer3+i*layer2+k*lanes), y[0][k], v)
		}
		for ; len(products) > 1; products = products[:len(products)/2] {
			for k, v := range products[len(products)/2:] {
				VADDPS(v, products[k], products[k])
			}
		}
		sum := s.sumFloats(products[0])
		VADDSS(of(tailBias3+i), sum, sum)
		VMOVSS(sum, Mem{Base: dst, Disp: 4 * i})
	}
	VZEROUPPER()
	RET()
}

// clip clips floats to 0..1.
func (s *isa) clip(v, zero, one reg.VecVirtual) {
	VMAXPS(zero, v, v)
	VMINPS(one, v, v)
}

// sumFloats adds the float32 lanes of v into the first lane of the result, each time the upper half to the lower.
func (s *isa) sumFloats(v reg.VecVirtual) reg.VecVirtual {
	y, x, t := YMM(), XMM(), XMM()
	if s.bytes == 64 {
		VEXTRACTF64X4(U8(1), v, y)
		VADDPS(v.AsY(), y, y)
	} else {
		VMOVUPS(v, y)
	}
	VEXTRACTF128(U8(1), y, x)
	VADDPS(y.AsX(), x, x)
	VMOVHLPS(x, x, t)
	VADDPS(t, x, x)
	VMOVSHDUP(x, t)
	VADDSS(t, x, x)
	return x
}

// vectors returns n new vector registers.
func (s *isa) vectors(n int) []reg.VecVirtual {
	all := make([]reg.VecVirtual, n)
	for i := range all {
		all[i] = s.vector()
	}
	return all
}

// param loads a parameter of the function into a register.
func param(name string) reg.GPVirtual {
	g := GP64()
	Load(Param(name), g)
	return g
}
