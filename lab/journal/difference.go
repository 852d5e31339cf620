package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Difference is a field in which two headers differ, with both values. A value is nil where the field is absent.
type Difference struct {
	Field       string // such as players[1].name
	There, Here any    // as JSON decodes them, numbers as json.Number
}

func (d Difference) String() string {
	word := func(value any) any {
		if value == nil {
			return "absent"
		}
		return value
	}
	return fmt.Sprintf("%s is %v there and %v here", d.Field, word(d.There), word(d.Here))
}

// Differences compares the header of a journal with that of a run, both as JSON. The result is sorted by field.
func Differences(there, here any) ([]Difference, error) {
	var sides [2]any
	for i, header := range []any{there, here} {
		text, err := json.Marshal(header)
		if err != nil {
			return nil, fmt.Errorf("writing the header: %w", err)
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber() // seeds need all 64 bits
		if err := decoder.Decode(&sides[i]); err != nil {
			return nil, fmt.Errorf("reading the header: %w", err)
		}
	}
	return differ(nil, "", sides[0], sides[1]), nil
}

// differ appends the differences of two values.
func differ(list []Difference, field string, there, here any) []Difference {
	switch x := there.(type) {
	case map[string]any:
		if y, ok := here.(map[string]any); ok {
			both := maps.Clone(x)
			maps.Copy(both, y)
			for _, k := range slices.Sorted(maps.Keys(both)) {
				list = differ(list, strings.TrimPrefix(field+"."+k, "."), x[k], y[k])
			}
			return list
		}
	case []any:
		if y, ok := here.([]any); ok && len(x) == len(y) {
			for i := range x {
				list = differ(list, fmt.Sprintf("%s[%d]", field, i), x[i], y[i])
			}
			return list
		}
	}
	if !reflect.DeepEqual(there, here) {
		list = append(list, Difference{field, there, here})
	}
	return list
}
