/* The decoder on records written by hand: every kind, every field's place, and cut or lying
 * records. */
#include <linux/perf_event.h>
#include <string.h>

#include "base/memory.h"
#include "event/record.h"
#include "record_build.h"
#include "tests.h"

static int setup(void **state)
{
	struct record_layout layout = {
		.sample_type = TRAILER_TYPE | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			       PERF_FORMAT_ID | PERF_FORMAT_LOST,
		.sample_id_all = true,
	};
	fixture_open(state, &layout);
	return 0;
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
	assert_int_equal(fixture_decode(f), 0);
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
	assert_int_equal(fixture_decode(f), 0);
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
		bytes_u8(b, i < len ? (uint8_t)(i + 1) : 0);
	build_two_u32(b, 5, 2);
	build_string(b, "/lib/y.so");
	build_trailer(b, 55);
}

static void test_mmap2_with_build_id(void **state)
{
	struct fixture *f = *state;

	build_mmap2_build_id(&f->b, 20);
	assert_int_equal(fixture_decode(f), 0);
	assert_int_equal(f->r.u.mmap.build_id_len, 20);
	assert_int_equal(f->r.u.mmap.build_id[0], 1);
	assert_int_equal(f->r.u.mmap.build_id[19], 20);
	assert_int_equal(f->r.u.mmap.ino, 0);
	assert_int_equal(f->r.u.mmap.prot, 5);
	assert_string_equal(f->r.u.mmap.path, "/lib/y.so");

	build_mmap2_build_id(&f->b, 8);
	assert_int_equal(fixture_decode(f), 0);
	assert_int_equal(f->r.u.mmap.build_id_len, 8);
	assert_int_equal(f->r.u.mmap.build_id[7], 8);
	assert_string_equal(f->r.u.mmap.path, "/lib/y.so");
}

/* The flag is set, but what follows is what stands there without it. */
static void test_mmap2_with_inode_and_wrong_flag(void **state)
{
	static const uint32_t majors[] = { 254, 8, 0 };
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_LEN(majors); i++) {
		begin_mmap2(&f->b, PERF_RECORD_MISC_MMAP_BUILD_ID);
		build_two_u32(&f->b, majors[i], 1);
		bytes_u64(&f->b, 123456);
		bytes_u64(&f->b, 3636557113);
		build_two_u32(&f->b, 5, 2);
		build_string(&f->b, "/lib/y.so");
		build_trailer(&f->b, 55);
		assert_int_equal(fixture_decode(f), 0);
		assert_int_equal(f->r.u.mmap.build_id_len, 0);
		assert_int_equal(f->r.u.mmap.maj, majors[i]);
		assert_int_equal(f->r.u.mmap.ino, 123456);
		assert_int_equal(f->r.u.mmap.ino_generation, 3636557113);
		assert_int_equal(f->r.u.mmap.prot, 5);
		assert_string_equal(f->r.u.mmap.path, "/lib/y.so");
	}
}

static void test_string_without_end(void **state)
{
	struct fixture *f = *state;

	/* The trailer holds zeros, but the name may not reach into it. */
	build_begin(&f->b, PERF_RECORD_COMM, 0);
	build_two_u32(&f->b, 10, 11);
	bytes_append(&f->b, "abcdefgh", 8);
	build_trailer(&f->b, 55);
	assert_int_equal(fixture_decode(f), -1);
}

static void test_comm(void **state)
{
	struct fixture *f = *state;

	build_begin(&f->b, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	build_two_u32(&f->b, 10, 11);
	build_string(&f->b, "worker");
	build_trailer(&f->b, 55);
	assert_int_equal(fixture_decode(f), 0);
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
		assert_int_equal(fixture_decode(f), 0);
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
	assert_int_equal(fixture_decode(f), 0);
	assert_trailer(f, RECORD_LOST); /* id 55: who lost, not who wrote the record */
	assert_int_equal(f->r.u.lost.count, 17);

	build_begin(&f->b, PERF_RECORD_LOST_SAMPLES, 0);
	bytes_u64(&f->b, 18);
	build_trailer(&f->b, 55);
	assert_int_equal(fixture_decode(f), 0);
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
		assert_int_equal(fixture_decode(f), 0);
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
	assert_int_equal(fixture_decode(f), 0);
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
	assert_int_equal(fixture_decode(f), 0);
	assert_trailer(f, RECORD_SWITCH);
	assert_true(f->r.u.sw.out);
	assert_true(f->r.u.sw.preempted);
	assert_int_equal(f->r.pid, 7); /* from the trailer: the body names nobody */
	assert_int_equal(f->r.tid, 8);

	build_begin(&f->b, PERF_RECORD_SWITCH_CPU_WIDE, 0);
	build_two_u32(&f->b, 40, 41);
	build_trailer(&f->b, 55);
	assert_int_equal(fixture_decode(f), 0);
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
	assert_int_equal(fixture_decode(f), 0);
	assert_trailer(f, RECORD_NAMESPACES);
	assert_int_equal(f->r.u.namespaces.pid_dev, 103);
	assert_int_equal(f->r.u.namespaces.pid_ino, 203);
	assert_int_equal(f->r.u.namespaces.mnt_dev, 105);
	assert_int_equal(f->r.u.namespaces.mnt_ino, 205);

	uint64_t lie = 8; /* one more than there are */
	memcpy(f->b.data + 16, &lie, sizeof(lie));
	assert_int_equal(fixture_decode(f), -1);
}

static void test_cgroup_and_ksymbol(void **state)
{
	struct fixture *f = *state;

	build_begin(&f->b, PERF_RECORD_CGROUP, 0);
	bytes_u64(&f->b, 4711);
	build_string(&f->b, "/user.slice");
	build_trailer(&f->b, 55);
	assert_int_equal(fixture_decode(f), 0);
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
	assert_int_equal(fixture_decode(f), 0);
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
	assert_int_equal(fixture_decode(f), 0);
	assert_trailer(f, RECORD_OTHER);

	build_begin(&f->b, 68, 0); /* FINISHED_ROUND: made by perf, has no trailer */
	build_end(&f->b);
	assert_int_equal(fixture_decode(f), 0);
	assert_int_equal(f->r.kind, RECORD_OTHER);
	assert_int_equal(f->r.time_ns, 0);
	assert_int_equal(f->r.cpu, UINT32_MAX);
}

int run_record_tests(void)
{
#define WITH(fn, start) cmocka_unit_test_setup_teardown(fn, start, fixture_close)
	const struct CMUnitTest tests[] = {
		WITH(test_mmap, setup),
		WITH(test_mmap2_with_inode, setup),
		WITH(test_mmap2_with_build_id, setup),
		WITH(test_mmap2_with_inode_and_wrong_flag, setup),
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
	};
	return cmocka_run_group_tests_name("event record", tests, NULL, NULL);
}
