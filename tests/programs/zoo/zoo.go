// Inlined functions, and a function that the standard library calls: two thirds and one third of the time. What is
// true is in its output (zoo.h).
package main

import (
	"fmt"
	"os"
	"runtime"
	"sort"
	"strconv"
	"syscall"
	"unsafe"
)

const rounds = 200000

func level3(n uint64) uint64 {
	x := n
	for i := uint64(0); i < n; i++ {
		x = x*5 + i
	}
	return x
}

func level2(n uint64) uint64 {
	return level3(n) + 1
}

func level1(n uint64) uint64 {
	return level2(n) + 2
}

//go:noinline
func host(n uint64) uint64 {
	return level1(n) + 3
}

type pair [2]uint64

func (p *pair) Len() int      { return 2 }
func (p *pair) Swap(i, j int) { p[i], p[j] = p[j], p[i] }

//go:noinline
func (p *pair) Less(i, j int) bool {
	x := p[i]
	for i := uint64(0); i < rounds; i++ {
		x = x*3 + i
	}
	return x < p[j]
}

//go:noinline
func sorted() {
	sort.Sort(&pair{1, 2})
}

func cpu() uint64 {
	var t syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, 3, uintptr(unsafe.Pointer(&t)), 0)
	return uint64(t.Nano())
}

func turn(spent *uint64, f func()) {
	start := cpu()
	now := start
	for now < start+1000000 {
		f()
		now = cpu()
	}
	*spent += now - start
}

func main() {
	runtime.LockOSThread()
	ms := uint64(400)
	if len(os.Args) > 1 {
		ms, _ = strconv.ParseUint(os.Args[1], 10, 64)
	}
	var hosted, sorting, sum uint64
	for end := cpu() + ms*1000000; cpu() < end; {
		turn(&hosted, func() { sum += host(rounds) })
		turn(&sorting, sorted)
		turn(&hosted, func() { sum += host(rounds) })
	}
	fmt.Printf("part %d main.main;...;main.host|main.level1;main.level2;main.level3\n", hosted)
	fmt.Printf("part %d main.main;...;main.sorted;...;main.(*pair).Less\n", sorting)
	fmt.Printf("line main.level3 17 23\nline main.level2 26 26\nline main.level1 30 30\nline main.host 35 35\n")
	if sum == 42 {
		os.Exit(1)
	}
}
