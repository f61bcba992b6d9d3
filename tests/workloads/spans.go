// SPDX-License-Identifier: Apache-2.0

// Truth: two goroutines serve requests of three routes, of six, three and one parts of the work, with the route and a trace as labels;
// between them they work for nobody. The loops are the same, so their iterations are the truth.
//
//	spans_go SECONDS
package main

import (
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"strconv"
	"sync"
	"time"
)

var routes = [3]string{"/orders/{id}", "/login", "/health"}

//go:noinline
func handle(n uint64) uint64 {
	x := uint64(60)
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

func serve(dice uint64, end time.Time, units *[4]uint64) {
	for time.Now().Before(end) {
		route := [10]int{0, 0, 0, 0, 0, 0, 1, 1, 1, 2}[roll(&dice, 10)]
		labels := pprof.Labels("http.route", routes[route], "trace_id", fmt.Sprintf("%032x", route+1))
		pprof.Do(context.Background(), labels, func(context.Context) {
			n := 1000000 + roll(&dice, 2000000)
			kept += handle(n)
			units[route] += n
		})
		n := 200000 + roll(&dice, 400000)
		kept += handle(n)
		units[3] += n
	}
}

func main() {
	seconds := 2.0
	if len(os.Args) > 1 {
		seconds, _ = strconv.ParseFloat(os.Args[1], 64)
	}
	end := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	var units [2][4]uint64
	var group sync.WaitGroup
	for i := range units {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			serve(uint64(i)+1, end, &units[i])
		}(i)
	}
	group.Wait()
	sum := func(i int) uint64 { return units[0][i] + units[1][i] }
	text := fmt.Sprintf(`{"work": 1, "units": {"%s": %d, "%s": %d, "%s": %d, "none": %d}}`+"\n", routes[0], sum(0), routes[1], sum(1),
		routes[2], sum(2), sum(3))
	if path := os.Getenv("WORKLOAD_TRUTH"); path != "" {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			os.Exit(3)
		}
		return
	}
	fmt.Print(text)
}
