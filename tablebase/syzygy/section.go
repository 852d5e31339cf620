package syzygy

import (
	"io"

	"tesla/tablebase/tablefile"
)

// pageBytes is the size of most pages; those of a section whose items are larger hold one item.
const pageBytes = 4096

// section is a part of a file that consists of items of equal size and is read by pages of whole items.
type section struct {
	cache   *tablefile.Cache
	file    io.ReaderAt
	number  uint32
	offset  int64 // in the file
	count   int64 // items
	item    int   // bytes of an item
	perPage int64 // items of a page
}

func newSection(c *tablefile.Cache, file io.ReaderAt, offset, count int64, item int) section {
	return section{cache: c, file: file, number: c.NewSection(), offset: offset, count: count, item: item,
		perPage: int64(max(1, pageBytes/item))}
}

func (s *section) bytes() int64 { return s.count * int64(s.item) }

// at returns the bytes of item i, which must exist. A hard read goes to the disk where the cache lacks the page.
func (s *section) at(i int64, probe Probe) ([]byte, error) {
	data, first, err := s.page(i, probe)
	if err != nil {
		return nil, err
	}
	from := int(i-first) * s.item
	return data[from : from+s.item], nil
}

// page returns the page of item i, and its first item.
func (s *section) page(i int64, probe Probe) (data []byte, first int64, err error) {
	number := i / s.perPage
	first = number * s.perPage
	k := tablefile.PageKey{Section: s.number, Page: uint32(number)}
	if data = s.cache.Get(k); data != nil {
		return data, first, nil
	}
	if probe == Soft {
		return nil, 0, ErrNotCached
	}
	data = make([]byte, min(s.perPage, s.count-first)*int64(s.item))
	if _, err := s.file.ReadAt(data, s.offset+first*int64(s.item)); err != nil {
		return nil, 0, err
	}
	s.cache.Put(k, data)
	return data, first, nil
}
