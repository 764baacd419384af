/* Allocation that does not return NULL, arenas, and the growth of VEC. */
#include "base/memory.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#define LARGE_PAGE	 ((uintptr_t)2 << 20)
#define LARGE_BYTES	 ((size_t)4 << 20)
#define KEEP_BYTES	 (256 << 20)
#define OWN_MAPPING	 (8 << 20)  /* of one allocation: larger ones are moved, not copied */
#define HEAP_BYTES	 (64 << 20) /* of address space that the heap has from the start */
#define HEAP_STEP	 (1 << 18)
#define ARENA_ALIGN	 ((size_t)16)
#define ARENA_FIRST_SIZE ((size_t)4096)
#define ARENA_MAX_SIZE	 ((size_t)1 << 20)

/* Set once, while the process has one thread. */
static void (*exhausted)(void);
static bool has_one_job;

void memory_when_exhausted(void (*tell)(void))
{
	exhausted = tell;
}

/* Of all pages that it is in, first and last one included: a mapping that is half the one kind and
 * half the other is two, which can no longer be moved but only copied when it grows. */
static void ask_for_large_pages(void *p, size_t bytes)
{
	if (!has_one_job || bytes < LARGE_BYTES)
		return;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)p & ~(page - 1);
	(void)madvise((void *)from, (uintptr_t)p + bytes - from, MADV_HUGEPAGE);
}

#ifdef M_TOP_PAD
/* What is allocated next comes from large pages: the heap gets room for it, and what lies below the
 * first of them that nothing was written to is passed over. */
static void make_heap_of_large_pages(void)
{
	/* Volatile: else the compiler leaves out what nobody uses. */
	static void *volatile passed_over;

	if (passed_over)
		return;
	mallopt(M_TOP_PAD, HEAP_BYTES);
	uintptr_t start = (uintptr_t)xmalloc(HEAP_STEP), end = (uintptr_t)sbrk(0);
	mallopt(M_TOP_PAD, HEAP_STEP);
	if (start < end && end - start <= 2 * HEAP_BYTES)
		ask_for_large_pages((void *)start, end - start);
	free((void *)start);
	/* Behind what was allocated stood how much is left. */
	uintptr_t written = start + HEAP_STEP + LARGE_PAGE;
	passed_over = malloc((written & ~(LARGE_PAGE - 1)) - start);
}
#endif

void memory_for_one_job(void)
{
	has_one_job = true;
#ifdef M_TOP_PAD
	mallopt(M_TRIM_THRESHOLD, KEEP_BYTES);
	mallopt(M_MMAP_THRESHOLD, OWN_MAPPING);
	make_heap_of_large_pages();
#endif
}

static void __attribute__((noreturn)) out_of_memory(void)
{
	static const char text[] = "prof: out of memory\n";

	if (exhausted)
		exhausted();
	ssize_t ignored = write(STDERR_FILENO, text, sizeof(text) - 1);
	(void)ignored;
	abort();
}

void *xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *xcalloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);

	if (!p)
		out_of_memory();
	ask_for_large_pages(p, count * size);
	return p;
}

void *xaligned(size_t alignment, size_t size)
{
	void *p = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);

	if (!p)
		out_of_memory();
	return p;
}

void *xrealloc_array(void *ptr, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		out_of_memory();
	void *p = realloc(ptr, bytes ? bytes : 1);
	if (!p)
		out_of_memory();
	ask_for_large_pages(p, bytes);
	return p;
}

char *xstrdup(const char *s)
{
	return xstrndup(s, strlen(s));
}

char *xstrndup(const char *s, size_t len)
{
	size_t n = strnlen(s, len);
	char *copy = xmalloc(n + 1);

	memcpy(copy, s, n);
	copy[n] = '\0';
	return copy;
}

char *xasprintf(const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	int len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		out_of_memory();
	return text;
}

void free_ptr(void *pointer_to_pointer)
{
	void *p;

	/* By memcpy: the pointer's own type is not known here. */
	memcpy(&p, pointer_to_pointer, sizeof(p));
	free(p);
	p = NULL;
	memcpy(pointer_to_pointer, &p, sizeof(p));
}

void close_fd_ptr(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

struct arena_block {
	struct arena_block *next;
	size_t size; /* of what follows */
};

static char *block_data(struct arena_block *b)
{
	return (char *)b + sizeof(*b);
}

_Static_assert(sizeof(struct arena_block) % 16 == 0, "block data stays aligned");

static void free_blocks(struct arena_block *b)
{
	while (b) {
		struct arena_block *next = b->next;
		free(b);
		b = next;
	}
}

void arena_init(struct arena *a)
{
	memset(a, 0, sizeof(*a));
}

static void arena_add_block(struct arena *a, size_t need)
{
	size_t size = a->cap ? a->cap * 2 : ARENA_FIRST_SIZE;

	if (size > ARENA_MAX_SIZE)
		size = ARENA_MAX_SIZE;
	if (size < need)
		size = need;
	if (size > SIZE_MAX - sizeof(struct arena_block))
		out_of_memory();

	struct arena_block *b = xmalloc(sizeof(*b) + size);
	b->next = a->head;
	b->size = size;
	a->head = b;
	a->used = 0;
	a->cap = size;
	a->total_bytes += size;
}

void *arena_alloc(struct arena *a, size_t size)
{
	if (size > SIZE_MAX - ARENA_ALIGN)
		out_of_memory();
	size = (size + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
	if (size == 0)
		size = ARENA_ALIGN;
	if (!a->head || a->cap - a->used < size)
		arena_add_block(a, size);

	void *p = block_data(a->head) + a->used;
	a->used += size;
	return p;
}

void *arena_zalloc(struct arena *a, size_t size)
{
	return memset(arena_alloc(a, size), 0, size);
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	if (len == SIZE_MAX)
		out_of_memory();
	char *copy = arena_alloc(a, len + 1);

	if (len)
		memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

void arena_reset(struct arena *a)
{
	if (!a->head)
		return;
	free_blocks(a->head->next);
	a->head->next = NULL;
	a->used = 0;
	a->cap = a->head->size;
	a->total_bytes = a->head->size;
}

void arena_release(struct arena *a)
{
	free_blocks(a->head);
	arena_init(a);
}

void *vec_grow_(void *data, size_t *cap, size_t need, size_t elem_size)
{
	size_t new_cap = *cap ? *cap : 8;

	while (new_cap < need) {
		if (new_cap > SIZE_MAX / 2)
			out_of_memory();
		new_cap *= 2;
	}
	data = xrealloc_array(data, new_cap, elem_size);
	*cap = new_cap;
	return data;
}
