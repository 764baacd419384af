/*
 * Allocation: an arena per phase and growable arrays. prof treats running out of memory as fatal
 * for the current process: the x-functions print one line and abort(); what was flushed is safe in
 * the file. Sizes that come from outside are checked against limits by the caller first.
 */
#ifndef PROF_BASE_MEMORY_H
#define PROF_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);      /* checked multiplication */
void *xaligned(size_t alignment, size_t size); /* not zeroed; free frees it */
void *xrealloc_array(void *ptr, size_t count, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t len);
/* Where something is to be told or put in order before the end: instead of the line and abort(), from
 * whichever thread. It must not return, nor allocate. */
void memory_when_exhausted(void (*tell)(void));
/* For a process that reads a profile, shows it and ends: what is freed is kept for what is allocated
 * next, and large arrays and the heap are asked for in large pages, since it is the kernel's part of
 * the work that is dear. Call it before there is a second thread. */
void memory_for_one_job(void);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Cleanup attributes for leaf resources. */
void free_ptr(void *pointer_to_pointer);
void close_fd_ptr(int *fd); /* closes when >= 0 */
#define CLEANUP_FREE  __attribute__((cleanup(free_ptr)))
#define CLEANUP_CLOSE __attribute__((cleanup(close_fd_ptr)))

struct arena_block;

struct arena {
	struct arena_block *head;
	size_t used, cap;   /* within the head block */
	size_t total_bytes; /* of all blocks */
};

void arena_init(struct arena *a);
void *arena_alloc(struct arena *a, size_t size); /* 16-byte aligned, not zeroed */
void *arena_zalloc(struct arena *a, size_t size);
char *arena_strndup(struct arena *a, const char *s, size_t len);
void arena_reset(struct arena *a); /* keeps one block */
void arena_release(struct arena *a);

/*
 * Growable array: VEC(int) v = {0}; vec_push(&v, 3); v.data[0]; v.len; vec_release(&v);
 * As a member: VEC(struct x) xs;  Growth doubles; elements are moved, so keep indices, not
 * pointers.
 */
#define VEC(type)                \
	struct {                 \
		type *data;      \
		size_t len, cap; \
	}
void *vec_grow_(void *data, size_t *cap, size_t need, size_t elem_size);
#define vec_reserve(v, n)                                                                        \
	((void)((n) > (v)->cap                                                                   \
			? ((v)->data = vec_grow_((v)->data, &(v)->cap, (n), sizeof(*(v)->data)), \
			   0)                                                                    \
			: 0))
#define vec_push(v, value)                       \
	do {                                     \
		vec_reserve(v, (v)->len + 1);    \
		(v)->data[(v)->len++] = (value); \
	} while (0)
#define vec_clear(v) ((void)((v)->len = 0))
#define vec_release(v)                   \
	do {                             \
		free_ptr(&(v)->data);    \
		(v)->len = (v)->cap = 0; \
	} while (0)

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#endif
