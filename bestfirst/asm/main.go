// Command asm writes ../rank_amd64.s: what is asked of a chunk of edges in AVX2. It is a module of its own so that the engine does not
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
	provenBit        = 28
	pending, proven  = 1 << 27, 1 << 28
	nBase, priorBase = 127<<2 - 1, 127 << 4
	zBase, zOffset   = 124 << 4, 0.125
	leastUnproven    = (1<<16 - 30_999) << 16 // a value above those of lost edges, where it lies in a word
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
	next
	gap
	grow
	perMean
	ratios
)

// The mean comes after the ratios of a chunk.
const (
	all = ratios + 4*8 + 4*iota
	sum
	sure
	below
)

func main() {
	ConstraintExpr("amd64")
	rank()
	average()
	Generate()
}

func rank() {
	TEXT("rankAVX2", NOSPLIT, "func(q, edges *byte, best int)")
	Pragma("noescape")
	Doc("rankAVX2 is rankGeneric of eight edges.")
	question, edges := Load(Param("q"), GP64()).(reg.GPVirtual), Load(Param("edges"), GP64()).(reg.GPVirtual)
	best := Load(Param("best"), GP64()).(reg.GPVirtual)
	e := load(edges)
	isBest := YMM()
	VMOVD(best.As32(), isBest.AsX())
	VPBROADCASTD(isBest.AsX(), isBest)
	VPCMPEQD(lanes(), isBest, isBest)
	lacks := YMM() // 1 where the way is to fall
	VPANDN(word(1), isBest, lacks)
	found := e.weigh(question)

	// gap
	need, above := YMM(), YMM()
	VSUBPS(found, float(question, first), need)
	VSUBPS(float(question, next), found, above)
	VBLENDVPS(isBest, above, need, need)
	VMAXPS(float(question, gap), need, need)
	VMULPS(float(question, grow), need, need)

	// ratio
	at := YMM()
	VPMULLD(word(nBuckets), lacks, at)
	VPADDD(e.n, at, at)
	VMULPS(gather(question, perSigma, e.sigma), need, need)
	VMULPS(gather(question, perScale, at), need, need)
	VADDPS(word(math.Float32bits(zOffset)), need, need)
	VPSRLD(U8(19), need, need)
	VPSUBD(word(zBase), need, need)
	VPMINSD(word(zBuckets-1), need, need)
	VPMAXSD(zero(), need, need)
	VPMULLD(word(zBuckets), at, at)
	VPADDD(need, at, at)
	ratio := YMM()
	VMULPS(gather(question, chance, at), gather(question, bias, e.prior), ratio)

	// none of what is pending or proven
	out := YMM()
	VPAND(word(pending|proven), e.bits, out)
	VPCMPEQD(zero(), out, out)
	VBLENDVPS(out, ratio, word(math.Float32bits(-1)), ratio)
	VMOVUPS(ratio, Mem{Base: question, Disp: ratios})
	VZEROUPPER()
	RET()
}

func average() {
	TEXT("averageAVX2", NOSPLIT, "func(q, edges *byte, count int)")
	Pragma("noescape")
	Doc("averageAVX2 is averageGeneric of up to eight edges.")
	question, edges := Load(Param("q"), GP64()).(reg.GPVirtual), Load(Param("edges"), GP64()).(reg.GPVirtual)
	count := Load(Param("count"), GP64()).(reg.GPVirtual)
	e := load(edges)
	counts := YMM()
	VMOVD(count.As32(), counts.AsX())
	VPBROADCASTD(counts.AsX(), counts)
	VPCMPGTD(lanes(), counts, counts)
	VPAND(counts, e.n, e.n)
	n, weight, isProven, isLost := YMM(), YMM(), YMM(), YMM()
	VCVTDQ2PS(e.n, n)
	evals := YMM()
	VMOVDQA(e.n, evals)
	VPSLLD(U8(31-provenBit), e.bits, isProven)
	VPAND(counts, isProven, isProven)
	VPCMPGTD(e.value, word(leastUnproven), isLost)
	VPAND(isProven, isLost, isLost)
	VPAND(counts, e.isValued, counts)
	found := e.weigh(question)

	x := YMM()
	ones := word(math.Float32bits(1))
	VSUBPS(found, float(question, first), x)
	VMULPS(float(question, perMean), x, x)
	VMULPS(word(math.Float32bits(0.5)), x, weight)
	VADDPS(ones, weight, weight)
	VMULPS(x, weight, weight)
	VADDPS(ones, weight, weight)
	VDIVPS(weight, n, weight)
	VBLENDVPS(counts, weight, zero(), weight)
	VBLENDVPS(isLost, zero(), weight, weight)

	// sums
	weighted, high := YMM(), YMM()
	VMULPS(found, weight, weighted)
	VHADDPS(weighted, weight, weight)
	VHADDPS(weight, weight, weight)
	VEXTRACTF128(U8(1), weight, high.AsX())
	VADDPS(high.AsX(), weight.AsX(), weight.AsX())
	VMOVSD(Mem{Base: question, Disp: all}, high.AsX())
	VADDPS(high.AsX(), weight.AsX(), weight.AsX())
	VMOVSD(weight.AsX(), Mem{Base: question, Disp: all})
	VPHADDD(evals, evals, evals)
	VPHADDD(evals, evals, evals)
	VEXTRACTI128(U8(1), evals, high.AsX())
	VPADDD(high.AsX(), evals.AsX(), evals.AsX())
	g := GP32()
	VMOVD(evals.AsX(), g)
	ADDL(g, Mem{Base: question, Disp: below})

	// the best proven one
	VMOVMSKPS(isProven, g)
	TESTL(g, g)
	JZ(LabelRef("done"))
	best := word(math.Float32bits(-1))
	VBLENDVPS(isProven, found, best, best)
	VEXTRACTF128(U8(1), best, high.AsX())
	VMAXPS(high.AsX(), best.AsX(), best.AsX())
	VPERMILPS(U8(0x4e), best.AsX(), high.AsX())
	VMAXPS(high.AsX(), best.AsX(), best.AsX())
	VPERMILPS(U8(0xb1), best.AsX(), high.AsX())
	VMAXPS(high.AsX(), best.AsX(), best.AsX())
	VMAXSS(Mem{Base: question, Disp: sure}, best.AsX(), best.AsX())
	VMOVSS(best.AsX(), Mem{Base: question, Disp: sure})
	Label("done")
	VZEROUPPER()
	RET()
}

// words are those of eight edges, one vector each.
type words struct{ bits, n, prior, value, sigma, isValued reg.VecVirtual }

func load(edges reg.GPVirtual) words {
	// 0 with 4, 1 with 5 and so on lie side by side first.
	var rows [4]reg.VecVirtual
	for i := range rows {
		rows[i] = YMM()
		VMOVDQU(Mem{Base: edges, Disp: 16 * i}, rows[i].AsX())
		VINSERTI128(U8(1), Mem{Base: edges, Disp: 16 * (i + 4)}, rows[i], rows[i])
	}
	w := words{YMM(), YMM(), YMM(), YMM(), YMM(), YMM()}
	low, high := YMM(), YMM()
	VPUNPCKLDQ(rows[1], rows[0], low)
	VPUNPCKLDQ(rows[3], rows[2], high)
	VPUNPCKLQDQ(high, low, w.bits)
	VPUNPCKHDQ(rows[1], rows[0], low)
	VPUNPCKHDQ(rows[3], rows[2], high)
	VPUNPCKLQDQ(high, low, w.n)
	VPUNPCKHQDQ(high, low, w.value)
	VPBLENDW(U8(0xaa), zero(), w.value, w.prior)
	VPSRLD(U8(sigmaShift), w.bits, w.sigma)
	VPAND(word(0xff), w.sigma, w.sigma)
	VPSLLD(U8(31-valuedBit), w.bits, w.isValued)
	return w
}

// weigh is the value of each edge. It makes n and priors indices of the tables, by logarithms.
func (w words) weigh(question reg.GPVirtual) reg.VecVirtual {
	VPMAXSD(word(1), w.prior, w.prior)
	bucket(w.prior, 19, priorBase, priorBuckets-1)
	bucket(w.n, 21, nBase, nBuckets-1)
	implied, x, found, kept := YMM(), YMM(), YMM(), YMM()
	VPSRLD(U8(16), w.value, kept)
	VSUBPS(float(question, top), gather(question, loss, w.prior), implied)
	VMAXPS(zero(), implied, implied)
	VMULPS(float(question, perNat), implied, implied)
	nq := float(question, q)
	VSUBPS(implied, nq, implied)
	VMULPS(gather(question, noiseN, w.n), gather(question, noiseSigma, w.sigma), x)
	isProven := YMM() // needs no advice
	VPSLLD(U8(31-provenBit), w.bits, isProven)
	VPSRAD(U8(31), isProven, isProven)
	VPANDN(x, isProven, x)
	VMULPS(implied, x, found)
	VADDPS(found, gather(question, qOf, kept), found)
	VADDPS(word(math.Float32bits(1)), x, x)
	VDIVPS(x, found, found)
	VBLENDVPS(w.isValued, found, implied, found)
	return found
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
