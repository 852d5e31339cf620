// Command asm writes ../rank_amd64.s: the ranking of a chunk of edges in AVX2. It is a module of its own so that the engine does not
// depend on the assembler generator; run "go generate" in ../ after a change.
package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// As package bestfirst has them; its test of ranks fails where one differs.
const (
	nBuckets, zBuckets = 105, 160
	priorBuckets       = 272

	sigmaShift       = 18
	valuedBit        = 26
	pending, proven  = 1 << 27, 1 << 28
	nBase, priorBase = 127<<2 - 1, 127 << 4
	zBase, zOffset   = 124 << 4, 0.125
)

// Offsets in a question: pointers to tables, then numbers.
const (
	noiseSigma = 8 * iota
	noiseN
	perSigma
	perScale
	bias
	loss
	chance
	qOf
	floats
)

const (
	q = floats + 4*iota
	top
	perNat
	first
	second
	gap
	ratios
)

func main() {
	ConstraintExpr("amd64")
	TEXT("rankAVX2", NOSPLIT, "func(q, edges *byte, best int)")
	Pragma("noescape")
	Doc("rankAVX2 is rankGeneric of eight edges.")
	question := Load(Param("q"), GP64()).(reg.GPVirtual)
	edges := Load(Param("edges"), GP64()).(reg.GPVirtual)
	best := Load(Param("best"), GP64()).(reg.GPVirtual)

	// The words of the edges, one vector each: 0 with 4, 1 with 5 and so on lie side by side first.
	var rows [4]reg.VecVirtual
	for i := range rows {
		rows[i] = YMM()
		VMOVDQU(Mem{Base: edges, Disp: 16 * i}, rows[i].AsX())
		VINSERTI128(U8(1), Mem{Base: edges, Disp: 16 * (i + 4)}, rows[i], rows[i])
	}
	bits, n, low, high, prior, cp := YMM(), YMM(), YMM(), YMM(), YMM(), YMM()
	VPUNPCKLDQ(rows[1], rows[0], low)
	VPUNPCKLDQ(rows[3], rows[2], high)
	VPUNPCKLQDQ(high, low, bits)
	VPUNPCKHDQ(rows[1], rows[0], low)
	VPUNPCKHDQ(rows[3], rows[2], high)
	VPUNPCKLQDQ(high, low, n)
	VPUNPCKHQDQ(high, low, cp)
	VPBLENDW(U8(0xaa), zero(), cp, prior)
	VPSRLD(U8(16), cp, cp)

	sigma, isBest := YMM(), YMM()
	VPSRLD(U8(sigmaShift), bits, sigma)
	VPAND(word(0xff), sigma, sigma)
	VMOVD(best.As32(), isBest.AsX())
	VPBROADCASTD(isBest.AsX(), isBest)
	VPCMPEQD(lanes(), isBest, isBest)

	// Indices of the tables by logarithms.
	one := word(1)
	VPMAXSD(one, prior, prior)
	bucket(prior, 19, priorBase, priorBuckets-1)
	bucket(n, 21, nBase, nBuckets-1)
	lacks := YMM() // 1 where the way is to fall
	VPANDN(one, isBest, lacks)

	// value
	implied, x, found := YMM(), YMM(), YMM()
	VSUBPS(float(question, top), gather(question, loss, prior), implied)
	VMAXPS(zero(), implied, implied)
	VMULPS(float(question, perNat), implied, implied)
	nq := float(question, q)
	VSUBPS(implied, nq, implied)
	VMULPS(gather(question, noiseN, n), gather(question, noiseSigma, sigma), x)
	VMULPS(implied, x, found)
	VADDPS(found, gather(question, qOf, cp), found)
	ones := word(math.Float32bits(1))
	VADDPS(ones, x, x)
	VDIVPS(x, found, found)
	isValued := YMM()
	VPSLLD(U8(31-valuedBit), bits, isValued)
	VBLENDVPS(isValued, found, implied, found)

	// gap
	need, above := YMM(), YMM()
	VSUBPS(found, float(question, first), need)
	VSUBPS(float(question, second), found, above)
	VBLENDVPS(isBest, above, need, need)
	VMAXPS(float(question, gap), need, need)

	// ratio
	at := YMM()
	VPMULLD(word(nBuckets), lacks, at)
	VPADDD(n, at, at)
	VMULPS(gather(question, perSigma, sigma), need, need)
	VMULPS(gather(question, perScale, at), need, need)
	VADDPS(word(math.Float32bits(zOffset)), need, need)
	VPSRLD(U8(19), need, need)
	VPSUBD(word(zBase), need, need)
	VPMINSD(word(zBuckets-1), need, need)
	VPMAXSD(zero(), need, need)
	VPMULLD(word(zBuckets), at, at)
	VPADDD(need, at, at)
	ratio := YMM()
	VMULPS(gather(question, chance, at), gather(question, bias, prior), ratio)

	// none of what is pending or proven
	out := YMM()
	VPAND(word(pending|proven), bits, bits)
	VPCMPEQD(zero(), bits, out)
	VBLENDVPS(out, ratio, word(math.Float32bits(-1)), ratio)
	VMOVUPS(ratio, Mem{Base: question, Disp: ratios})
	VZEROUPPER()
	RET()
	Generate()
}

func zero() reg.VecVirtual {
	v := YMM()
	VPXOR(v, v, v)
	return v
}

// word is a vector of a number.
func word(x uint32) reg.VecVirtual {
	g, v := GP32(), YMM()
	MOVL(U32(x), g)
	VMOVD(g, v.AsX())
	VPBROADCASTD(v.AsX(), v)
	return v
}

// lanes is 0 to 7.
func lanes() reg.VecVirtual {
	g, v := GP64(), YMM()
	MOVQ(U64(0x0706050403020100), g)
	VMOVQ(g, v.AsX())
	VPMOVZXBD(v.AsX(), v)
	return v
}

// float is a vector of a number of the question.
func float(question reg.GPVirtual, at int) reg.VecVirtual {
	v := YMM()
	VBROADCASTSS(Mem{Base: question, Disp: at}, v)
	return v
}

// bucket makes an index of v by its logarithm.
func bucket(v reg.VecVirtual, shift, base, most int) {
	VCVTDQ2PS(v, v)
	VPSRLD(U8(shift), v, v)
	VPSUBD(word(uint32(base)), v, v)
	VPMAXSD(zero(), v, v)
	VPMINSD(word(uint32(most)), v, v)
}

// gather reads a table of the question.
func gather(question reg.GPVirtual, table int, index reg.VecVirtual) reg.VecVirtual {
	base, all, v := GP64(), YMM(), YMM()
	MOVQ(Mem{Base: question, Disp: table}, base)
	VPCMPEQD(all, all, all)
	VXORPS(v, v, v)
	VGATHERDPS(all, Mem{Base: base, Index: index, Scale: 4}, v)
	return v
}
