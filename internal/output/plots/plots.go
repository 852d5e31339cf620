// Package plots writes plots as package output writes files: whole, and never in place of another file.
package plots

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"tesla/internal/output"
)

// mark says in a plot who drew it: in a comment of SVG, in a text chunk of PNG. Other formats have none.
const mark = "Drawn by Tesla"

// Ours recognizes the plots of this program.
func Ours(head []byte) bool { return bytes.Contains(head, []byte(mark)) }

// Save draws a plot into a file. The ending of its name is the format: svg, png or pdf. A file that is there is replaced where it
// is such a plot; a PDF never is.
func Save(p *plot.Plot, width, height vg.Length, path string) error {
	drawn, err := p.WriterTo(width, height, kind(path))
	if err != nil {
		return err
	}
	return Write(drawn, path)
}

func kind(path string) string { return strings.TrimPrefix(filepath.Ext(path), ".") }

// Write writes what was drawn, as Save does.
func Write(drawn io.WriterTo, path string) error {
	var data bytes.Buffer
	if _, err := drawn.WriteTo(&data); err != nil {
		return err
	}
	return output.WriteBytes(path, Ours, marked(data.Bytes(), kind(path)))
}

// marked is a plot with the mark in it.
func marked(data []byte, kind string) []byte {
	at, text := 0, []byte(nil)
	switch kind {
	case "svg":
		at, text = bytes.Index(data, []byte("<svg")), []byte("<!-- "+mark+" -->\n")
	case "png":
		const header = 8 + 25 // the signature and the first chunk
		at, text = header, chunk("tEXt", "Software\x00"+mark)
	}
	if at < 0 || at > len(data) {
		return data
	}
	return append(append(bytes.Clone(data[:at]), text...), data[at:]...)
}

// chunk is a chunk of a PNG file: length, kind, content and checksum of the last two (ISO/IEC 15948, 5.3).
func chunk(kind, content string) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	b = append(append(b, kind...), content...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}
