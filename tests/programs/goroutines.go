// Goroutines that sort, call themselves, allocate and let their stacks grow. The argument is milliseconds of CPU time.
// Truth: every stack begins with runtime.goexit (a goroutine's) or runtime.mstart (the runtime's own). spread never lets
// its stack grow: only grow does, which it calls.
package main

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"syscall"
	"time"
)

//go:noinline
func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

//go:noinline
func sorter(v []int) int {
	w := append([]int(nil), v...)
	sort.Slice(w, func(i, j int) bool { return w[i] < w[j] })
	return w[0]
}

//go:noinline
func maps(n int) int {
	m := map[string]int{}
	for i := 0; i < n; i++ {
		m[strconv.Itoa(i*7919%n)] += i
	}
	return len(m)
}

func cpuTime() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

//go:noinline
func grow(n int) int {
	var pad [2048]byte
	pad[n] = byte(n)
	if n > 0 {
		return grow(n-1) + int(pad[n])
	}
	return int(pad[0])
}

//go:nosplit
//go:noinline
func spread() int {
	return grow(6)
}

//go:noinline
func spreads(n int) int {
	sum := 0
	done := make(chan int)
	for i := 0; i < n; i++ {
		go func() { done <- spread() }()
	}
	for i := 0; i < n; i++ {
		sum += <-done
	}
	return sum
}

func main() {
	ms := 400
	if len(os.Args) > 1 {
		ms, _ = strconv.Atoi(os.Args[1])
	}
	end := time.Duration(ms) * time.Millisecond
	v := make([]int, 5000)
	for i := range v {
		v[i] = i * 7919 % 5003
	}
	sum := 0
	work := make(chan int)
	done := make(chan int)
	go func() {
		s := 0
		for x := range work {
			s += fib(x%5 + 18)
		}
		done <- s
	}()
	for cpuTime() < end {
		sum += fib(22) + sorter(v) + maps(500) + spreads(50)
		work <- sum
	}
	close(work)
	fmt.Println(sum + <-done)
}
