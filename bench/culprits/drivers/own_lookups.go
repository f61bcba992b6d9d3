// SPDX-License-Identifier: Apache-2.0
// A report looks for the customer of each order in the list of all customers.
package main

import (
	"fmt"
	"os"
	"sort"
	"strings"
)

type customer struct {
	id   int
	name string
}

type order struct {
	customer int
	amount   float64
}

var fixed = len(os.Args) > 1 && os.Args[1] == "fixed"
var byID = map[int]*customer{}

func findCustomer(customers []customer, id int) *customer {
	if fixed {
		return byID[id]
	}
	for i := range customers {
		if customers[i].id == id {
			return &customers[i]
		}
	}
	return nil
}

func report(customers []customer, orders []order) string {
	var out strings.Builder
	for _, one := range orders {
		fmt.Fprintf(&out, "%-20s %10.2f\n", findCustomer(customers, one.customer).name, one.amount)
	}
	return out.String()
}

func main() {
	customers := make([]customer, 20000)
	for i := range customers {
		customers[i] = customer{i * 7, fmt.Sprint("customer ", i)}
		byID[i*7] = &customers[i]
	}
	orders := make([]order, 240000)
	for i := range orders {
		orders[i] = order{i * 7919 % 20000 * 7, float64(i) / 3}
	}
	lines := strings.Split(report(customers, orders), "\n")
	sort.Strings(lines)
	fmt.Println(len(lines), lines[len(lines)-1])
}
