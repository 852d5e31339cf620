package batcher

// split is a backend that takes larger batches than the one that it decorates.
type split struct {
	Backend
	most int
}

// NewSplit returns a backend that takes batches of up to most items. It passes them to b in order, in parts of at most
// b's MaxBatch. Its Close closes b.
func NewSplit(b Backend, most int) Backend {
	return &split{Backend: b, most: max(most, b.Info().MaxBatch)}
}

// Unwrap is the backend that split decorates.
func (s *split) Unwrap() Backend { return s.Backend }

func (s *split) Info() Info {
	info := s.Backend.Info()
	info.MaxBatch = s.most
	return info
}

func (s *split) Evaluate(items []*Item) error {
	if err := s.Info().Admits(len(items)); err != nil {
		return err
	}
	part := s.Backend.Info().MaxBatch
	for len(items) > 0 {
		n := min(part, len(items))
		if err := s.Backend.Evaluate(items[:n]); err != nil {
			return err
		}
		items = items[n:]
	}
	return nil
}
