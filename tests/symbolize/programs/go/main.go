// Truth: main.main, main.work and main.spin are functions; main.mul and main.add are inlined in main.spin,
// main.add in main.mul too.
package main

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"time"
)

func add(a, b float64) float64 { return a + b }

func mul(a, b float64) float64 { return add(a*b, 1) }

//go:noinline
func spin(n int) float64 {
	s := 0.0
	for i := 0; i < n; i++ {
		s = mul(s, 0.5) + add(s, float64(i))
	}
	return s
}

//go:noinline
func work(words []string) float64 {
	sort.Strings(words)
	return spin(200000)
}

func main() {
	duration, err := time.ParseDuration(os.Args[1] + "ms")
	if err != nil {
		panic(err)
	}
	words := strings.Fields("some words to sort here")
	t := 0.0
	for end := time.Now().Add(duration); time.Now().Before(end); {
		t += work(words)
	}
	fmt.Fprintln(os.Stderr, t, words)
}
