package reference

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// matrix holds rows of columns numbers, one row after the other.
type matrix struct {
	rows, columns int
	data          []float64
}

func newMatrix(rows, columns int) matrix { return matrix{rows, columns, make([]float64, rows*columns)} }

// row is a view of a row.
func (m matrix) row(i int) []float64 { return m.data[i*m.columns:][:m.columns] }

// flat is a view of m as one row.
func (m matrix) flat() matrix { return matrix{1, len(m.data), m.data} }

// add adds the numbers of x, in their order, to those of m.
func (m matrix) add(x matrix) { floats.Add(m.data, x.data) }

// part is a copy of some columns.
func (m matrix) part(from, columns int) matrix {
	part := newMatrix(m.rows, columns)
	for i := range m.rows {
		copy(part.row(i), m.row(i)[from:])
	}
	return part
}

// transposed is a copy with rows for columns.
func (m matrix) transposed() matrix {
	t := newMatrix(m.columns, m.rows)
	for i := range m.rows {
		for k, v := range m.row(i) {
			t.row(k)[i] = v
		}
	}
	return t
}

// times is the product of two matrices. It panics where their sizes do not fit.
func (m matrix) times(x matrix) matrix {
	y, err := m.tensor().MatMul(x.tensor())
	if err != nil {
		panic(fmt.Sprintf("reference: %d x %d by %d x %d: %v", m.rows, m.columns, x.rows, x.columns, err))
	}
	return matrix{m.rows, x.columns, y.Float64s()}
}

// tensor is m for gorgonia, a whole tensor and no view: products of its views are wrong (findings/gorgonia-views.sh).
func (m matrix) tensor() *tensor.Dense {
	return tensor.New(tensor.WithShape(m.rows, m.columns), tensor.WithBacking(m.data))
}
