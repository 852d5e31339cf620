package search

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// mostInt is the greatest value of an integer option without a tag max.
const mostInt = 1000

// SetOptions changes fields of the struct that options points to, and of structs embedded there, by words such as
// "resplit=off". The name is that of the field, in upper or lower case. The value of a bool is on or off, and the name
// alone is on. That of an int is from 0 to the field's tag max, or 1,000 without one; that of a float64 is from 0 to max,
// or 1. The error names the word, and the options where there is none of that name.
func SetOptions(options any, text string) error {
	v := reflect.ValueOf(options).Elem()
	for _, word := range strings.Fields(text) {
		name, value, valued := strings.Cut(word, "=")
		field, ok := v.Type().FieldByNameFunc(func(s string) bool { return strings.EqualFold(s, name) })
		if !ok || field.Type.Kind() == reflect.Struct {
			return fmt.Errorf("%q: no option %q; the options are %s", word, name, strings.Join(optionNames(v.Type()), ", "))
		}
		if !valued && field.Type.Kind() == reflect.Bool {
			value = "on"
		}
		if err := setField(v.FieldByIndex(field.Index), value, field.Tag.Get("max")); err != nil {
			return fmt.Errorf("%q: %w", word, err)
		}
	}
	return nil
}

func setField(field reflect.Value, value, tag string) error {
	switch field.Kind() {
	case reflect.Bool:
		if value != "on" && value != "off" {
			return fmt.Errorf("%q is neither on nor off", value)
		}
		field.SetBool(value == "on")
	case reflect.Int:
		most := mostInt
		if tag != "" {
			most, _ = strconv.Atoi(tag)
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > most {
			return fmt.Errorf("%q is not an integer from 0 to %d", value, most)
		}
		field.SetInt(int64(n))
	default:
		most := 1.0
		if tag != "" {
			most, _ = strconv.ParseFloat(tag, 64)
		}
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || !(x >= 0 && x <= most) {
			return fmt.Errorf("%q is not a number from 0 to %v", value, most)
		}
		field.SetFloat(x)
	}
	return nil
}

// optionNames are the names of the fields in lower case.
func optionNames(options reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(options) {
		if f.Type.Kind() != reflect.Struct {
			names = append(names, strings.ToLower(f.Name))
		}
	}
	return names
}
