/* MS HOW: half-way its code is replaced by a copy of itself, as programs do that want it in huge pages. HOW: "fixed"
 * (anonymous memory mapped over it), "mremap" (moved over it), "memory" and "file" (a file in memory or on disk).
 * What is replaced reaches beyond the code's segment. Truth: main;caller;moved in both halves. */
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

#define PAGE ((uintptr_t)4096)

NOINLINE static void moved(unsigned long n)
{
	SPIN(n);
}

NOINLINE static void caller(uint64_t ns)
{
	for (uint64_t end = cpu_ns() + ns; cpu_ns() < end;)
		moved(100000);
	OPAQUE();
}

static int file_with(const char *how, const void *bytes, size_t len)
{
	char path[] = "./moved-text-XXXXXX";
	int fd = strcmp(how, "memory") == 0 ? memfd_create("text", 0) : mkstemp(path);

	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		exit(1);
	unlink(path);
	return fd;
}

static inline long call6(long number, uintptr_t a, size_t b, size_t c, uintptr_t d, uintptr_t e)
{
	long result;
	register uintptr_t fourth __asm__("r10") = d, fifth __asm__("r8") = e, sixth __asm__("r9") = 0;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
			 : "rcx", "r11", "memory");
	return result;
}

/* Runs from a copy elsewhere, since what it replaces is where it is: nothing but system calls in it. */
NOINLINE static void replace_fixed(uintptr_t text, const char *copy, size_t len)
{
	call6(SYS_mmap, text, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, (uintptr_t)-1);
	for (size_t i = 0; i < len; i++)
		((volatile char *)text)[i] = copy[i];
	call6(SYS_mprotect, text, len, PROT_READ | PROT_EXEC, 0, 0);
}

static void replace_text(const char *how)
{
	uintptr_t text = (uintptr_t)moved & ~(PAGE - 1);
	size_t len = 2 * PAGE; /* the code's page, and the constants behind it */
	int rw = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
	char *copy = mmap(NULL, len, rw, flags, -1, 0);
	void *result = (void *)text;

	memcpy(copy, (void *)text, len);
	if (strcmp(how, "fixed") == 0) {
		char *elsewhere = mmap(NULL, len, rw | PROT_EXEC, flags, -1, 0);
		memcpy(elsewhere, copy, len);
		void (*run)(uintptr_t, const char *, size_t);
		uintptr_t at = (uintptr_t)elsewhere + ((uintptr_t)replace_fixed - text);
		memcpy(&run, &at, sizeof(at));
		run(text, copy, len);
		munmap(elsewhere, len);
	} else if (strcmp(how, "mremap") == 0) {
		mprotect(copy, len, PROT_READ | PROT_EXEC);
		result = mremap(copy, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, text);
	} else {
		result = mmap((void *)text, len, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
			      file_with(how, copy, len), 0);
	}
	if (result != (void *)text)
		exit(1);
}

int main(int argc, char **argv)
{
	uint64_t ns = ms_argument(argc, argv, 400);

	caller(ns / 2);
	replace_text(argc > 2 ? argv[2] : "fixed");
	caller(ns / 2);
	return 0;
}
