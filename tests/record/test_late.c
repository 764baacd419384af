/* Memory read later: handed out only where the copy's end is still the same. The process read is
 * this one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "record/bases.h"
#include "record/late.h"
#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define COPY  1024
#define TOTAL ((size_t)256 << 10)

struct world {
	struct files *files;
	struct late *late;
	uint8_t *stack, copy[COPY];
	struct task_thread thread;
	struct record record;
};

static void setup_world(struct world *w)
{
	memset(w, 0, sizeof(*w));
	w->files = files_direct_new();
	w->late = late_new(w->files);
	w->stack = mmap(NULL, TOTAL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(w->stack != MAP_FAILED);
	for (size_t i = 0; i < TOTAL; i++)
		w->stack[i] = (uint8_t)(i * 7 + i / 251);
	memcpy(w->copy, w->stack, COPY);
	w->thread.pid = (uint32_t)getpid();
	w->thread.tid = w->thread.pid;
	w->record.time_ns = 1000000;
	w->record.u.sample.stack = w->copy;
	w->record.u.sample.stack_len = COPY;
}

static void release_world(struct world *w)
{
	late_free(w->late);
	files_free(w->files);
	munmap(w->stack, TOTAL);
}

static int read_at(struct world *w, size_t offset, uint64_t *out)
{
	return late_read(w->late, (uintptr_t)w->stack + offset, out, sizeof(*out));
}

static void next_sample(struct world *w)
{
	w->record.time_ns += 1000000;
	late_begin(w->late, &w->thread, &w->record, (uintptr_t)w->stack);
}

static void same_end(void **state)
{
	struct world w;
	uint64_t value;
	(void)state;
	setup_world(&w);
	next_sample(&w);
	assert_int_equal(read_at(&w, 2000, &value), 0);
	assert_memory_equal(&value, w.stack + 2000, 8);
	assert_int_equal(read_at(&w, 200000, &value), 0);
	assert_memory_equal(&value, w.stack + 200000, 8);
	assert_int_not_equal(late_read(w.late, 8, &value, sizeof(value)), 0);
	assert_int_not_equal(late_read(w.late, UINT64_MAX - 3, &value, sizeof(value)), 0);
	release_world(&w);
}

/* What was read for one sample serves the next, as long as the copies end alike. */
static void kept_for_the_next(void **state)
{
	struct world w;
	uint64_t value, first;
	(void)state;
	setup_world(&w);
	next_sample(&w);
	assert_int_equal(read_at(&w, 2000, &first), 0);
	w.stack[2000] ^= 0xff; /* nobody looks again */
	next_sample(&w);
	assert_int_equal(read_at(&w, 2000, &value), 0);
	assert_int_equal(value, first);
	/* what is missing is read together with all else, so that it is of one time */
	assert_int_equal(read_at(&w, 200000, &value), 0);
	assert_int_equal(read_at(&w, 2000, &value), 0);
	assert_int_not_equal(value, first);
	release_world(&w);
}

static void other_end(void **state)
{
	struct world w;
	uint64_t value;
	(void)state;
	setup_world(&w);
	w.stack[COPY - 3] ^= 0xff; /* it has moved on since */
	next_sample(&w);
	assert_int_not_equal(read_at(&w, 2000, &value), 0);
	memcpy(w.copy, w.stack, COPY);
	next_sample(&w);
	assert_int_equal(read_at(&w, 2000, &value), 0);
	w.record.u.sample.stack_len = 16; /* too little to tell */
	next_sample(&w);
	assert_int_not_equal(read_at(&w, 2000, &value), 0);
	release_world(&w);
}

/* Reading costs: so often and no more, whatever the samples are like. */
static void bounded(void **state)
{
	struct world w;
	uint64_t value;
	size_t served = 0;
	(void)state;
	setup_world(&w);
	for (int i = 0; i < 5000; i++) {
		w.stack[COPY - 3]++; /* another end each time */
		memcpy(w.copy, w.stack, COPY);
		late_begin(w.late, &w.thread, &w.record, (uintptr_t)w.stack);
		served += read_at(&w, 2000, &value) == 0;
	}
	assert_in_range(served, 10, 1000);
	w.record.time_ns += 10000000000u;
	next_sample(&w);
	assert_int_equal(read_at(&w, 2000, &value), 0);
	release_world(&w);
}

static uint64_t function_of(void *ctx, uint64_t pc)
{
	(void)ctx;
	return pc & ~0xffull;
}

static void learn(struct bases *b, const struct task_thread *t, const uint64_t *pcs,
		  const uint32_t *modules, size_t count)
{
	bases_learn(b, t, pcs, modules, count, function_of, NULL);
}

/* The start code, and the function it calls: nothing that only happened to be there. */
static void bases_of_stacks(void **state)
{
	struct bases b = { 0 };
	struct task_thread main_thread = { .tid = 1 }, thread = { .tid = 2 }, fixed = { .tid = 3 };
	static const uint64_t pcs[] = { 0x110, 0x1210, 0x2210, 0x310 };
	static const uint64_t other[] = { 0x110, 0x1210, 0x2210, 0x320 };
	static const uint64_t short_one[] = { 0x110, 0x1210 };
	static const uint32_t in_libc[] = { 0, 1, 1, 0 }, in_thread[] = { 1, 1, 0, 0 },
			      all_same[] = { 0, 0, 0, 0 };
	(void)state;
	assert_null(bases_find(&b, &main_thread));
	learn(&b, &main_thread, pcs, in_libc, 4);
	learn(&b, &thread, pcs, in_thread, 4);
	learn(&b, &fixed, pcs, all_same, 4);
	assert_int_equal(bases_find(&b, &main_thread)->count, 4);
	assert_int_equal(bases_find(&b, &thread)->count, 3);
	assert_int_equal(bases_find(&b, &fixed)->count, 4);
	learn(&b, &main_thread, other, in_libc, 4); /* main, at another place */
	assert_int_equal(bases_find(&b, &main_thread)->count, 4);
	assert_int_equal(bases_find(&b, &main_thread)->start[3], 0x300);
	learn(&b, &main_thread, short_one, in_libc, 2);
	assert_int_equal(bases_find(&b, &main_thread)->count, 2);
	bases_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_end),	   cmocka_unit_test(kept_for_the_next),
		cmocka_unit_test(other_end),	   cmocka_unit_test(bounded),
		cmocka_unit_test(bases_of_stacks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
