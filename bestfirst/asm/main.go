// Command asm writes ../rank_amd64.s: the ratios and the sums of a pair of chunks of edges in AVX2. It is a module of its own so
// that the engine does not depend on the assembler generator; run "go generate" in ../ after a change.
package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// As package bestfirst has them; its test of the kernels fails where one differs.
const (
	nBuckets, zBuckets = 105, 160
	priorBuckets       = 272

	sigmaShift       = 18
	valuedBit        = 26
	provenBit        = 28
	pending, proven  = 1 << 27, 1 << 28
	nBase, priorBase = 127<<2 - 1, 127 << 4
	zBase, zOffset   = 124 << 4, 0.125
	leastUnproven    = (1<<16 - 28_999) << 16 // in a word as a value lies: one above those of lost edges, which end at -search.Decided
)

// Offsets in the tables.
const (
	perNat     = 0
	perWidth   = perNat + 4
	minGap     = perWidth + 4
	noiseSigma = minGap + 4
	noiseN     = noiseSigma + 4*256
	perSigma   = noiseN + 4*nBuckets
	perScale   = perSigma + 4*256
	weight     = perScale + 4*2*nBuckets
	nats       = weight + 4*priorBuckets
	chance     = nats + 4*priorBuckets
)

// Offsets in a frame: two pointers, then numbers. The sums come after the ratios of a pair.
const (
	tables = 8 * iota
	qOf
	floats
)

const (
	q = floats + 4*iota
	top
	first
	next
	grow
	ratios
)

const (
	weights = ratios + 4*8 + 4*iota
	weighted
	mostProven
	evals
)

func main() {
	ConstraintExpr("amd64")
	rank()
	average()
	Generate()
}

func rank() {
	TEXT("rankAVX2", NOSPLIT, "func(f, low, high *byte, best int)")
	Pragma("noescape")
	Doc("rankAVX2 is rankGeneric of eight edges.")
	frame := Load(Param("f"), GP64()).(reg.GPVirtual)
	low, high := Load(Param("low"), GP64()).(reg.GPVirtual), Load(Param("high"), GP64()).(reg.GPVirtual)
	tb := pointer(frame, tables)
	best := Load(Param("best"), GP64()).(reg.GPVirtual)
	e := load(low, high)
	isBest := YMM()
	VMOVD(best.As32(), isBest.AsX())
	VPBROADCASTD(isBest.AsX(), isBest)
	VPCMPEQD(lanes(), isBest, isBest)
	lacks := YMM() // 1 where the way is to fall
	VPANDN(word(1), isBest, lacks)
	found := e.valueOf(frame, tb)

	// gap
	need, above := YMM(), YMM()
	VSUBPS(found, float(frame, first), need)
	VSUBPS(float(frame, next), found, above)
	VBLENDVPS(isBest, above, need, need)
	VMAXPS(float(tb, minGap), need, need)
	VMULPS(float(frame, grow), need, need)

	// ratio
	at := YMM()
	VPMULLD(word(nBuckets), lacks, at)
	VPADDD(e.n, at, at)
	VMULPS(gather(tb, perSigma, e.sigma), need, need)
	VMULPS(gather(tb, perScale, at), need, need)
	VADDPS(word(math.Float32bits(zOffset)), need, need)
	VPSRLD(U8(19), need, need)
	VPSUBD(word(zBase), need, need)
	VPMINSD(word(zBuckets-1), need, need)
	VPMAXSD(zero(), need, need)
	VPMULLD(word(zBuckets), at, at)
	VPADDD(need, at, at)
	ratio := YMM()
	VMULPS(gather(tb, chance, at), gather(tb, weight, e.prior), ratio)

	// none of what is pending or proven
	out := YMM()
	VPAND(word(pending|proven), e.bits, out)
	VPCMPEQD(zero(), out, out)
	VBLENDVPS(out, ratio, word(math.Float32bits(-1)), ratio)
	VMOVUPS(ratio, Mem{Base: frame, Disp: ratios})
	VZEROUPPER()
	RET()
}

func average() {
	TEXT("averageAVX2", NOSPLIT, "func(f, low, high *byte, count int)")
	Pragma("noescape")
	Doc("averageAVX2 is averageGeneric of up to eight edges.")
	frame := Load(Param("f"), GP64()).(reg.GPVirtual)
	low, high := Load(Param("low"), GP64()).(reg.GPVirtual), Load(Param("high"), GP64()).(reg.GPVirtual)
	tb := pointer(frame, tables)
	count := Load(Param("count"), GP64()).(reg.GPVirtual)
	e := load(low, high)
	counts := YMM()
	VMOVD(count.As32(), counts.AsX())
	VPBROADCASTD(counts.AsX(), counts)
	VPCMPGTD(lanes(), counts, counts)
	VPAND(counts, e.n, e.n)
	n, share, isProven, isLost := YMM(), YMM(), YMM(), YMM()
	VCVTDQ2PS(e.n, n)
	counted := YMM()
	VMOVDQA(e.n, counted)
	VPSLLD(U8(31-provenBit), e.bits, isProven)
	VPAND(counts, isProven, isProven)
	VPCMPGTD(e.value, word(leastUnproven), isLost)
	VPAND(isProven, isLost, isLost)
	VPAND(counts, e.isValued, counts)
	found := e.valueOf(frame, tb)

	x := YMM()
	ones := word(math.Float32bits(1))
	VSUBPS(found, float(frame, first), x)
	VMULPS(float(tb, perWidth), x, x)
	VMULPS(word(math.Float32bits(0.5)), x, share)
	VADDPS(ones, share, share)
	VMULPS(x, share, share)
	VADDPS(ones, share, share)
	VDIVPS(share, n, share)
	VBLENDVPS(counts, share, zero(), share)
	VBLENDVPS(isLost, zero(), share, share)

	addSums(frame, found, share, counted)
	addProven(frame, found, isProven)
	VZEROUPPER()
	RET()
}

// addSums adds the weights of eight edges, their weighted values and their evaluations to the frame.
func addSums(frame reg.GPVirtual, found, share, counted reg.VecVirtual) {
	products, high := YMM(), YMM()
	VMULPS(found, share, products)
	VHADDPS(products, share, share)
	VHADDPS(share, share, share)
	VEXTRACTF128(U8(1), share, high.AsX())
	VADDPS(high.AsX(), share.AsX(), share.AsX())
	VMOVSD(Mem{Base: frame, Disp: weights}, high.AsX())
	VADDPS(high.AsX(), share.AsX(), share.AsX())
	VMOVSD(share.AsX(), Mem{Base: frame, Disp: weights})
	VPHADDD(counted, counted, counted)
	VPHADDD(counted, counted, counted)
	VEXTRACTI128(U8(1), counted, high.AsX())
	VPADDD(high.AsX(), counted.AsX(), counted.AsX())
	g := GP32()
	VMOVD(counted.AsX(), g)
	ADDL(g, Mem{Base: frame, Disp: evals})
}

// addProven puts the best proven value of eight edges into the frame, where it is higher than what is there.
func addProven(frame reg.GPVirtual, found, isProven reg.VecVirtual) {
	g, high := GP32(), YMM()
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
	VMAXSS(Mem{Base: frame, Disp: mostProven}, best.AsX(), best.AsX())
	VMOVSS(best.AsX(), Mem{Base: frame, Disp: mostProven})
	Label("done")
}

// words are the fields of eight edges, one vector each.
type words struct{ bits, n, prior, value, sigma, isValued reg.VecVirtual }

func load(lowChunk, highChunk reg.GPVirtual) words {
	// 0 with 4, 1 with 5 and so on lie side by side first.
	var rows [4]reg.VecVirtual
	for i := range rows {
		rows[i] = YMM()
		VMOVDQU(Mem{Base: lowChunk, Disp: 16 * i}, rows[i].AsX())
		VINSERTI128(U8(1), Mem{Base: highChunk, Disp: 16 * i}, rows[i], rows[i])
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

// valueOf is the value of each edge. It makes n and priors indices of the tables, by logarithms.
func (w words) valueOf(frame, tb reg.GPVirtual) reg.VecVirtual {
	VPMAXSD(word(1), w.prior, w.prior)
	bucket(w.prior, 19, priorBase, priorBuckets-1)
	bucket(w.n, 21, nBase, nBuckets-1)
	implied, x, found, kept := YMM(), YMM(), YMM(), YMM()
	VPSRLD(U8(16), w.value, kept)
	VSUBPS(float(frame, top), gather(tb, nats, w.prior), implied)
	VMAXPS(zero(), implied, implied)
	VMULPS(float(tb, perNat), implied, implied)
	nq := float(frame, q)
	VSUBPS(implied, nq, implied)
	VMULPS(gather(tb, noiseN, w.n), gather(tb, noiseSigma, w.sigma), x)
	isProven := YMM() // stands alone
	VPSLLD(U8(31-provenBit), w.bits, isProven)
	VPSRAD(U8(31), isProven, isProven)
	VPANDN(x, isProven, x)
	VMULPS(implied, x, found)
	VADDPS(found, gather(pointer(frame, qOf), 0, kept), found)
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

// float is a vector of a number of the frame or the tables.
func float(base reg.GPVirtual, at int) reg.VecVirtual {
	v := YMM()
	VBROADCASTSS(Mem{Base: base, Disp: at}, v)
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

// gather reads a table that lies at an offset from a pointer.
func gather(base reg.GPVirtual, table int, index reg.VecVirtual) reg.VecVirtual {
	all, v := YMM(), YMM()
	VPCMPEQD(all, all, all)
	VXORPS(v, v, v)
	VGATHERDPS(all, Mem{Base: base, Disp: table, Index: index, Scale: 4}, v)
	return v
}

// pointer reads a pointer of the frame.
func pointer(frame reg.GPVirtual, at int) reg.GPVirtual {
	p := GP64()
	MOVQ(Mem{Base: frame, Disp: at}, p)
	return p
}
