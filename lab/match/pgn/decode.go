package pgn

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Decode returns the text of a file, of games or of positions, in UTF-8, without a byte order mark, with line feeds where
// it has carriage returns alone. The note says how it was read where it is not UTF-8; it is empty otherwise.
//
// A file is UTF-16 where it has the byte order mark of it, or zeros in place of every other byte, as Latin letters have.
// In any other file each line is for itself, since files are joined: UTF-8 where it is valid, else Windows-1252. That is
// ISO 8859-1, the encoding of the PGN standard, with quotation marks, dashes and the euro sign in place of control
// characters.
func Decode(data string) (text, note string) {
	if wide, name := wideEncoding(data); wide != nil {
		if text, err := wide.NewDecoder().String(data); err == nil {
			return lineFeeds(text), "the text is " + name
		}
	}
	data = strings.TrimPrefix(lineFeeds(data), byteOrderMark)
	if utf8.ValidString(data) {
		return data, ""
	}
	var b strings.Builder
	number := 0
	for line := range strings.Lines(data) {
		number++
		if !utf8.ValidString(line) {
			if note == "" {
				note = fmt.Sprintf("line %d is not UTF-8: such lines are read as Windows-1252", number)
			}
			if read, err := charmap.Windows1252.NewDecoder().String(line); err == nil {
				line = read
			}
		}
		b.WriteString(line)
	}
	return b.String(), note
}

// wideEncoding recognizes UTF-16. It returns nil for other texts.
func wideEncoding(data string) (encoding.Encoding, string) {
	head := []byte(data[:min(len(data), 1<<12)&^1])
	switch {
	case bytes.HasPrefix(head, binary.LittleEndian.AppendUint16(nil, 0xfeff)):
		return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM), "UTF-16"
	case bytes.HasPrefix(head, binary.BigEndian.AppendUint16(nil, 0xfeff)):
		return unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM), "UTF-16"
	}
	var zeros [2]int // of the bytes at even and at odd places
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	switch most := len(head) / 4; {
	case zeros[1] > most && zeros[0] <= zeros[1]/8:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "UTF-16 without a byte order mark"
	case zeros[0] > most && zeros[1] <= zeros[0]/8:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "UTF-16 without a byte order mark"
	}
	return nil, ""
}

// lineFeeds replaces the carriage returns of a text that has no line feed.
func lineFeeds(text string) string {
	if strings.Contains(text, "\n") {
		return text
	}
	return strings.ReplaceAll(text, "\r", "\n")
}
