/*
 * The unwinder against libunwind (remote, with its cache), against libdwfl and against copying the
 * same stack bytes, all over the same stacks in the same run: samples of a program are captured
 * with ptrace, then replayed from memory in alternating rounds. CPU time; medians with the lowest
 * and highest round. bench_unwind.py runs it over real programs.
 *
 *   bench_unwind [-n samples] [-r rounds] [-w milliseconds] command…
 *
 * Copied are the used bytes: from the stack pointer up to and with the outermost frame's return
 * address, each stack into the same buffer. Both go over all stacks in the order they were captured
 * in, so a walk has seen the one a millisecond earlier, as when recording. Warm: it is the second
 * pass in a row, so the stacks lie in the CPU's caches as far as they fit. Cold: they were flushed
 * from all of them. First: nothing is compiled yet, the module's bytes are as the system has them.
 */
#include "base/io.h"
#include "bench_dwfl.h"
#include "target.h"
#include "unwind/check_libunwind.h"
#include <emmintrin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FRAMES_MAX 1024
#define STACK_MAX  (256u << 10)
#define ROUNDS_MAX 64

struct bench {
	struct target target;
	struct unwind_memory *memories;
	struct unwind_regs *regs;
	size_t *used; /* bytes of each stack that its frames lie in */
	size_t count, rounds;
	uint8_t *copy;
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

static int capture(struct bench *b, char *const argv[], size_t wanted, unsigned wait_ms)
{
	b->memories = xcalloc(wanted, sizeof(*b->memories));
	b->regs = xcalloc(wanted, sizeof(*b->regs));
	b->used = xcalloc(wanted, sizeof(*b->used));
	if (target_start(&b->target, argv) != 0 || !target_run_to_entry(&b->target))
		return -1;
	target_run_for(&b->target, wait_ms * 1000);
	while (b->count < wanted && target_run_for(&b->target, 1000))
		keep_sample(b);
	if (!b->target.ended)
		target_read_maps(&b->target);
	return b->count == 0 ? -1 : 0;
}

/* As the recorder finds mappings; the maps come sorted. */
static bool find_map(void *ctx, uint64_t address, struct unwind_range *out)
{
	const struct target *t = ctx;
	size_t low = 0, high = t->maps.len;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (t->maps.data[mid].range.end <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == t->maps.len || t->maps.data[low].range.start > address)
		return false;
	*out = t->maps.data[low].range;
	return true;
}

static struct unwind_request request(struct bench *b, size_t i)
{
	struct unwind_request rq;
	target_request(&b->target, &rq);
	rq.find = find_map;
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
		p.frames += libunwind_space_walk(space, &rq, frames, FRAMES_MAX, NULL);
	}
	p.ns = clock_thread_cpu_ns() - start;
	return p;
}

static struct pass run_dwfl(struct bench *b, struct bench_dwfl *d)
{
	uint64_t pcs[FRAMES_MAX];
	struct pass p = { 0 };
	uint64_t start = clock_thread_cpu_ns();
	for (size_t i = 0; i < b->count; i++) {
		struct unwind_request rq = request(b, i);
		p.frames += bench_dwfl_walk(d, &rq, pcs, FRAMES_MAX);
	}
	p.ns = clock_thread_cpu_ns() - start;
	return p;
}

/* The bytes that the frames lie in, copied where they stay in the CPU's cache. */
static struct pass run_copy(struct bench *b)
{
	struct pass p = { 0 };
	uint64_t start = clock_thread_cpu_ns();
	for (size_t i = 0; i < b->count; i++) {
		memcpy(b->copy, b->memories[i].stack, b->used[i]);
		__asm__ volatile("" : : "r"(b->copy) : "memory");
		p.frames++;
	}
	p.ns = clock_thread_cpu_ns() - start;
	return p;
}

static void flush_stacks(const struct bench *b)
{
	for (size_t i = 0; i < b->count; i++)
		for (size_t at = 0; at < b->memories[i].stack_len; at += 64)
			_mm_clflush(b->memories[i].stack + at);
	_mm_mfence();
}

/* From the stack pointer to where the outermost frame found begins. */
static void find_used(struct bench *b, struct unwinder *u)
{
	struct unwind_frame frames[FRAMES_MAX];
	uint8_t end;
	for (size_t i = 0; i < b->count; i++) {
		struct unwind_request rq = request(b, i);
		const struct unwind_memory *m = rq.memory;
		size_t n = unwind_stack(u, &rq, frames, FRAMES_MAX, &end);
		uint64_t value = 0;
		for (size_t at = m->stack_len / 8 * 8; at >= 8; at -= 8) {
			memcpy(&value, m->stack + at - 8, sizeof(value));
			if (value == frames[n - 1].pc) {
				b->used[i] = at;
				break;
			}
		}
	}
}

static size_t count_equal(struct bench *b, struct unwinder *u, struct libunwind_space *space,
			  struct bench_dwfl *d, size_t *dwfl_equal)
{
	struct unwind_frame own[FRAMES_MAX], other[FRAMES_MAX];
	uint64_t pcs[FRAMES_MAX];
	size_t equal = 0;
	uint8_t end;
	*dwfl_equal = 0;
	for (size_t i = 0; i < b->count; i++) {
		struct unwind_request rq = request(b, i);
		size_t n = unwind_stack(u, &rq, own, FRAMES_MAX, &end);
		bool same = n == libunwind_space_walk(space, &rq, other, FRAMES_MAX, NULL);
		for (size_t k = 0; same && k < n; k++)
			same = own[k].pc == other[k].pc;
		equal += same;
		same = n == bench_dwfl_walk(d, &rq, pcs, FRAMES_MAX);
		for (size_t k = 0; same && k < n; k++)
			same = own[k].pc == pcs[k];
		*dwfl_equal += same;
	}
	return equal;
}

struct series {
	double value[ROUNDS_MAX];
	size_t len;
};

static int compare_doubles(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;
	return (a > b) - (a < b);
}

static void show(const char *name, struct series s)
{
	qsort(s.value, s.len, sizeof(s.value[0]), compare_doubles);
	printf("%-40s %9.2f   (%.2f to %.2f)\n", name, s.value[s.len / 2], s.value[0],
	       s.value[s.len - 1]);
}

static double per_frame(struct pass p)
{
	return p.frames ? (double)p.ns / (double)p.frames : 0;
}

struct measured {
	struct series warm, cold, libunwind, dwfl, by_libunwind, by_dwfl, copy_warm, copy_cold,
		by_copy_warm, by_copy_cold;
};

static void add(struct series *s, double value)
{
	s->value[s->len++] = value;
}

static void run_round(struct bench *b, struct unwinder *u, struct libunwind_space *space,
		      struct bench_dwfl *d, struct measured *m)
{
	struct pass copied, own, other;
	copied = run_copy(b);
	copied = run_copy(b);
	run_own(b, u);
	own = run_own(b, u);
	add(&m->warm, per_frame(own));
	add(&m->copy_warm, (double)copied.ns / (double)own.frames);
	add(&m->by_copy_warm, (double)own.ns / (double)copied.ns);
	other = run_libunwind(b, space);
	add(&m->libunwind, per_frame(other));
	add(&m->by_libunwind, per_frame(other) / per_frame(own));
	other = run_dwfl(b, d);
	add(&m->dwfl, per_frame(other));
	add(&m->by_dwfl, per_frame(other) / per_frame(own));
	flush_stacks(b);
	copied = run_copy(b);
	flush_stacks(b);
	own = run_own(b, u);
	add(&m->cold, per_frame(own));
	add(&m->copy_cold, (double)copied.ns / (double)own.frames);
	add(&m->by_copy_cold, (double)own.ns / (double)copied.ns);
}

static void report(const struct bench *b, const struct measured *m)
{
	show("own, ns a frame, warm", m->warm);
	show("own, ns a frame, cold", m->cold);
	show("libunwind, ns a frame", m->libunwind);
	show("libdwfl, ns a frame", m->dwfl);
	show("copying, ns a frame, warm", m->copy_warm);
	show("copying, ns a frame, cold", m->copy_cold);
	show("libunwind / own", m->by_libunwind);
	show("libdwfl / own", m->by_dwfl);
	show("own / copying, warm", m->by_copy_warm);
	show("own / copying, cold", m->by_copy_cold);
	(void)b;
}

static void measure(struct bench *b)
{
	struct unwinder *u = unwinder_new(UNWIND_X86_64);
	struct libunwind_space *space = libunwind_space_new(true);
	struct bench_dwfl *d = bench_dwfl_new(&b->target);
	struct measured m = { 0 };
	struct unwind_stats stats;
	struct unwind_request first = request(b, 0);
	struct unwind_frame frames[FRAMES_MAX];
	uint8_t end;
	uint64_t start = clock_thread_cpu_ns();
	unwind_stack(u, &first, frames, FRAMES_MAX, &end);
	uint64_t first_ns = clock_thread_cpu_ns() - start;
	struct pass rest = run_own(b, u);
	b->copy = xmalloc(STACK_MAX);
	find_used(b, u);
	run_libunwind(b, space);
	run_dwfl(b, d);
	for (size_t i = 0; i < b->rounds; i++)
		run_round(b, u, space, d, &m);
	size_t dwfl_equal, equal = count_equal(b, u, space, d, &dwfl_equal);
	uint64_t used = 0;
	for (size_t i = 0; i < b->count; i++)
		used += b->used[i];
	unwinder_get_stats(u, &stats);
	double samples = (double)b->count;
	printf("samples %zu, frames a sample %.1f, used stack bytes a sample %.0f, whole %.2f %%\n",
	       b->count, (double)rest.frames / samples, (double)used / samples,
	       (double)rest.whole * 100 / samples);
	printf("the same frames: libunwind %.2f %%, libdwfl %.2f %%; taken over from the stack before %.1f %%, cache hits %.3f %%, rare steps %.3f %%\n",
	       (double)equal * 100 / samples, (double)dwfl_equal * 100 / samples,
	       (double)stats.taken_over * 100 / (double)stats.frames,
	       (double)stats.cache_hits * 100 / (double)stats.frames,
	       (double)stats.slow_steps * 100 / (double)stats.frames);
	printf("first stack of all %.3f ms, first pass %.3f us a sample\n", (double)first_ns / 1e6,
	       (double)rest.ns / samples / 1e3);
	printf("copying: memcpy of the used bytes, %.1f MB in all; warm: second pass over all stacks, cold: flushed before\n",
	       (double)used / 1e6);
	report(b, &m);
	free(b->copy);
	bench_dwfl_free(d);
	libunwind_space_free(space);
	unwinder_free(u);
}

int main(int argc, char **argv)
{
	struct bench b = { .rounds = 7 };
	size_t wanted = 1000, wait_ms = 50;
	int option;
	while ((option = getopt(argc, argv, "+n:r:w:")) != -1) {
		size_t value = optarg ? strtoul(optarg, NULL, 10) : 0;
		if (option == 'n')
			wanted = value;
		else if (option == 'r')
			b.rounds = value < ROUNDS_MAX ? value : ROUNDS_MAX;
		else if (option == 'w')
			wait_ms = value;
		else
			return 2;
	}
	if (optind == argc || capture(&b, argv + optind, wanted, (unsigned)wait_ms) != 0) {
		fprintf(stderr,
			"bench_unwind: no samples: no command, it cannot be traced, or it ended at once\n");
		return 1;
	}
	measure(&b);
	for (size_t i = 0; i < b.count; i++)
		free_ptr(&b.memories[i].stack);
	free(b.memories);
	free(b.regs);
	free(b.used);
	target_release(&b.target);
	return 0;
}
