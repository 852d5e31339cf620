package match

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"tesla/internal/output"
)

// lockTime is how long a match waits for another process that writes to the same PGN file.
const lockTime = 3 * time.Second

// pgnFile is a PGN file that a match appends to. Other programs may append to it as well: each game is one write, and
// no byte of theirs is ever moved or removed. A lock keeps two matches from writing at the same time. The file is no
// record: a match that is resumed writes it again from its journal.
type pgnFile struct {
	path    string
	special *os.File // a device or a pipe, which stays open; nil: the file is opened for each game
}

// openPGN checks that games can be appended to the file at path. A file that holds something other than games is
// refused.
func openPGN(path string) (*pgnFile, error) {
	f := &pgnFile{path: path}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		f.special, err = output.Append(path, output.None)
	} else {
		err = f.locked(os.O_APPEND, recognizePGN)
	}
	if err != nil {
		return nil, fmt.Errorf("pgn: %w", err)
	}
	return f, nil
}

// A file of games begins with a tag, a comment or a move number, and soon has a tag of games or a first move.
var (
	pgnStart = regexp.MustCompile(`^\x{FEFF}?\s*(\[\s*\w+\s+"|\{\s*[^"\s]|;|%|1\s*\.)`)
	pgnSign  = regexp.MustCompile(`(?m)^\x{FEFF}?\s*\[\s*(Event|Site|Date|Round|White|Black|Result|FEN)\s+"|\b1\s*\.[\s.]*([NBRQK]?[a-h]?[1-8]?x?[a-h][1-8]|[O0]-[O0]|--)`)
)

// recognizePGN is an error where a file is neither empty nor PGN.
func recognizePGN(file *os.File) error {
	head := make([]byte, 4096)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if !holdsGames(head[:n]) {
		return fmt.Errorf("%s exists and holds no games: name another file", file.Name())
	}
	return nil
}

// holdsGames reports whether a file that begins so holds games, or nothing.
func holdsGames(head []byte) bool {
	return len(bytes.TrimSpace(head)) == 0 || pgnStart.Match(head) && pgnSign.Match(head) && bytes.IndexByte(head, 0) < 0
}

// locked opens the file, makes it where it is missing, and calls do while no other match writes to it.
func (f *pgnFile) locked(flags int, do func(*os.File) error) error {
	file, err := os.OpenFile(f.path, os.O_CREATE|os.O_RDWR|flags, 0o644)
	if err != nil {
		return err
	}
	if err = output.LockWithin(file, lockTime); err == nil {
		err = do(file)
	}
	return errors.Join(err, file.Close())
}

func (f *pgnFile) write(text string) (err error) {
	if f.special != nil {
		_, err = f.special.WriteString(text)
	} else {
		err = f.locked(os.O_APPEND, func(file *os.File) error { return appendGames(file, text) })
	}
	if err != nil {
		return fmt.Errorf("pgn: %w", err)
	}
	return nil
}

// appendGames writes games at the end of a file that is open for appending, behind an empty line. Where that fails, as
// on a full disk, it takes back the part that was written.
func appendGames(file *os.File, text string) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if size > 0 {
		end := make([]byte, min(size, 2))
		if _, err := file.ReadAt(end, size-int64(len(end))); err != nil {
			return err
		}
		switch {
		case end[len(end)-1] != '\n':
			text = "\n\n" + text
		case end[0] != '\n':
			text = "\n" + text
		}
	}
	n, err := file.WriteString(text)
	if err == nil || n == 0 {
		return err
	}
	if info, failed := file.Stat(); failed == nil && info.Size() == size+int64(n) {
		err = errors.Join(err, file.Truncate(size))
	}
	return err
}

// rewrite writes the games of a journal again, behind those of others. What others have appended behind games of this match
// stays in its place. Then so do whole games before it, and what a kill has left of one becomes blank.
func (f *pgnFile) rewrite(style *pgnStyle, games []string) error {
	if f.special != nil {
		return errors.New("pgn: a match is resumed with a file, not with a device or a pipe")
	}
	var missing []string
	err := f.locked(0, func(file *os.File) (err error) {
		missing, err = withdraw(file, style, games)
		return err
	})
	if err != nil {
		return fmt.Errorf("pgn: %w", err)
	}
	if len(missing) == 0 {
		return nil
	}
	return f.write(strings.Join(missing, ""))
}

// withdraw removes from a file what a match has written, and returns those of its games that the file lacks then.
func withdraw(file *os.File, style *pgnStyle, games []string) (missing []string, err error) {
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	end, own := len(data), style.ownParts(data)
	for n := len(own) - 1; n >= 0 && len(bytes.TrimSpace(data[own[n][1]:end])) == 0; n-- {
		end, own = own[n][0], own[:n]
	}
	there := map[string]bool{}
	for _, part := range own {
		text := string(data[part[0]:part[1]])
		if slices.Contains(games, text) && !there[text] {
			there[text] = true
		} else if _, err := file.WriteAt([]byte(strings.Repeat(" ", len(text)-1)+"\n"), int64(part[0])); err != nil {
			return nil, err
		}
	}
	info, err := file.Stat()
	if err == nil && info.Size() != int64(len(data)) {
		err = errors.New("another program writes to it: resume once more")
	}
	if err != nil {
		return nil, err
	}
	missing = slices.DeleteFunc(slices.Clone(games), func(text string) bool { return there[text] })
	return missing, file.Truncate(int64(end))
}

// ownParts finds what a match has written into a file: games with its tag, and beginnings of games that were cut off before
// the end of that tag. A part is the bytes from one offset to another.
func (s *pgnStyle) ownParts(data []byte) (own [][2]int) {
	event := fmt.Sprintf("[Event %q]", s.event)
	tagged := regexp.MustCompile(`^(?:\[.*\n)*\[` + matchTag + ` "` + regexp.QuoteMeta(s.id) + `"\](?:\n\[.*)*\n?(?:\n(?:[^\[\n].*\n?)*)?\n?`)
	torn := regexp.MustCompile(`^` + regexp.QuoteMeta(event) + `(?:\n\[[SDRWB].*)*(?:\n\[(?:M[^\]]*)?)?$`)
	for start := nextEvent(data, 0); start < len(data); {
		next := nextEvent(data, start+1)
		size := len(tagged.Find(data[start:next]))
		if text := bytes.TrimRight(data[start:next], "\n"); size == 0 && (strings.HasPrefix(event, string(text)) || torn.Match(text)) {
			size = next - start
		}
		if size > 0 {
			own = append(own, [2]int{start, start + size})
		}
		start = next
	}
	return own
}

var eventTag = []byte(`[Event "`)

// nextEvent is where the first game that begins at or after an offset begins, even if it is cut off inside its first tag; the
// end of the data where there is none.
func nextEvent(data []byte, from int) int {
	if i := bytes.Index(data[from:], eventTag); i >= 0 {
		return from + i
	}
	last := max(from, bytes.LastIndexByte(data, '\n')+1)
	if last < len(data) && bytes.HasPrefix(eventTag, data[last:]) {
		return last
	}
	return len(data)
}

// close closes a device or a pipe.
func (f *pgnFile) close() error {
	if f.special == nil {
		return nil
	}
	return f.special.Close()
}
