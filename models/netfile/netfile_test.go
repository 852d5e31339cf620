package netfile

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// file returns a file of magic, version, header and contents, with its checksum.
func file(version uint32, header, contents string) []byte {
	data := binary.LittleEndian.AppendUint32([]byte("TESTFILE"), version)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(header)))
	data = slices.Concat(data, []byte(header), []byte(contents), make([]byte, 32))
	copy(data[len(data)-32:], Sum(data))
	return data
}

func TestErrors(t *testing.T) {
	good := file(3, `{"a":5}`, "contents")
	var h struct{ A int }
	end, err := ReadHeader(good, "TESTFILE", 3, &h)
	if err != nil || end != 23 || h.A != 5 {
		t.Fatalf("header %+v ends at %d: %v", h, end, err)
	}
	if _, err := Verify(good, end); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		data []byte
		want string
	}{
		{nil, "the file has 0"},
		{good[:15], "the file has 15"},
		{append([]byte("X"), good[1:]...), "magic is"},
		{file(4, "{}", ""), "version 4 at byte 8"},
		{good[:20], "takes 7 bytes, 4 are left"},
		{file(3, `{"a":`, ""), "header at byte 16"},
		{file(3, `{"a":"b"}`, ""), "header at byte 16"},
	} {
		if _, err := ReadHeader(c.data, "TESTFILE", 3, &h); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: error %v, want %q", c.data, err, c.want)
		}
	}
	if _, err := Verify(good[:40], end); err == nil || !strings.Contains(err.Error(), "too short") {
		t.Errorf("error %v", err)
	}
	good[25] ^= 1
	if _, err := Verify(good, end); err == nil || !strings.Contains(err.Error(), "truncated or damaged") {
		t.Errorf("error %v", err)
	}
}

// FuzzReadHeader reads any bytes as the file of a net.
func FuzzReadHeader(f *testing.F) {
	f.Add(file(3, `{"a":5}`, "contents"))
	f.Add(file(3, "", ""))
	f.Fuzz(func(t *testing.T, data []byte) {
		var h map[string]any
		end, err := ReadHeader(data, "TESTFILE", 3, &h)
		if err != nil {
			return
		}
		if end < prefix || end > len(data) {
			t.Fatalf("the header of %d bytes ends at %d", len(data), end)
		}
		if sum, err := Verify(data, end); err == nil && len(sum) != 32 {
			t.Errorf("a checksum of %d bytes", len(sum))
		}
	})
}
