/*
 * The unwinder against libunwind (remote, with its cache) on the same stacks in the same run:
 * samples of a program are captured with ptrace, then replayed from memory.
 *
 *   bench_unwind [-n samples] [command…]     without a command: a deep program of its own
 */
#include "base/io.h"
#include "target.h"
#include "unwind/check_libunwind.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FRAMES_MAX	 1024
#define STACK_MAX	 (256u << 10)
#define OWN_PASSES	 15
#define LIBUNWIND_PASSES 3

#define NOINLINE __attribute__((noinline, noclone))

/* The deep program: recursion of mixed frame sizes over qsort's callbacks. */
static volatile long sink;

static long descend(long depth);

static int compare(const void *a, const void *b)
{
	sink += descend(4);
	return *(const int *)a - *(const int *)b;
}

NOINLINE static long big_frame(long depth)
{
	volatile char bytes[900];
	bytes[depth & 511] = (char)depth;
	long r = descend(depth - 1);
	return r + bytes[depth & 511];
}

NOINLINE static long sorting_frame(long depth)
{
	int v[6] = { 5, 3, 9, 1, 7, 2 };
	if (depth % 16 == 0)
		qsort(v, 6, sizeof(v[0]), compare);
	long r = descend(depth - 1);
	return r + v[0];
}

NOINLINE static long descend(long depth)
{
	if (depth <= 0) {
		for (int i = 0; i < 200; i++)
			sink += i;
		return sink;
	}
	long r = depth & 1 ? big_frame(depth) : sorting_frame(depth);
	__asm__ volatile("" : "+r"(r));
	return r;
}

struct bench {
	struct target target;
	struct unwind_memory *memories;
	struct unwind_regs *regs;
	size_t count;
	uint64_t stack_bytes;
};

static void keep_sample(struct bench *b)
{
	target_read_stack(&b->target, STACK_MAX);
	struct unwind_memory *m = &b->memories[b->count];
	*m = b->target.memory;
	uint8_t *copy = xmalloc(m->stack_len + 1);
	memcpy(copy, m->stack, m->stack_len);
	m->stack = copy;
	b->regs[b->count++] = b->target.unwind_regs;
}

static int capture(struct bench *b, char *const argv[], size_t wanted)
{
	b->memories = xcalloc(wanted, sizeof(*b->memories));
	b->regs = xcalloc(wanted, sizeof(*b->regs));
	if (target_start(&b->target, argv) != 0 || !target_run_to_entry(&b->target))
		return -1;
	target_run_for(&b->target, 50000);
	while (b->count < wanted && target_run_for(&b->target, 1000))
		keep_sample(b);
	if (!b->target.ended)
		target_read_maps(&b->target);
	return b->count == 0 ? -1 : 0;
}

static struct unwind_request request(struct bench *b, size_t i)
{
	struct unwind_request rq;
	target_request(&b->target, &rq);
	rq.regs = &b->regs[i];
	rq.memory = &b->memories[i];
	return rq;
}

struct pass {
	uint64_t ns, frames, whole;
};

static struct pass run_own(struct bench *b, struct unwinder *u)
{
	struct unwind_frame frames[FRAMES_MAX];
	struct pass p = { 0 };
	uint8_t end;
	uint64_t start = clock_thread_cpu_ns();
	for (size_t i = 0; i < b->count; i++) {
		struct unwind_request rq = request(b, i);
		p.frames += unwind_stack(u, &rq, frames, FRAMES_MAX, &end);
		p.whole += end == END_ROOT;
	}
	p.ns = clock_thread_cpu_ns() - start;
	return p;
}

static struct pass run_libunwind(struct bench *b, struct libunwind_space *space)
{
	struct unwind_frame frames[FRAMES_MAX];
	struct pass p = { 0 };
	uint64_t start = clock_thread_cpu_ns();
	for (size_t i = 0; i < b->count; i++) {
		struct unwind_request rq = request(b, i);
		p.frames += libunwind_space_walk(space, &rq, frames, FRAMES_MAX);
	}
	p.ns = clock_thread_cpu_ns() - start;
	return p;
}

/* How long it takes to copy the bytes that the frames lie in. */
static uint64_t run_copy(struct bench *b)
{
	uint8_t *to = xmalloc(STACK_MAX);
	b->stack_bytes = 0;
	uint64_t start = clock_thread_cpu_ns();
	for (size_t i = 0; i < b->count; i++) {
		memcpy(to, b->memories[i].stack, b->memories[i].stack_len);
		__asm__ volatile("" : : "r"(to) : "memory");
		b->stack_bytes += b->memories[i].stack_len;
	}
	uint64_t ns = clock_thread_cpu_ns() - start;
	free(to);
	return ns;
}

static size_t count_equal(struct bench *b, struct unwinder *u, struct libunwind_space *space)
{
	struct unwind_frame own[FRAMES_MAX], other[FRAMES_MAX];
	size_t equal = 0;
	uint8_t end;
	for (size_t i = 0; i < b->count; i++) {
		struct unwind_request rq = request(b, i);
		size_t n = unwind_stack(u, &rq, own, FRAMES_MAX, &end);
		bool same = n == libunwind_space_walk(space, &rq, other, FRAMES_MAX);
		for (size_t k = 0; same && k < n; k++)
			same = own[k].pc == other[k].pc;
		equal += same;
	}
	return equal;
}

static void better(struct pass *best, struct pass p)
{
	if (best->ns == 0 || p.ns < best->ns)
		*best = p;
}

static void report(struct bench *b, struct pass cold, struct pass own, struct pass other,
		   uint64_t copy_ns, size_t equal, const struct unwind_stats *stats)
{
	double own_ns = (double)own.ns / (double)own.frames;
	double other_ns = other.frames ? (double)other.ns / (double)other.frames : 0;
	double samples = (double)b->count;
	printf("samples %zu, frames per sample %.1f, stack bytes per sample %.0f\n", b->count,
	       (double)own.frames / samples, (double)b->stack_bytes / samples);
	printf("own        %7.1f ns/frame  %8.0f samples/s  whole %.2f %%  (first pass %.1f us/sample)\n",
	       own_ns, samples * 1e9 / (double)own.ns, (double)own.whole * 100 / samples,
	       (double)cold.ns / samples / 1e3);
	printf("libunwind  %7.1f ns/frame  %8.0f samples/s  equal to own %.2f %%\n", other_ns,
	       samples * 1e9 / (double)other.ns, (double)equal * 100 / samples);
	printf("ratio      %7.1f\n", other_ns / own_ns);
	printf("copying the stacks takes %.2f of unwinding them; cache hits %.3f %%, rare steps %.3f %%\n",
	       (double)copy_ns / (double)own.ns,
	       (double)stats->cache_hits * 100 / (double)stats->frames,
	       (double)stats->slow_steps * 100 / (double)stats->frames);
}

static void measure(struct bench *b)
{
	struct unwinder *u = unwinder_new(UNWIND_X86_64);
	struct libunwind_space *space = libunwind_space_new(true);
	struct pass own = { 0 }, other = { 0 }, cold = run_own(b, u);
	struct unwind_stats stats;
	uint64_t copy_ns = UINT64_MAX;
	run_libunwind(b, space);
	for (int i = 0; i < OWN_PASSES; i++) {
		better(&own, run_own(b, u));
		if (i < LIBUNWIND_PASSES)
			better(&other, run_libunwind(b, space));
		uint64_t ns = run_copy(b);
		copy_ns = ns < copy_ns ? ns : copy_ns;
	}
	unwinder_get_stats(u, &stats);
	report(b, cold, own, other, copy_ns, count_equal(b, u, space), &stats);
	libunwind_space_free(space);
	unwinder_free(u);
}

int main(int argc, char **argv)
{
	struct bench b = { 0 };
	size_t wanted = 1000;
	int option;
	char *self[] = { argv[0], (char[]){ "--deep" }, NULL };
	if (argc == 2 && strcmp(argv[1], "--deep") == 0)
		for (;;)
			sink += descend(64);
	while ((option = getopt(argc, argv, "+n:")) != -1) {
		if (option != 'n')
			return 2;
		wanted = strtoul(optarg, NULL, 10);
	}
	if (capture(&b, optind < argc ? argv + optind : self, wanted) != 0) {
		fprintf(stderr,
			"bench_unwind: no samples: the program cannot be traced or ended at once\n");
		return 1;
	}
	measure(&b);
	for (size_t i = 0; i < b.count; i++)
		free_ptr(&b.memories[i].stack);
	free(b.memories);
	free(b.regs);
	target_release(&b.target);
	return 0;
}
