// SPDX-License-Identifier: Apache-2.0
// Lines of a log are checked by a pattern that is compiled for each of them.
package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

var fixed = len(os.Args) > 1 && os.Args[1] == "fixed"
var linePattern = regexp.MustCompile(`^(\d{4}-\d\d-\d\d) (\w+) \[(info|warn|error)\] .*$`)

func isValid(line string) bool {
	pattern := linePattern
	if !fixed {
		pattern = regexp.MustCompile(`^(\d{4}-\d\d-\d\d) (\w+) \[(info|warn|error)\] .*$`)
	}
	return pattern.MatchString(line)
}

func main() {
	valid, words := 0, map[string]int{}
	for i := 0; i < 36000; i++ {
		line := fmt.Sprintf("2024-01-%02d host%d [warn] message %d of many", i%28+1, i%9, i)
		if isValid(line) {
			valid++
		}
		for _, word := range strings.Fields(line) {
			words[strings.ToUpper(word)]++
		}
	}
	fmt.Println(valid, len(words))
}
