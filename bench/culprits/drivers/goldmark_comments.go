// SPDX-License-Identifier: Apache-2.0
// Documents are rendered; one of them opens very many comments.
package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/yuin/goldmark"
)

func main() {
	part := "# Head\n\nSome *words* and `code`, [a link](http://example.com).\n\n1. a\n2. b\n\n> quoted\n\n    code\n\n<b>html</b>\n\n---\n\n"
	length := 0
	for i := 0; i < 600; i++ {
		var out bytes.Buffer
		if err := goldmark.Convert([]byte(strings.Repeat(part, 60)), &out); err != nil {
			panic(err)
		}
		length += out.Len()
	}
	var out bytes.Buffer
	_ = goldmark.Convert([]byte(strings.Repeat("a <!--a\n", 5600)), &out)
	fmt.Println(length, out.Len())
}
