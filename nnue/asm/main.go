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
	}
	for _, s := range []*isa{&vnni, &avx512, &avx2} {
		s.dots()
		s.products("value", 1)
		s.products("heads", 3)
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

// zero returns a vector of zeros.
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
	block := func(name string, vectors int) {
		loop(name, left, vectors*s.bytes/2, func() {
			acc := s.vectors(vectors)
			next := GP64()
			MOVQ(rows, next)
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
				ADDQ(U32(vectors*s.bytes), p)
			}
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
	block := func(name string, vectors int) {
		loop(name, left, vectors*s.bytes/2, func() {
			acc := s.vectors(vectors)
			next := GP64()
			MOVQ(rows, next)
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
			for _, a := range acc {
				VPMAXSW(zero, a, a)
				VPMINSW(most, a, a)
				VPMULLW(a, a, a)
				VPADDW(round, a, a)
				VPSRLW(U8(8), a, a)
			}
			s.pack(acc, dst)
			ADDQ(U32(vectors*s.bytes), bias)
			ADDQ(U32(vectors*s.bytes/2), dst)
			ADDQ(U32(vectors*s.bytes/2), table)
		})
	}
	block("wide", s.wide)
	block("narrow", narrow*2/s.bytes)
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

// dots emits the kernel dots, see ../kernels.go. Without VNNI it widens bytes to words, because the sum of two products
// of bytes does not fit into a word.
func (s *isa) dots() {
	TEXT("dots"+s.suffix, NOSPLIT, "func(dst *int32, hidden *uint8, table *int8, width int, rows *uint32, n int)")
	Pragma("noescape")
	dst, hidden, table := param("dst"), param("hidden"), param("table")
	width, next, n := param("width"), param("rows"), param("n")
	each("row", next, n, table, width, func(row reg.GPVirtual) {
		step := s.bytes // columns that one instruction processes
		if !s.vnni {
			step /= 2
		}
		sums := []reg.VecVirtual{s.zero()}
		if step < narrow {
			sums = append(sums, s.zero())
		}
		at := GP64()
		XORQ(at, at)
		Label("columns")
		for disp := 0; disp < narrow; disp += step {
			sum := sums[disp/step%len(sums)]
			h := s.vector()
			of := func(base reg.GPVirtual) Mem { return Mem{Base: base, Index: at, Scale: 1, Disp: disp} }
			if s.vnni {
				s.move(of(hidden), h)
				VPDPBUSD(of(row), h, sum)
				continue
			}
			w := s.vector()
			VPMOVZXBW(of(hidden), h)
			VPMOVSXBW(of(row), w)
			VPMADDWD(h, w, w)
			VPADDD(w, sum, sum)
		}
		ADDQ(U8(narrow), at)
		CMPQ(at, width)
		JLT(LabelRef("columns"))
		if len(sums) > 1 {
			VPADDD(sums[1], sums[0], sums[0])
		}
		VMOVD(s.sum32(sums[0]), Mem{Base: dst})
		ADDQ(U8(4), dst)
	})
	VZEROUPPER()
	RET()
}

// sum32 adds the int32 lanes of v into the first lane of the result.
func (s *isa) sum32(v reg.VecVirtual) reg.VecVirtual {
	y := YMM()
	if s.bytes == 64 {
		VEXTRACTI64X4(U8(1), v, y)
		VPADDD(v.AsY(), y, y)
	} else {
		VMOVDQU(v, y)
	}
	x := XMM()
	VEXTRACTI128(U8(1), y, x)
	VPADDD(y.AsX(), x, x)
	t := XMM()
	VPSHUFD(U8(0b01001110), x, t)
	VPADDD(t, x, x)
	VPSHUFD(U8(0b10110001), x, t)
	VPADDD(t, x, x)
	return x
}

// products emits the kernels value and heads: the sum of weights times clamped and squared accumulators, for one or
// three heads. a * w fits into int16. (a * w) * a is summed in int32 lanes, and the lanes are added in int64.
func (s *isa) products(name string, heads int) {
	signature := "func(own, other, weights *int16, width int) int64"
	if heads > 1 {
		signature = "func(dst *int64, own, other, weights *int16, width int)"
	}
	TEXT(name+s.suffix, NOSPLIT, signature)
	Pragma("noescape")
	accs := []reg.GPVirtual{param("own"), param("other")}
	weights, width := param("weights"), param("width")
	end, at := GP64(), GP64()
	LEAQ(Mem{Base: width, Index: width, Scale: 1}, end)
	XORQ(at, at)
	rows := make([]reg.GPVirtual, 2*heads)
	for i := range rows {
		rows[i] = GP64()
		if i == 0 {
			MOVQ(weights, rows[i])
		} else {
			LEAQ(Mem{Base: rows[i-1], Index: end, Scale: 1}, rows[i])
		}
	}
	zero, most := s.zero(), s.constant(255)
	sums := make([][2]reg.VecVirtual, heads) // one sum for each accumulator, so that the chains of additions are half as long
	for i := range sums {
		sums[i] = [2]reg.VecVirtual{s.zero(), s.zero()}
	}
	Label("columns")
	for disp := 0; disp < narrow*2; disp += s.bytes {
		for c, acc := range accs {
			a := s.vector()
			s.move(Mem{Base: acc, Index: at, Scale: 1, Disp: disp}, a)
			VPMAXSW(zero, a, a)
			VPMINSW(most, a, a)
			for i := range sums {
				t := s.vector()
				VPMULLW(Mem{Base: rows[2*i+c], Index: at, Scale: 1, Disp: disp}, a, t)
				if s.vnni {
					VPDPWSSD(a, t, sums[i][c])
				} else {
					VPMADDWD(a, t, t)
					VPADDD(t, sums[i][c], sums[i][c])
				}
			}
		}
	}
	ADDQ(U8(128), at)
	CMPQ(at, end)
	JLT(LabelRef("columns"))
	for _, v := range sums {
		VPADDD(v[1], v[0], v[0])
	}
	if heads == 1 {
		x := s.sum64(sums[0][0])
		VZEROUPPER()
		r := GP64()
		VMOVQ(x, r)
		Store(r, ReturnIndex(0))
	} else {
		dst := param("dst")
		for i, v := range sums {
			VMOVQ(s.sum64(v[0]), Mem{Base: dst, Disp: 8 * i})
		}
		VZEROUPPER()
	}
	RET()
}

// sum64 adds the int32 lanes of v as int64 into the first lane of the result.
func (s *isa) sum64(v reg.VecVirtual) reg.VecVirtual {
	y := YMM()
	if s.bytes == 64 {
		high, low := ZMM(), ZMM()
		half := YMM()
		VEXTRACTI64X4(U8(1), v, half)
		VPMOVSXDQ(half, high)
		VPMOVSXDQ(v.AsY(), low)
		VPADDQ(high, low, low)
		VEXTRACTI64X4(U8(1), low, y)
		VPADDQ(low.AsY(), y, y)
	} else {
		half, low := XMM(), YMM()
		VEXTRACTI128(U8(1), v, half)
		VPMOVSXDQ(half, y)
		VPMOVSXDQ(v.AsX(), low)
		VPADDQ(low, y, y)
	}
	x, t := XMM(), XMM()
	VEXTRACTI128(U8(1), y, x)
	VPADDQ(y.AsX(), x, x)
	VPSHUFD(U8(0b01001110), x, t)
	VPADDQ(t, x, x)
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
