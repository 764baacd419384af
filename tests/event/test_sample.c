/* The decoder on samples written by hand: every field's place, events told apart, cut and lying
 * samples. */
#include <linux/perf_event.h>
#include <string.h>

#include "base/memory.h"
#include "event/record.h"
#include "record_build.h"
#include "tests.h"

/* A sample with every field there is, in the kernel's order. */
static void build_full_sample(struct bytes *b)
{
	build_begin(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	bytes_u64(b, 55);	  /* IDENTIFIER */
	bytes_u64(b, 0x401234);	  /* IP */
	build_two_u32(b, 10, 11); /* TID */
	bytes_u64(b, 2000);	  /* TIME */
	bytes_u64(b, 0xadd4);	  /* ADDR */
	bytes_u64(b, 55);	  /* ID */
	bytes_u64(b, 56);	  /* STREAM_ID */
	build_two_u32(b, 1, 0);	  /* CPU */
	bytes_u64(b, 1003009);	  /* PERIOD */
	for (uint64_t i = 0; i < 7; i++)
		bytes_u64(b, i == 0 ? 2 : 70 + i); /* READ: group of 2 with times and id */
	bytes_u64(b, 3);			   /* CALLCHAIN */
	bytes_u64(b, RECORD_CONTEXT_USER);
	bytes_u64(b, 0x401234);
	bytes_u64(b, 0x401000);
	bytes_u32(b, 4); /* RAW */
	bytes_append(b, "rawx", 4);
	bytes_u64(b, 1); /* BRANCH_STACK with hw_idx */
	bytes_u64(b, 9);
	for (uint64_t i = 0; i < 3; i++)
		bytes_u64(b, 80 + i);
	bytes_u64(b, PERF_SAMPLE_REGS_ABI_64); /* REGS_USER, bits 0, 8 and 63 */
	bytes_u64(b, 111);
	bytes_u64(b, 222);
	bytes_u64(b, 333);
	bytes_u64(b, 16); /* STACK_USER */
	bytes_append(b, "0123456789abcdef", 16);
	bytes_u64(b, 8);
	build_two_u32(b, 44, 45);	       /* WEIGHT_STRUCT */
	bytes_u64(b, 1);		       /* DATA_SRC */
	bytes_u64(b, 2);		       /* TRANSACTION */
	bytes_u64(b, PERF_SAMPLE_REGS_ABI_64); /* REGS_INTR */
	bytes_u64(b, 3);
	bytes_u64(b, 4); /* PHYS_ADDR */
	bytes_u64(b, 5); /* CGROUP */
	bytes_u64(b, 6); /* DATA_PAGE_SIZE */
	bytes_u64(b, 7); /* CODE_PAGE_SIZE */
	bytes_u64(b, 8); /* AUX */
	bytes_u64(b, 0);
	build_end(b);
}

static int setup_full(void **state)
{
	struct record_layout layout = {
		.sample_type = (PERF_SAMPLE_MAX - 1) & ~(uint64_t)PERF_SAMPLE_WEIGHT,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID,
		.regs_user_mask = 1ull << 63 | 1u << 8 | 1u,
		.regs_intr_mask = 1,
		.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX,
		.sample_id_all = true,
	};
	fixture_open(state, &layout);
	return 0;
}

static void test_full_sample(void **state)
{
	struct fixture *f = *state;
	const struct record_sample *s = &f->r.u.sample;

	build_full_sample(&f->b);
	assert_int_equal(fixture_decode(f), 0);
	assert_int_equal(f->r.kind, RECORD_SAMPLE);
	assert_int_equal(f->r.time_ns, 2000);
	assert_int_equal(record_time(f->decoder, f->b.data, f->b.len), 2000);
	assert_int_equal(f->r.pid, 10);
	assert_int_equal(f->r.tid, 11);
	assert_int_equal(f->r.cpu, 1);
	assert_int_equal(s->ip, 0x401234);
	assert_int_equal(s->addr, 0xadd4);
	assert_int_equal(s->period, 1003009);
	assert_int_equal(s->read_count, 2);
	assert_int_equal(s->enabled_ns, 71);
	assert_int_equal(s->running_ns, 72);
	assert_int_equal(record_read_value(s, 0), 73);
	assert_int_equal(record_read_value(s, 1), 75);
	assert_int_equal(s->chain_count, 3);
	assert_int_equal(record_chain(s, 0), RECORD_CONTEXT_USER);
	assert_int_equal(record_chain(s, 2), 0x401000);
	assert_int_equal(s->raw_len, 4);
	assert_memory_equal(s->raw, "rawx", 4);
	assert_int_equal(s->user_regs.abi, 2);
	assert_int_equal(s->user_regs.value[0], 111);
	assert_int_equal(s->user_regs.value[8], 222);
	assert_int_equal(s->user_regs.value[63], 333);
	assert_int_equal(s->stack_asked, 16);
	assert_int_equal(s->stack_len, 8);
	assert_memory_equal(s->stack, "01234567", 8);
	assert_int_equal(s->weight, 44);
}

/* However a sample is cut, it is refused: every byte of it is needed. */
static void test_cut_sample(void **state)
{
	struct fixture *f = *state;

	build_full_sample(&f->b);
	size_t whole = f->b.len;
	for (size_t len = 0; len < whole; len++) {
		f->b.len = len;
		if (len >= 8)
			build_end(&f->b);
		assert_int_equal(fixture_decode(f), -1);
	}
	f->b.len = whole;
	build_end(&f->b);
	assert_int_equal(fixture_decode(f), 0);
}

static void test_size_must_agree(void **state)
{
	struct fixture *f = *state;

	build_full_sample(&f->b);
	assert_int_equal(record_decode(f->decoder, f->b.data, f->b.len - 8, &f->r), -1);
	assert_int_equal(record_time(f->decoder, f->b.data, f->b.len - 8), 0);
}

static void test_stack_longer_than_asked(void **state)
{
	struct record_layout layout = { .sample_type = PERF_SAMPLE_STACK_USER };
	struct fixture *f;

	fixture_open(state, &layout);
	f = *state;
	build_begin(&f->b, PERF_RECORD_SAMPLE, 0);
	bytes_u64(&f->b, 8);
	bytes_u64(&f->b, 0);
	bytes_u64(&f->b, 9);
	build_end(&f->b);
	assert_int_equal(fixture_decode(f), -1);

	build_begin(&f->b, PERF_RECORD_SAMPLE, 0);
	bytes_u64(&f->b, 0); /* a kernel thread: no copy, no filled size */
	build_end(&f->b);
	assert_int_equal(fixture_decode(f), 0);
	assert_int_equal(f->r.u.sample.stack_len, 0);
	assert_null(f->r.u.sample.stack);
	fixture_close(state);
}

static void build_stack_sample(struct bytes *b, uint64_t asked, uint64_t filled)
{
	build_begin(b, PERF_RECORD_SAMPLE, 0);
	bytes_u64(b, 0x1234);
	bytes_u64(b, asked);
	for (uint64_t i = 0; i < asked; i++)
		bytes_u8(b, (uint8_t)(i % 251));
	bytes_u64(b, filled);
	bytes_u64(b, 77); /* a field after the stack: WEIGHT */
	build_end(b);
}

/* Cut to what is filled, a sample still decodes to the same. */
static void test_trim(void **state)
{
	struct record_layout layout = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_STACK_USER |
						       PERF_SAMPLE_WEIGHT };
	struct record_trim trim;
	struct bytes whole = { 0 };
	struct fixture *f;

	fixture_open(state, &layout);
	f = *state;
	build_stack_sample(&f->b, 4096, 1000);
	size_t parts = record_trim_stack(f->decoder, f->b.data, f->b.len, &trim);
	assert_int_equal(parts, 5);
	for (size_t i = 0; i < parts; i++)
		bytes_append(&whole, trim.parts[i].bytes, trim.parts[i].len);
	assert_true(whole.len < 1000 + 128);
	assert_int_equal(record_decode(f->decoder, whole.data, whole.len, &f->r), 0);
	assert_int_equal(f->r.u.sample.ip, 0x1234);
	assert_int_equal(f->r.u.sample.stack_len, 1000);
	assert_true(f->r.u.sample.stack_asked > 1008); /* still reads as not full */
	assert_memory_equal(f->r.u.sample.stack, f->b.data + 24, 1000);
	assert_int_equal(f->r.u.sample.weight, 77);

	build_stack_sample(&f->b, 4096, 4096);
	assert_int_equal(record_trim_stack(f->decoder, f->b.data, f->b.len, &trim), 0);
	assert_int_equal(record_trim_stack(f->decoder, f->b.data, f->b.len - 8, &trim), 0);
	assert_int_equal(record_trim_stack(f->decoder, f->b.data, 4, &trim), 0);
	bytes_release(&whole);
	fixture_close(state);
}

static void build_two_event_sample(struct bytes *b, uint64_t id)
{
	build_begin(b, PERF_RECORD_SAMPLE, 0);
	bytes_u64(b, id);
	bytes_u64(b, 0x1000);
	build_end(b);
}

static void test_events_by_identifier(void **state)
{
	struct record_layout first = { .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP };
	struct record_layout second = { .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ADDR };
	struct fixture *f;

	fixture_open(state, &first);
	f = *state;
	assert_int_equal(record_decoder_add_event(f->decoder, &second), 1);
	record_decoder_add_id(f->decoder, 100, 0);
	record_decoder_add_id(f->decoder, 200, 1);
	record_decoder_add_id(f->decoder, 300, 2); /* no such event: ignored */

	build_two_event_sample(&f->b, 100);
	assert_int_equal(fixture_decode(f), 0);
	assert_int_equal(f->r.event, 0);
	assert_int_equal(f->r.u.sample.ip, 0x1000);
	build_two_event_sample(&f->b, 200);
	assert_int_equal(fixture_decode(f), 0);
	assert_int_equal(f->r.event, 1);
	assert_int_equal(f->r.u.sample.addr, 0x1000);
	assert_int_equal(f->r.u.sample.ip, 0);
	build_two_event_sample(&f->b, 300);
	assert_int_equal(fixture_decode(f), -1);
	fixture_close(state);
}

static void test_events_by_id(void **state)
{
	struct record_layout layout = { .sample_type =
						PERF_SAMPLE_IP | PERF_SAMPLE_ID | PERF_SAMPLE_CPU,
					.sample_id_all = true };
	struct fixture *f;

	fixture_open(state, &layout);
	f = *state;
	record_decoder_add_event(f->decoder, &layout);
	record_decoder_add_id(f->decoder, 200, 1);
	build_begin(&f->b, PERF_RECORD_SAMPLE, 0);
	bytes_u64(&f->b, 0x1000);
	bytes_u64(&f->b, 200);
	build_two_u32(&f->b, 1, 0);
	build_end(&f->b);
	assert_int_equal(fixture_decode(f), 0);
	assert_int_equal(f->r.event, 1);

	build_begin(&f->b, PERF_RECORD_SWITCH, 0);
	bytes_u64(&f->b, 200);
	build_two_u32(&f->b, 5, 0);
	build_end(&f->b);
	assert_int_equal(fixture_decode(f), 0);
	assert_int_equal(f->r.event, 1);
	assert_int_equal(f->r.cpu, 5);
	fixture_close(state);
}

static void test_no_events(void **state)
{
	struct record_decoder *d = record_decoder_new();
	struct bytes b = { 0 };
	struct record r;

	(void)state;
	build_full_sample(&b);
	assert_int_equal(record_decode(d, b.data, b.len, &r), -1);
	assert_int_equal(record_time(d, b.data, b.len), 0);
	bytes_release(&b);
	record_decoder_free(d);
}

int run_sample_tests(void)
{
#define WITH(fn, start) cmocka_unit_test_setup_teardown(fn, start, fixture_close)
	const struct CMUnitTest tests[] = {
		WITH(test_full_sample, setup_full),
		WITH(test_cut_sample, setup_full),
		WITH(test_size_must_agree, setup_full),
		cmocka_unit_test(test_stack_longer_than_asked),
		cmocka_unit_test(test_trim),
		cmocka_unit_test(test_events_by_identifier),
		cmocka_unit_test(test_events_by_id),
		cmocka_unit_test(test_no_events),
	};
	return cmocka_run_group_tests_name("event sample", tests, NULL, NULL);
}
