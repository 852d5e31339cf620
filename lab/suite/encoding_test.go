package suite

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"
)

// TestEncodings reads one suite in several encodings.
func TestEncodings(t *testing.T) {
	const text = "6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; id \"Müller’s 1\";\n"
	var wide []byte
	for _, c := range utf16.Encode([]rune(text)) {
		wide = binary.LittleEndian.AppendUint16(wide, c)
	}
	for name, data := range map[string]string{"UTF-8": text, "BOM": "\ufeff" + text, "UTF-16": "\xff\xfe" + string(wide), "UTF-16 without BOM": string(wide),
		"Windows-1252": strings.NewReplacer("ü", "\xfc", "’", "\x92").Replace(text), "CR": strings.ReplaceAll(text, "\n", "\r")} {
		if all, err := Read(strings.NewReader(data)); err != nil || len(all) != 1 || all[0].ID != "Müller’s 1" {
			t.Errorf("%s: %v, %v", name, all, err)
		}
	}
}
