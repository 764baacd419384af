/* Rings in plain memory, written as the kernel would: what comes out, in which order, and when the
 * space is given back. */
#include "base/bytes.h"
#include "base/io.h"
#include "record/rings.h"
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PAGE = 4096, RING_BYTES = 65536, CPUS = 2 };

#define HOUR_NS 3600000000000ull

static void open_fake(struct rings_cpu *c, uint32_t cpu)
{
	uint8_t *base = xcalloc(1, PAGE + RING_BYTES);
	*c = (struct rings_cpu){
		.cpu = cpu,
		.fd = -1,
		.ring = { .base = base, .data = base + PAGE, .data_bytes = RING_BYTES },
		.scratch = xmalloc(RINGS_SCRATCH_BYTES),
	};
}

static int open_rings(void **state)
{
	struct rings *r = xcalloc(1, sizeof(*r));
	struct rings_layout l = {
		.layout = { .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
			    .sample_id_all = true },
		.event = 5,
	};
	*state = r;
	r->decoder = record_decoder_new();
	r->order = order_new(1 << 20);
	record_decoder_add_event(r->decoder, &l.layout);
	vec_push(&r->layouts, l);
	for (uint32_t i = 0; i < CPUS; i++) {
		struct rings_cpu c;
		open_fake(&c, i);
		vec_push(&r->cpus, c);
	}
	return 0;
}

static int close_rings(void **state)
{
	struct rings *r = *state;
	for (size_t i = 0; i < r->cpus.len; i++) {
		free(r->cpus.data[i].ring.base);
		free(r->cpus.data[i].scratch);
	}
	vec_release(&r->cpus);
	vec_release(&r->layouts);
	hmap_release(&r->forked);
	record_decoder_free(r->decoder);
	order_free(r->order);
	free(r);
	return 0;
}

/* The kernel's part. */
static void write_ring(struct rings *r, unsigned cpu, struct bytes *record)
{
	struct ring *ring = &r->cpus.data[cpu].ring;
	struct perf_event_mmap_page *page = ring->base;
	uint16_t size = (uint16_t)record->len;
	memcpy(record->data + 6, &size, sizeof(size));
	assert_true(page->data_head - page->data_tail + size <= RING_BYTES);
	for (size_t i = 0; i < size; i++)
		ring->data[(page->data_head + i) % RING_BYTES] = record->data[i];
	page->data_head += size;
	bytes_release(record);
}

static void begin_record(struct bytes *b, uint32_t type)
{
	*b = (struct bytes){ 0 };
	bytes_u32(b, type);
	bytes_u32(b, 0);
}

static void write_sample(struct rings *r, unsigned cpu, uint64_t time_ns, uint32_t tid,
			 uint32_t raw_len)
{
	struct bytes b;
	begin_record(&b, PERF_RECORD_SAMPLE);
	bytes_u32(&b, tid);
	bytes_u32(&b, tid);
	bytes_u64(&b, time_ns);
	raw_len = (raw_len + 7) / 8 * 8 + 4; /* with its length, a multiple of 8 */
	bytes_u32(&b, raw_len);
	for (uint32_t i = 0; i < raw_len; i++)
		bytes_u8(&b, (uint8_t)(tid + i));
	write_ring(r, cpu, &b);
}

static void end_trailer(struct rings *r, unsigned cpu, struct bytes *b, uint64_t time_ns)
{
	bytes_u32(b, 1);
	bytes_u32(b, 1);
	bytes_u64(b, time_ns);
	write_ring(r, cpu, b);
}

static void write_mapping(struct rings *r, unsigned cpu, uint64_t time_ns)
{
	struct bytes b;
	begin_record(&b, PERF_RECORD_MMAP);
	bytes_u32(&b, 1);
	bytes_u32(&b, 1);
	for (int i = 0; i < 3; i++)
		bytes_u64(&b, 0x1000);
	bytes_append(&b, "/a/file", 8);
	end_trailer(r, cpu, &b, time_ns);
}

static void write_fork(struct rings *r, unsigned cpu, uint64_t time_ns, uint32_t tid)
{
	struct bytes b;
	begin_record(&b, PERF_RECORD_FORK);
	bytes_u32(&b, tid);
	bytes_u32(&b, 1);
	bytes_u32(&b, tid);
	bytes_u32(&b, 1);
	bytes_u64(&b, time_ns);
	end_trailer(r, cpu, &b, time_ns);
}

static uint64_t waiting(const struct rings *r)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < r->cpus.len; i++)
		bytes += ring_pending(&r->cpus.data[i].ring);
	return bytes;
}

static void expect_sample(struct rings *r, uint64_t time_ns, uint32_t tid)
{
	struct record got;
	assert_true(rings_next(r, &got));
	assert_int_equal(got.kind, RECORD_SAMPLE);
	assert_int_equal(got.time_ns, time_ns);
	assert_int_equal(got.tid, tid);
	assert_int_equal(got.event, 5);
	for (uint32_t i = 0; i < got.u.sample.raw_len; i++)
		assert_int_equal(got.u.sample.raw[i], (uint8_t)(tid + i));
}

static void expect_no_more(struct rings *r)
{
	struct record got;
	assert_false(rings_next(r, &got));
}

/* Many rounds, so that records of all sizes wrap round. */
static void test_order_across_rings(void **state)
{
	struct rings *r = *state;
	uint64_t time_ns = 1000;
	uint32_t seed = 1;
	for (int round = 0; round < 300; round++) {
		uint64_t first = time_ns;
		for (uint32_t i = 0; i < 20; i++, time_ns++) {
			seed = seed * 1103515245 + 12345;
			write_sample(r, seed >> 20 & 1, time_ns, (uint32_t)time_ns,
				     seed >> 16 & 1023);
		}
		rings_look(r);
		for (uint64_t t = first; t < time_ns; t++)
			expect_sample(r, t, (uint32_t)t);
		expect_no_more(r);
		assert_int_equal(waiting(r), 0);
	}
	assert_int_equal(r->out_of_order, 0);
	assert_int_equal(r->broken, 0);
}

/* What is young may be overtaken by another CPU's: it stays in the ring. */
static void test_young_waits(void **state)
{
	struct rings *r = *state;
	uint64_t young = clock_monotonic_ns() + HOUR_NS;
	write_sample(r, 0, 10, 1, 8);
	write_sample(r, 0, young, 3, 8);
	for (int i = 0; i < 3; i++) {
		rings_look(r);
		if (i == 0)
			expect_sample(r, 10, 1);
		expect_no_more(r);
		assert_true(waiting(r) > 0 && waiting(r) < 100);
	}
	write_sample(r, 1, young - 1, 2, 8);
	rings_drain(r);
	assert_int_equal(waiting(r), 0);
	expect_no_more(r);
	rings_flush(r);
	expect_sample(r, young - 1, 2);
	expect_sample(r, young, 3);
	expect_no_more(r);
}

/* A mapping may keep the caller busy: by then the kernel has all of its rings back. */
static void test_mapping_gives_space_back(void **state)
{
	struct rings *r = *state;
	struct record got;
	uint64_t young = clock_monotonic_ns() + HOUR_NS;
	write_sample(r, 0, 10, 1, 100);
	write_mapping(r, 0, 20);
	write_sample(r, 0, 30, 3, 5000);
	write_sample(r, 0, young, 5, 100);
	write_sample(r, 1, 15, 2, 100);
	write_sample(r, 1, 40, 4, 100);
	rings_look(r);
	expect_sample(r, 10, 1);
	expect_sample(r, 15, 2);
	assert_true(waiting(r) > 5000);
	assert_true(rings_next(r, &got));
	assert_int_equal(got.kind, RECORD_MMAP);
	assert_string_equal(got.u.mmap.path, "/a/file");
	assert_int_equal(got.cpu, 0);
	assert_int_equal(waiting(r), 0);
	expect_sample(r, 30, 3);
	expect_sample(r, 40, 4);
	expect_no_more(r);
	/* The one that waits in the order and new ones in the rings meet again. */
	write_sample(r, 1, 50, 6, 100);
	rings_look(r);
	expect_sample(r, 50, 6);
	expect_no_more(r);
	rings_flush(r);
	expect_sample(r, young, 5);
	assert_int_equal(r->out_of_order, 0);
}

static void test_half_full_is_drained(void **state)
{
	struct rings *r = *state;
	for (uint32_t i = 0; i < 5; i++)
		write_sample(r, 0, 10 + i, i, 8000);
	write_sample(r, 1, 11, 9, 8);
	rings_look(r);
	assert_int_equal(waiting(r), 0);
	expect_sample(r, 10, 0);
	expect_sample(r, 11, 1);
	expect_sample(r, 11, 9);
	for (uint32_t i = 2; i < 5; i++)
		expect_sample(r, 10 + i, i);
	expect_no_more(r);
}

/* Space is given back on the way, not only when all is read. */
static void test_space_is_given_back_early(void **state)
{
	struct rings *r = *state;
	for (uint32_t i = 0; i < 6; i++)
		write_sample(r, 0, 10 + i, i, 5000);
	uint64_t before = waiting(r);
	rings_look(r);
	for (uint32_t i = 0; i < 5; i++)
		expect_sample(r, 10 + i, i);
	assert_true(waiting(r) < before / 2);
	expect_sample(r, 15, 5); /* it was not given back: still whole */
	expect_no_more(r);
	assert_int_equal(waiting(r), 0);
}

static void test_late_is_counted(void **state)
{
	struct rings *r = *state;
	write_sample(r, 0, 100, 1, 8);
	rings_look(r);
	expect_sample(r, 100, 1);
	expect_no_more(r);
	write_sample(r, 1, 50, 2, 8);
	rings_look(r);
	expect_sample(r, 50, 2);
	assert_int_equal(r->out_of_order, 1);
	expect_no_more(r);
}

static void test_damage_is_skipped(void **state)
{
	struct rings *r = *state;
	struct bytes b;
	begin_record(&b, PERF_RECORD_SAMPLE); /* too short to be one */
	bytes_u64(&b, 0);
	write_ring(r, 0, &b);
	write_sample(r, 0, 10, 1, 8);
	rings_look(r);
	expect_sample(r, 10, 1);
	expect_no_more(r);
	assert_int_equal(r->undecoded, 1);
	/* A length that leads out of what was written. */
	struct perf_event_mmap_page *page = r->cpus.data[0].ring.base;
	uint16_t wild = 60000;
	write_sample(r, 0, 20, 2, 8);
	memcpy(r->cpus.data[0].ring.data + page->data_tail % RING_BYTES + 6, &wild, sizeof(wild));
	rings_look(r);
	expect_no_more(r);
	assert_int_equal(r->broken, 1);
	assert_int_equal(waiting(r), 0);
}

static void test_forks_are_watched(void **state)
{
	struct rings *r = *state;
	struct record got;
	r->watch_forks = true;
	write_fork(r, 0, 10, 77);
	rings_drain(r);
	assert_true(rings_saw_fork(r, 77));
	assert_false(rings_saw_fork(r, 78));
	r->watch_forks = false;
	write_fork(r, 1, 11, 78);
	rings_look(r);
	assert_true(rings_next(r, &got));
	assert_int_equal(got.tid, 77);
	assert_true(rings_next(r, &got));
	assert_int_equal(got.tid, 78);
	assert_false(rings_saw_fork(r, 78));
	expect_no_more(r);
}

enum { MEANWHILE = 4000 };

struct clocked { /* records written at their time */
	uint64_t times[MEANWHILE];
	size_t count;
	uint32_t random;
};

static uint32_t draw(struct clocked *c)
{
	c->random = c->random * 1103515245 + 12345;
	return c->random >> 16;
}

static void write_now(struct rings *r, struct clocked *c)
{
	uint64_t now_ns = clock_monotonic_ns();
	unsigned cpu = draw(c) & 1;
	if (c->count == MEANWHILE || ring_pending(&r->cpus.data[cpu].ring) > RING_BYTES - 2000)
		return;
	if (c->count && now_ns <= c->times[c->count - 1])
		now_ns = c->times[c->count - 1] + 1;
	if (draw(c) % 16 == 0)
		write_mapping(r, cpu, now_ns);
	else
		write_sample(r, cpu, now_ns, (uint32_t)c->count, draw(c) % 1000);
	c->times[c->count++] = now_ns;
}

static void expect_bytes(const struct record *got)
{
	for (uint32_t i = 0; got->kind == RECORD_SAMPLE && i < got->u.sample.raw_len; i++)
		assert_int_equal(got->u.sample.raw[i], (uint8_t)(got->tid + i));
}

/* What is handed out stays as it is, and nothing comes out twice, never, or too early. */
static void test_room_is_made_meanwhile(void **state)
{
	struct rings *r = *state;
	struct clocked c = { .random = 1 };
	struct record got;
	for (size_t seen = 0; seen < MEANWHILE;) {
		for (int i = 0; i < 20; i++)
			write_now(r, &c);
		rings_look(r);
		while (rings_next(r, &got)) {
			assert_true(seen < c.count);
			assert_int_equal(got.time_ns, c.times[seen++]);
			for (uint32_t i = draw(&c) % 4; i > 0; i--) {
				write_now(r, &c);
				rings_keep_up(r);
			}
			expect_bytes(&got);
		}
	}
	assert_int_equal(r->out_of_order, 0);
	assert_int_equal(r->broken, 0);
}

/* What waits beyond that is the kernel's to drop. */
static void test_room_is_made_within_bounds(void **state)
{
	struct rings *r = *state;
	struct record got;
	write_mapping(r, 0, 10);
	rings_look(r);
	assert_true(rings_next(r, &got));
	for (uint32_t i = 0; i < 10000 && !order_is_full(r->order); i++) {
		write_sample(r, 1, 20 + i, i, 8000);
		rings_keep_up(r);
		assert_true(order_is_full(r->order) || waiting(r) == 0);
	}
	assert_true(order_is_full(r->order));
	write_sample(r, 1, HOUR_NS, 1, 8000);
	rings_keep_up(r);
	assert_true(waiting(r) > 8000);
	assert_string_equal(got.u.mmap.path, "/a/file");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_rings, close_rings)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_order_across_rings),	      TEST(test_young_waits),
		TEST(test_mapping_gives_space_back),  TEST(test_half_full_is_drained),
		TEST(test_space_is_given_back_early), TEST(test_late_is_counted),
		TEST(test_damage_is_skipped),	      TEST(test_forks_are_watched),
		TEST(test_room_is_made_meanwhile),    TEST(test_room_is_made_within_bounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
