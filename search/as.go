package search

// As finds the first searcher that is a T, of s and those that it wraps one inside the other, as errors.As does with
// errors. A searcher that wraps another has a method Unwrap.
func As[T any](s any) (found T, ok bool) {
	for {
		if found, ok = s.(T); ok {
			return found, true
		}
		wrapper, wraps := s.(interface{ Unwrap() Searcher })
		if !wraps {
			return found, false
		}
		s = wrapper.Unwrap()
	}
}
