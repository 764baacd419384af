// Two functions take turns calling two of C, for some microseconds each, so that what is read of the goroutine's stack
// later is the other one's. usage: calls_c MILLISECONDS
package main

/*
#include <time.h>

static unsigned long long cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (unsigned long long)t.tv_sec * 1000000000u + (unsigned long long)t.tv_nsec;
}

static __attribute__((noinline)) unsigned long long in_first(void)
{
	for (volatile int i = 0; i < 20000; i++)
		;
	return cpu_ns();
}

static __attribute__((noinline)) unsigned long long in_second(void)
{
	for (volatile int i = 0; i < 20000; i++)
		;
	__asm__ volatile("");
	return cpu_ns();
}
*/
import "C"

import (
	"os"
	"runtime"
	"strconv"
)

//go:noinline
func first() uint64 {
	return uint64(C.in_first()) + 1
}

//go:noinline
func second() uint64 {
	return uint64(C.in_second()) + 2
}

func main() {
	runtime.LockOSThread()
	ms, _ := strconv.Atoi(os.Args[1])
	for end := first() + uint64(ms)*1000000; second() < end; {
		first()
	}
}
