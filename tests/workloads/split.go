// SPDX-License-Identifier: Apache-2.0

// Truth: the 60/30/10 split of split.c in Go, by two goroutines: six of ten pieces of work are of main.sixty, three of main.thirty, one
// of main.ten. The loops are the same, so their iterations are the truth.
//
//	split_go SECONDS
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"
)

//go:noinline
func sixty(n uint64) uint64 {
	x := uint64(60)
	for i := uint64(0); i < n; i++ {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

//go:noinline
func thirty(n uint64) uint64 {
	x := uint64(30)
	for i := uint64(0); i < n; i++ {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

//go:noinline
func ten(n uint64) uint64 {
	x := uint64(10)
	for i := uint64(0); i < n; i++ {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

func roll(state *uint64, below uint64) uint64 {
	*state = *state*6364136223846793005 + 1442695040888963407
	return (*state >> 33) % below
}

var kept uint64

func work(dice uint64, end time.Time, units *[3]uint64, pieces *uint64) {
	for time.Now().Before(end) {
		which := roll(&dice, 10)
		n := 10000 + roll(&dice, 20000)
		switch {
		case which < 6:
			kept += sixty(n)
			units[0] += n
		case which < 9:
			kept += thirty(n)
			units[1] += n
		default:
			kept += ten(n)
			units[2] += n
		}
		*pieces++
	}
}

func main() {
	seconds := 2.0
	if len(os.Args) > 1 {
		seconds, _ = strconv.ParseFloat(os.Args[1], 64)
	}
	end := time.Now().Add(time.Duration(seconds * 1e9))
	var units [2][3]uint64
	var pieces [2]uint64
	var group sync.WaitGroup
	for i := range units {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			work(uint64(i)+1, end, &units[i], &pieces[i])
		}(i)
	}
	group.Wait()
	var sums [3]uint64
	for _, one := range units {
		for i := range sums {
			sums[i] += one[i]
		}
	}
	truth := fmt.Sprintf("{\"work\": %d, \"units\": {\"main.sixty\": %d, \"main.thirty\": %d, \"main.ten\": %d}}\n",
		pieces[0]+pieces[1], sums[0], sums[1], sums[2])
	if path := os.Getenv("WORKLOAD_TRUTH"); path != "" {
		if os.WriteFile(path, []byte(truth), 0o644) != nil {
			os.Exit(3)
		}
		return
	}
	fmt.Print(truth)
}
