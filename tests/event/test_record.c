/* The decoder on records written by hand: every kind, every field's place, and cut or lying
 * records. */
#include <linux/perf_event.h>
#include <string.h>

#include "base/memory.h"
#include "event/record.h"
#include "record_build.h"
#include "tests.h"

struct fixture {
	struct record_decoder *decoder;
	struct bytes b;
	struct record r;
};

static int setup_with(void **state, const struct record_layout *layout)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	f->decoder = record_decoder_new();
	assert_int_equal(record_decoder_add_event(f->decoder, layout), 0);
	*state = f;
	return 0;
}

static int setup(void **state)
{
	struct record_layout layout = {
		.sample_type = TRAILER_TYPE | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			       PERF_FORMAT_ID | PERF_FORMAT_LOST,
		.sample_id_all = true,
	};
	return setup_with(state, &layout);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	record_decoder_free(f->decoder);
	bytes_release(&f->b);
	free_ptr(&f);
	return 0;
}

static int decode(struct fixture *f)
{
	return record_decode(f->decoder, f->b.data, f->b.len, &f->r);
}

static void assert_trailer(const struct fixture *f, enum record_kind kind)
{
	assert_int_equal(f->r.kind, kind);
	assert_int_equal(f->r.time_ns, 1000);
	assert_int_equal(f->r.cpu, 3);
	assert_int_equal(f->r.id, 55);
	assert_int_equal(record_time(f->decoder, f->b.data, f->b.len), 1000);
}

static void test_mmap(void **state)
{
	struct fixture *f = *state;

	build_begin(&f->b, PERF_RECORD_MMAP, PERF_RECORD_MISC_MMAP_DATA | PERF_RECORD_MISC_USER);
	build_two_u32(&f->b, 10, 11);
	bytes_u64(&f->b, 0x400000);
	bytes_u64(&f->b, 0x1000);
	bytes_u64(&f->b, 0x2000);
	build_string(&f->b, "/bin/x");
	build_trailer(&f->b, 55);
	assert_int_equal(decode(f), 0);
	assert_trailer(f, RECORD_MMAP);
	assert_int_equal(f->r.pid, 10);
	assert_int_equal(f->r.tid, 11);
	assert_int_equal(f->r.u.mmap.start, 0x400000);
	assert_int_equal(f->r.u.mmap.length, 0x1000);
	assert_int_equal(f->r.u.mmap.file_offset, 0x2000);
	assert_string_equal(f->r.u.mmap.path, "/bin/x");
	assert_true(f->r.u.mmap.is_data);
	assert_false(f->r.u.mmap.has_prot);
	assert_int_equal(f->r.misc & RECORD_MISC_CPUMODE, RECORD_MODE_USER);
}

static void begin_mmap2(struct bytes *b, uint16_t misc)
{
	build_begin(b, PERF_RECORD_MMAP2, misc);
	build_two_u32(b, 10, 11);
	bytes_u64(b, 0x400000);
	bytes_u64(b, 0x1000);
	bytes_u64(b, 0x2000);
}

static void test_mmap2_with_inode(void **state)
{
	struct fixture *f = *state;

	begin_mmap2(&f->b, 0);
	build_two_u32(&f->b, 8, 1);
	bytes_u64(&f->b, 123456);
	bytes_u64(&f->b, 99);
	build_two_u32(&f->b, 5, 2);
	build_string(&f->b, "/lib/y.so");
	build_trailer(&f->b, 55);
	assert_int_equal(decode(f), 0);
	assert_trailer(f, RECORD_MMAP);
	assert_int_equal(f->r.u.mmap.maj, 8);
	assert_int_equal(f->r.u.mmap.min, 1);
	assert_int_equal(f->r.u.mmap.ino, 123456);
	assert_int_equal(f->r.u.mmap.ino_generation, 99);
	assert_int_equal(f->r.u.mmap.prot, 5);
	assert_int_equal(f->r.u.mmap.flags, 2);
	assert_int_equal(f->r.u.mmap.build_id_len, 0);
	assert_true(f->r.u.mmap.has_prot);
	assert_false(f->r.u.mmap.is_data);
	assert_string_equal(f->r.u.mmap.path, "/lib/y.so");
}

static void build_mmap2_build_id(struct bytes *b, uint8_t len)
{
	begin_mmap2(b, PERF_RECORD_MISC_MMAP_BUILD_ID);
	bytes_u8(b, len);
	bytes_append(b, "\0\0\0", 3);
	for (uint8_t i = 0; i < 20; i++)
		bytes_u8(b, (uint8_t)(i + 1));
	build_two_u32(b, 5, 2);
	build_string(b, "/lib/y.so");
	build_trailer(b, 55);
}

static void test_mmap2_with_build_id(void **state)
{
	struct fixture *f = *state;

	build_mmap2_build_id(&f->b, 20);
	assert_int_equal(decode(f), 0);
	assert_int_equal(f->r.u.mmap.build_id_len, 20);
	assert_int_equal(f->r.u.mmap.build_id[0], 1);
	assert_int_equal(f->r.u.mmap.build_id[19], 20);
	assert_int_equal(f->r.u.mmap.ino, 0);
	assert_int_equal(f->r.u.mmap.prot, 5);
	assert_string_equal(f->r.u.mmap.path, "/lib/y.so");

	build_mmap2_build_id(&f->b, 21); /* longer than its field */
	assert_int_equal(decode(f), -1);
}

static void test_string_without_end(void **state)
{
	struct fixture *f = *state;

	/* The trailer holds zeros, but the name may not reach into it. */
	build_begin(&f->b, PERF_RECORD_COMM, 0);
	build_two_u32(&f->b, 10, 11);
	bytes_append(&f->b, "abcdefgh", 8);
	build_trailer(&f->b, 55);
	assert_int_equal(decode(f), -1);
}

static void test_comm(void **state)
{
	struct fixture *f = *state;

	build_begin(&f->b, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	build_two_u32(&f->b, 10, 11);
	build_string(&f->b, "worker");
	build_trailer(&f->b, 55);
	assert_int_equal(decode(f), 0);
	assert_trailer(f, RECORD_COMM);
	assert_string_equal(f->r.u.comm.name, "worker");
	assert_true(f->r.u.comm.is_exec);
	assert_int_equal(f->r.tid, 11);
}

static void test_fork_and_exit(void **state)
{
	static const struct {
		uint32_t type;
		enum record_kind kind;
	} rows[] = { { PERF_RECORD_FORK, RECORD_FORK }, { PERF_RECORD_EXIT, RECORD_EXIT } };
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		build_begin(&f->b, rows[i].type, 0);
		build_two_u32(&f->b, 20, 10);
		build_two_u32(&f->b, 21, 11);
		bytes_u64(&f->b, 999);
		build_trailer(&f->b, 55);
		assert_int_equal(decode(f), 0);
		assert_trailer(f, rows[i].kind);
		assert_int_equal(f->r.pid, 20);
		assert_int_equal(f->r.tid, 21);
		assert_int_equal(f->r.u.fork.parent_pid, 10);
		assert_int_equal(f->r.u.fork.parent_tid, 11);
	}
}

static void test_lost(void **state)
{
	struct fixture *f = *state;

	build_begin(&f->b, PERF_RECORD_LOST, 0);
	bytes_u64(&f->b, 55);
	bytes_u64(&f->b, 17);
	build_trailer(&f->b, 56);
	assert_int_equal(decode(f), 0);
	assert_trailer(f, RECORD_LOST); /* id 55: who lost, not who wrote the record */
	assert_int_equal(f->r.u.lost.count, 17);

	build_begin(&f->b, PERF_RECORD_LOST_SAMPLES, 0);
	bytes_u64(&f->b, 18);
	build_trailer(&f->b, 55);
	assert_int_equal(decode(f), 0);
	assert_trailer(f, RECORD_LOST_SAMPLES);
	assert_int_equal(f->r.u.lost.count, 18);
}

static void test_throttle(void **state)
{
	static const struct {
		uint32_t type;
		enum record_kind kind;
	} rows[] = { { PERF_RECORD_THROTTLE, RECORD_THROTTLE },
		     { PERF_RECORD_UNTHROTTLE, RECORD_UNTHROTTLE } };
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		build_begin(&f->b, rows[i].type, 0);
		bytes_u64(&f->b, 999);
		bytes_u64(&f->b, 55);
		bytes_u64(&f->b, 56);
		build_trailer(&f->b, 55);
		assert_int_equal(decode(f), 0);
		assert_trailer(f, rows[i].kind);
	}
}

static void test_read(void **state)
{
	struct fixture *f = *state;

	build_begin(&f->b, PERF_RECORD_READ, 0);
	build_two_u32(&f->b, 30, 31);
	bytes_u64(&f->b, 5000);
	bytes_u64(&f->b, 6000);
	bytes_u64(&f->b, 5900);
	bytes_u64(&f->b, 55);
	bytes_u64(&f->b, 0);
	build_trailer(&f->b, 55);
	assert_int_equal(decode(f), 0);
	assert_trailer(f, RECORD_READ);
	assert_int_equal(f->r.pid, 30);
	assert_int_equal(f->r.tid, 31);
	assert_int_equal(f->r.u.read.value, 5000);
	assert_int_equal(f->r.u.read.enabled_ns, 6000);
	assert_int_equal(f->r.u.read.running_ns, 5900);
}

static void test_switch(void **state)
{
	struct fixture *f = *state;

	build_begin(&f->b, PERF_RECORD_SWITCH,
		    PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
	build_trailer(&f->b, 55);
	assert_int_equal(decode(f), 0);
	assert_trailer(f, RECORD_SWITCH);
	assert_true(f->r.u.sw.out);
	assert_true(f->r.u.sw.preempted);
	assert_int_equal(f->r.pid, 7); /* from the trailer: the body names nobody */
	assert_int_equal(f->r.tid, 8);

	build_begin(&f->b, PERF_RECORD_SWITCH_CPU_WIDE, 0);
	build_two_u32(&f->b, 40, 41);
	build_trailer(&f->b, 55);
	assert_int_equal(decode(f), 0);
	assert_int_equal(f->r.kind, RECORD_SWITCH);
	assert_false(f->r.u.sw.out);
	assert_false(f->r.u.sw.preempted);
	assert_int_equal(f->r.u.sw.other_pid, 40);
	assert_int_equal(f->r.u.sw.other_tid, 41);
	assert_int_equal(f->r.tid, 8);
}

static void test_namespaces(void **state)
{
	struct fixture *f = *state;

	build_begin(&f->b, PERF_RECORD_NAMESPACES, 0);
	build_two_u32(&f->b, 10, 11);
	bytes_u64(&f->b, 7);
	for (uint64_t i = 0; i < 7; i++) {
		bytes_u64(&f->b, 100 + i);
		bytes_u64(&f->b, 200 + i);
	}
	build_trailer(&f->b, 55);
	assert_int_equal(decode(f), 0);
	assert_trailer(f, RECORD_NAMESPACES);
	assert_int_equal(f->r.u.namespaces.pid_dev, 103);
	assert_int_equal(f->r.u.namespaces.pid_ino, 203);
	assert_int_equal(f->r.u.namespaces.mnt_dev, 105);
	assert_int_equal(f->r.u.namespaces.mnt_ino, 205);

	uint64_t lie = 8; /* one more than there are */
	memcpy(f->b.data + 16, &lie, sizeof(lie));
	assert_int_equal(decode(f), -1);
}

static void test_cgroup_and_ksymbol(void **state)
{
	struct fixture *f = *state;

	build_begin(&f->b, PERF_RECORD_CGROUP, 0);
	bytes_u64(&f->b, 4711);
	build_string(&f->b, "/user.slice");
	build_trailer(&f->b, 55);
	assert_int_equal(decode(f), 0);
	assert_trailer(f, RECORD_CGROUP);
	assert_int_equal(f->r.u.cgroup.cgroup_id, 4711);
	assert_string_equal(f->r.u.cgroup.path, "/user.slice");

	build_begin(&f->b, PERF_RECORD_KSYMBOL, 0);
	bytes_u64(&f->b, 0xffffffffc0001000);
	bytes_u32(&f->b, 64);
	bytes_u16(&f->b, PERF_RECORD_KSYMBOL_TYPE_BPF);
	bytes_u16(&f->b, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
	build_string(&f->b, "bpf_prog_1");
	build_trailer(&f->b, 55);
	assert_int_equal(decode(f), 0);
	assert_trailer(f, RECORD_KSYMBOL);
	assert_int_equal(f->r.u.ksymbol.address, 0xffffffffc0001000);
	assert_int_equal(f->r.u.ksymbol.length, 64);
	assert_int_equal(f->r.u.ksymbol.type, PERF_RECORD_KSYMBOL_TYPE_BPF);
	assert_int_equal(f->r.u.ksymbol.flags, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
	assert_string_equal(f->r.u.ksymbol.name, "bpf_prog_1");
}

static void test_other_kinds(void **state)
{
	struct fixture *f = *state;

	build_begin(&f->b, PERF_RECORD_AUX, 0);
	bytes_u64(&f->b, 1);
	build_trailer(&f->b, 55);
	assert_int_equal(decode(f), 0);
	assert_trailer(f, RECORD_OTHER);

	build_begin(&f->b, 68, 0); /* FINISHED_ROUND: made by perf, has no trailer */
	build_end(&f->b);
	assert_int_equal(decode(f), 0);
	assert_int_equal(f->r.kind, RECORD_OTHER);
	assert_int_equal(f->r.time_ns, 0);
	assert_int_equal(f->r.cpu, UINT32_MAX);
}

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
	return setup_with(state, &layout);
}

static void test_full_sample(void **state)
{
	struct fixture *f = *state;
	const struct record_sample *s = &f->r.u.sample;

	build_full_sample(&f->b);
	assert_int_equal(decode(f), 0);
	assert_int_equal(f->r.kind, RECORD_SAMPLE);
	assert_int_equal(f->r.time_ns, 2000);
	assert_int_equal(record_time(f->decoder, f->b.data, f->b.len), 2000);
	assert_int_equal(f->r.pid, 10);
	assert_int_equal(f->r.tid, 11);
	assert_int_equal(f->r.cpu, 1);
	assert_int_equal(s->ip, 0x401234);
	assert_int_equal(s->addr, 0xadd4);
	assert_int_equal(s->period, 1003009);
	assert_int_equal(s->read_len, 56);
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
		assert_int_equal(decode(f), -1);
	}
	f->b.len = whole;
	build_end(&f->b);
	assert_int_equal(decode(f), 0);
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

	setup_with(state, &layout);
	f = *state;
	build_begin(&f->b, PERF_RECORD_SAMPLE, 0);
	bytes_u64(&f->b, 8);
	bytes_u64(&f->b, 0);
	bytes_u64(&f->b, 9);
	build_end(&f->b);
	assert_int_equal(decode(f), -1);

	build_begin(&f->b, PERF_RECORD_SAMPLE, 0);
	bytes_u64(&f->b, 0); /* a kernel thread: no copy, no filled size */
	build_end(&f->b);
	assert_int_equal(decode(f), 0);
	assert_int_equal(f->r.u.sample.stack_len, 0);
	assert_null(f->r.u.sample.stack);
	teardown(state);
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

	setup_with(state, &layout);
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
	teardown(state);
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

	setup_with(state, &first);
	f = *state;
	assert_int_equal(record_decoder_add_event(f->decoder, &second), 1);
	record_decoder_add_id(f->decoder, 100, 0);
	record_decoder_add_id(f->decoder, 200, 1);
	record_decoder_add_id(f->decoder, 300, 2); /* no such event: ignored */

	build_two_event_sample(&f->b, 100);
	assert_int_equal(decode(f), 0);
	assert_int_equal(f->r.event, 0);
	assert_int_equal(f->r.u.sample.ip, 0x1000);
	build_two_event_sample(&f->b, 200);
	assert_int_equal(decode(f), 0);
	assert_int_equal(f->r.event, 1);
	assert_int_equal(f->r.u.sample.addr, 0x1000);
	assert_int_equal(f->r.u.sample.ip, 0);
	build_two_event_sample(&f->b, 300);
	assert_int_equal(decode(f), -1);
	teardown(state);
}

static void test_events_by_id(void **state)
{
	struct record_layout layout = { .sample_type =
						PERF_SAMPLE_IP | PERF_SAMPLE_ID | PERF_SAMPLE_CPU,
					.sample_id_all = true };
	struct fixture *f;

	setup_with(state, &layout);
	f = *state;
	record_decoder_add_event(f->decoder, &layout);
	record_decoder_add_id(f->decoder, 200, 1);
	build_begin(&f->b, PERF_RECORD_SAMPLE, 0);
	bytes_u64(&f->b, 0x1000);
	bytes_u64(&f->b, 200);
	build_two_u32(&f->b, 1, 0);
	build_end(&f->b);
	assert_int_equal(decode(f), 0);
	assert_int_equal(f->r.event, 1);

	build_begin(&f->b, PERF_RECORD_SWITCH, 0);
	bytes_u64(&f->b, 200);
	build_two_u32(&f->b, 5, 0);
	build_end(&f->b);
	assert_int_equal(decode(f), 0);
	assert_int_equal(f->r.event, 1);
	assert_int_equal(f->r.cpu, 5);
	teardown(state);
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

int run_record_tests(void)
{
#define WITH(fn, start) cmocka_unit_test_setup_teardown(fn, start, teardown)
	const struct CMUnitTest tests[] = {
		WITH(test_mmap, setup),
		WITH(test_mmap2_with_inode, setup),
		WITH(test_mmap2_with_build_id, setup),
		WITH(test_string_without_end, setup),
		WITH(test_comm, setup),
		WITH(test_fork_and_exit, setup),
		WITH(test_lost, setup),
		WITH(test_throttle, setup),
		WITH(test_read, setup),
		WITH(test_switch, setup),
		WITH(test_namespaces, setup),
		WITH(test_cgroup_and_ksymbol, setup),
		WITH(test_other_kinds, setup),
		WITH(test_full_sample, setup_full),
		WITH(test_cut_sample, setup_full),
		WITH(test_size_must_agree, setup_full),
		cmocka_unit_test(test_stack_longer_than_asked),
		cmocka_unit_test(test_trim),
		cmocka_unit_test(test_events_by_identifier),
		cmocka_unit_test(test_events_by_id),
		cmocka_unit_test(test_no_events),
	};
	return cmocka_run_group_tests_name("event record", tests, NULL, NULL);
}
