package bestfirst

import "math"

// Measured noise: the net's sigma says how far a value moves in positions like this one; what was backed up to the node
// says how far it moves here. A node measures a deviation: the root mean square of the differences of its evaluations from
// its value at the time. The net's sigma counts as some of them. Where the deviation is larger than usual, for a node with
// as many evaluations, the sigma of the edges that lead there becomes larger than the net's (docs/log/0079).

const (
	// deviationPrior is the evaluations that the net's sigma counts as in a node's deviation.
	deviationPrior = 5
	// usualFactor and usualPower say what a deviation is on average: sigma * usualFactor * n^usualPower, at least sigma. It
	// grows because the search looks at worse moves later.
	usualFactor = 0.8
	usualPower  = 0.2

	deviationUnit = 1.0 / math.MaxUint16
)

// deviationOf stores a deviation in (0, 1] in 16 bits, so that small changes of a large node's are not lost.
func deviationOf(s float32) uint16 { return uint16(max(1, min(math.MaxUint16, s/deviationUnit+0.5))) }

// deviate adds the difference of an evaluation from the node's value to the node's deviation.
func (n *node) deviate(difference float32) {
	s := float32(n.deviation) * deviationUnit
	square := s * s
	square += (difference*difference - square) / float32(deviationPrior+n.n-uint32(n.pend))
	n.deviation = deviationOf(float32(math.Sqrt(float64(square))))
}

// measure adds an evaluation that came through an edge, v for the side to move at the node, to the node's deviation, and
// gives the edge the sigma that its child measured.
func (pr *promoter) measure(n *node, e *edge, v float32) {
	n.deviate(v - unproven(qOf[uint16(n.value)]))
	if e.child != none {
		e.setSigma(pr.tables.measured(&pr.tree.Nodes.Items[e.child]))
	}
}

// usualTable is how many code steps a node's deviation usually lies above the net's sigma, by bucketN of its evaluations.
var usualTable = func() (t [nBuckets]float32) {
	for i := range t {
		t[i] = max(0, codeSteps*float32(math.Log2(usualFactor*math.Pow(bucketCount(i), usualPower))))
	}
	return t
}()

// measured is the code of the sigma of an edge that leads to a node.
func (tb *tables) measured(n *node) uint8 {
	net := float32(n.sigma)
	more := deviationCode(n.deviation) - net - usualTable[bucketN(n.n-uint32(n.pend))]
	return uint8(max(0, min(255, net+tb.deviationPower*more+0.5)))
}

// deviationCode is the code of a deviation as a sigma, not rounded; within a doubling it is linear.
func deviationCode(deviation uint16) float32 {
	bits := math.Float32bits(float32(deviation) * deviationUnit)
	return codeOfOne + codeSteps*(float32(bits)/(1<<23)-127)
}
