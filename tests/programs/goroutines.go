// Goroutines that sort, call themselves, allocate and let their stacks grow. The argument is milliseconds of CPU time.
// Truth: every stack begins with runtime.goexit (a goroutine's) or runtime.mstart (the runtime's own). spread never lets
// its stack grow: only deep and grow do, which call it and which it calls.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
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

// Its frame is larger than what deep leaves of any stack, so that its first call lets the stack grow.
//
//go:noinline
func grow(n int) int {
	var pad [16384]byte
	pad[n] = byte(n)
	return int(pad[n/2])
}

//go:nosplit
//go:noinline
func spread() int {
	return grow(6)
}

// So many frames to move when the stack grows make that last.
//
//go:noinline
func deep(n int) int {
	if n > 0 {
		return deep(n-1) + 1
	}
	return spread()
}

//go:noinline
func spreads(n int) int {
	sum := 0
	done := make(chan int)
	for i := 0; i < n; i++ {
		go func() { done <- deep(100) }()
	}
	for i := 0; i < n; i++ {
		sum += <-done
	}
	return sum
}

type node struct{ left, right *node }

func tree(depth int) *node {
	if depth == 0 {
		return nil
	}
	return &node{tree(depth - 1), tree(depth - 1)}
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
	// Something to mark, and that often, so that collecting takes its time.
	kept := tree(16)
	debug.SetGCPercent(25)
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
	runtime.KeepAlive(kept)
	fmt.Println(sum + <-done)
}
