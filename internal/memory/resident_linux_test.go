//go:build !race

package memory

import "testing"

// A mapping occupies memory as its pages are written, and none before.
func TestResident(t *testing.T) {
	const size = 32 << 20
	m, s, err := Map[byte](size)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Free()
	before := m.Resident()
	for i := 0; i < size/2; i += 4096 {
		s[i] = 1
	}
	if half := m.Resident(); before != 0 || half < size/2 || half > size/2+2*hugePage {
		t.Errorf("%d bytes resident, %d after half of %d was written", before, half, size)
	}
	for i := size / 2; i < size; i += 4096 {
		s[i] = 1
	}
	if all := m.Resident(); all < size || all > size+2*hugePage {
		t.Errorf("%d bytes resident of %d", all, size)
	}
}

// What the system cannot map is its error.
func TestMapFails(t *testing.T) {
	if m, s, err := Map[byte](1 << 56); err == nil || s != nil {
		t.Errorf("%d bytes were mapped", len(s))
		m.Free()
	}
}
