package journal_test

import (
	"fmt"
	"log"
	"os"

	"tesla/lab/journal"
)

// A run that was killed goes on where its journal ends: Replay hands out the records that are whole.
func ExampleOpen() {
	f, err := os.CreateTemp("", "journal")
	if err != nil {
		log.Fatal(err)
	}
	path := f.Name()
	defer os.Remove(path)
	for run := range 2 {
		if run > 0 {
			if f, err = os.OpenFile(path, os.O_RDWR, 0); err != nil {
				log.Fatal(err)
			}
		}
		j, err := journal.Open(f, map[string]int{"games": 2}, "", func(line []byte) error {
			fmt.Printf("header %s", line)
			return nil
		})
		if err != nil {
			log.Fatal(err)
		}
		if err := j.Replay(func(line []byte) error {
			fmt.Printf("record %s", line)
			return nil
		}); err != nil {
			log.Fatal(err)
		}
		if err := j.Append(map[string]int{"game": run}); err != nil {
			log.Fatal(err)
		}
		if err := j.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// header {"games":2}
	// record {"game":0}
}

// A run is not resumed with other settings; the differences say which.
func ExampleDifferences() {
	type header struct {
		Games int
		Names []string
	}
	differences, err := journal.Differences(header{100, []string{"a", "b"}}, header{200, []string{"a", "c"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range differences {
		fmt.Println(d)
	}
	// Output:
	// Games is 100 there and 200 here
	// Names[1] is b there and c here
}
