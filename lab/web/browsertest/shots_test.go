package browsertest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// shots are the pictures of docs/web.md. A height cuts a picture off, below where it begins: the top, or an element.
var shots = []struct {
	file, page, theme, from string
	width, height           int
}{
	{"web-analysis", "analysis", "light", "", 1600, 0},
	{"web-dark", "analysis", "dark", "", 1600, 0},
	{"web-small", "analysis", "light", "", 390, 844},
	{"web-small-tree", "analysis", "light", "#tree", 390, 844},
	{"web-game", "play", "light", "", 1600, 0},
	{"web-game-small", "play", "light", "", 390, 0},
	{"web-match", "match", "light", "", 1600, 0},
	{"web-match-dark", "match", "dark", "", 1600, 0},
	{"web-match-small", "match", "light", "", 390, 0},
}

// TestScreenshots writes those pictures into the folder that TESLA_SCREENSHOTS names, for people to look at. Use an idle
// machine: the analysis shows how many evaluations a second there are.
func TestScreenshots(t *testing.T) {
	folder := os.Getenv("TESLA_SCREENSHOTS")
	if folder == "" {
		t.Skip("TESLA_SCREENSHOTS names no folder")
	}
	matches := t.TempDir()
	if err := os.WriteFile(filepath.Join(matches, "new-old.jsonl"), bytes.Join(journal(t, "40"), nil), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, "0", "--backend", "nnue", "--matches", matches)
	for name, prepare := range map[string]func() *page{
		"analysis": func() *page {
			p := open(t, s.url+"/")
			p.paste(annotated)
			p.wait(`document.getElementById("game").textContent.includes("Qc7")`)
			p.click("#last")
			p.here("Qc7")
			p.click("#run")
			time.Sleep(8 * time.Second)
			p.click("#run")
			p.wait(`document.getElementById("why").textContent.startsWith("Stopped")`)
			return p
		},
		"play": func() *page {
			p := begin(t, "5", "limited")
			for i, move := range []string{"e4", "Nc3"} {
				p.fill("#move", move)
				p.wait(fmt.Sprintf(`document.querySelectorAll("#moves li span:nth-child(3)").length === %d && document.getElementById("state").textContent === "Your move."`, i+1))
			}
			return p
		},
		"match": func() *page { return open(t, s.url+"/match?name=new-old.jsonl&game=5") },
	} {
		p := prepare()
		for _, shot := range shots {
			if shot.page == name {
				p.theme(shot.theme, shot.width)
				time.Sleep(400 * time.Millisecond) // pieces move, plots are drawn anew
				top := 0
				if shot.from != "" {
					top = ask[int](p, fmt.Sprintf("Math.round(document.querySelector(%q).closest('.panel').getBoundingClientRect().top + scrollY)", shot.from))
				}
				p.shoot(filepath.Join(folder, shot.file+".png"), top, shot.height)
			}
		}
		p.close()
	}
}

// annotated is the game of the pictures of the analysis.
const annotated = `[White "White"] [Black "Black"]
1. e4 {[%clk 0:09:58]} e5 {[%clk 0:09:55]} 2. Nf3 Nc6 3. Bb5 a6 (3... Nf6 {the Berlin defence} 4. O-O Nxe4 (4... Bc5 5. c3) 5. d4) 4. Ba4 Nf6
5. O-O Be7 (5... Nxe4 6. d4 b5 {the open defence}) 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 $1 {against Bg4} Na5 10. Bc2 c5
11. d4 {[%clk 0:07:12]} Qc7 {[%clk 0:06:40]} *`

// mostPicture is how large a picture may be, in bytes.
const mostPicture = 150 << 10

// shoot writes the whole page, or a part of it where the height is not 0.
func (p *page) shoot(file string, top, height int) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 2*patience)
	defer cancel()
	data, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.t.Fatal(err)
	}
	whole, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		p.t.Fatal(err)
	}
	part := whole.Bounds()
	if height > 0 {
		part.Min.Y, part.Max.Y = top, min(top+height, part.Max.Y)
	}
	var small bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, reduced(whole, part)); err != nil {
		p.t.Fatal(err)
	}
	if small.Len() > mostPicture {
		p.t.Errorf("%s has %d bytes", file, small.Len())
	}
	if err := os.WriteFile(file, small.Bytes(), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// reduced is a part of a picture in its 256 most frequent colours. Every other colour becomes the nearest of them: these are
// shades at the edges of letters and pieces.
func reduced(whole image.Image, part image.Rectangle) *image.Paletted {
	count := map[color.Color]int{}
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			count[whole.At(x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(count), func(a, b color.Color) int { return cmp.Compare(count[b], count[a]) })
	to := image.NewPaletted(image.Rect(0, 0, part.Dx(), part.Dy()), colours[:min(256, len(colours))])
	index := map[color.Color]uint8{}
	for c := range count {
		index[c] = uint8(to.Palette.Index(c))
	}
	for y := range part.Dy() {
		for x := range part.Dx() {
			to.SetColorIndex(x, y, index[whole.At(part.Min.X+x, part.Min.Y+y)])
		}
	}
	return to
}
