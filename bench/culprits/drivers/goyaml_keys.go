// SPDX-License-Identifier: Apache-2.0
// Documents are read and written; some of them nest very many lists in one line.
package main

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v2"
)

type item struct {
	ID   int
	Name string
	Tags []string
	Map  map[string]float64
}

func ordinary(count int) int {
	length := 0
	for i := 0; i < count; i++ {
		items := make([]item, 100)
		for j := range items {
			items[j] = item{j, fmt.Sprint("name ", j), []string{"a", "b"}, map[string]float64{"x": 1.5, "y": float64(j)}}
		}
		text, err := yaml.Marshal(items)
		if err != nil {
			panic(err)
		}
		var read []item
		if err := yaml.UnmarshalStrict(text, &read); err != nil {
			panic(err)
		}
		var anything interface{}
		_ = yaml.Unmarshal(text, &anything)
		length += len(text) + len(read)
	}
	return length
}

func main() {
	deep := []byte(strings.Repeat("[", 9000) + strings.Repeat("]", 9000))
	for turn := 0; turn < 25; turn++ {
		var anything interface{}
		if err := yaml.Unmarshal(deep, &anything); err != nil {
			panic(err)
		}
	}
	fmt.Println(ordinary(80))
}
