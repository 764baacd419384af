/* Parsing of /proc texts: kernel-made lines, odd ones, damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/io.h"
#include "files/proc_maps.h"

static struct proc_map one(const char *line)
{
	struct proc_map m = { 0 };
	size_t pos = 0;

	assert_true(proc_maps_next(line, strlen(line), &pos, &m));
	assert_int_equal(pos, strlen(line));
	return m;
}

static void assert_path(const struct proc_map *m, const char *expected)
{
	assert_int_equal(m->path_len, strlen(expected));
	assert_memory_equal(m->path, expected, m->path_len);
}

static void file_line(void **state)
{
	(void)state;
	struct proc_map m = one("7f49a9c9b000-7f49a9df1000 r-xp 00026000 fe:1a 332835"
				"                     /usr/lib/x86_64-linux-gnu/libc.so.6\n");
	assert_int_equal(m.start, 0x7f49a9c9b000);
	assert_int_equal(m.end, 0x7f49a9df1000);
	assert_int_equal(m.file_offset, 0x26000);
	assert_int_equal(m.dev_major, 0xfe);
	assert_int_equal(m.dev_minor, 0x1a);
	assert_int_equal(m.inode, 332835);
	assert_true(m.readable && !m.writable && m.executable && !m.shared && !m.deleted);
	assert_path(&m, "/usr/lib/x86_64-linux-gnu/libc.so.6");
}

static void odd_paths(void **state)
{
	(void)state;
	struct proc_map m = one("1000-2000 rw-s 00000000 00:00 0 \n");
	assert_true(m.shared && m.writable && !m.executable);
	assert_path(&m, "");
	m = one("1000-2000 r-xp 00000000 00:01 7 /memfd:prog (deleted)\n");
	assert_true(m.deleted);
	assert_path(&m, "/memfd:prog");
	m = one("1000-2000 r-xp 00000000 00:01 7    /a b  c\\012\xff x\n");
	assert_path(&m, "/a b  c\\012\xff x");
	assert_false(m.deleted);
	m = one("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0   [vsyscall]");
	assert_int_equal(m.start, 0xffffffffff600000u);
	assert_path(&m, "[vsyscall]");
	m = one("1000-2000 r-xp 0 0:0 1  (deleted)"); /* nothing before it: a path of its own */
	assert_path(&m, "(deleted)");
}

static void bad_lines_are_skipped(void **state)
{
	static const char text[] = "\nnonsense\n2000-1000 r-xp 0 0:0 1 /a\n"
				   "1000-1000 r-xp 0 0:0 1 /a\n"
				   "10000000000000000-20000000000000000 r-xp 0 0:0 1 /a\n"
				   "1000-2000 r-x\n1000-2000 r-xp 0 0:0 99999999999999999999 /a\n"
				   "1000-2000 r-xp 0 100000000:0 1 /a\n"
				   "1000-2000 r-xp 0 0:0 1 /good\n1000-2000";
	struct proc_map m;
	size_t pos = 0;

	(void)state;
	assert_true(proc_maps_next(text, sizeof(text) - 1, &pos, &m));
	assert_path(&m, "/good");
	assert_false(proc_maps_next(text, sizeof(text) - 1, &pos, &m));
	assert_int_equal(pos, sizeof(text) - 1);
	pos = 0;
	assert_false(proc_maps_next(NULL, 0, &pos, &m));
}

/* The kernel's own maps of this process: this function and a stack variable are in them. */
static void own_maps(void **state)
{
	struct bytes text = { 0 };
	struct proc_map m;
	size_t pos = 0;
	int found = 0;

	(void)state;
	assert_int_equal(io_read_file("/proc/self/maps", &text, (size_t)1 << 24, NULL), 0);
	while (proc_maps_next((const char *)text.data, text.len, &pos, &m)) {
		uint64_t code = (uint64_t)(uintptr_t)&own_maps, data = (uint64_t)(uintptr_t)&m;
		if (code >= m.start && code < m.end && m.executable && m.path[0] == '/')
			found |= 1;
		if (data >= m.start && data < m.end && m.writable && !m.executable)
			found |= 2;
	}
	assert_int_equal(found, 3);
	bytes_release(&text);
}

static struct proc_status status_of(const char *text)
{
	struct proc_status s;

	assert_true(proc_status_parse(text, strlen(text), &s));
	return s;
}

static void status_of_a_container_process(void **state)
{
	(void)state;
	struct proc_status s =
		status_of("Name:\ta\\\\b\\nc\nUmask:\t0022\nState:\tS (sleeping)\n"
			  "Tgid:\t14322\nNgid:\t0\nPid:\t14323\nPPid:\t17\n"
			  "Uid:\t1000\t1001\t1002\t1003\nGid:\t100\t101\t102\t103\n"
			  "Groups:\t4 24 27 \nNStgid:\t14322\t5\nNSpid:\t14323\t60\t5\n"
			  "Kthread:\t0\nVmSize:\t    5480 kB\n");
	assert_string_equal(s.name, "a\\b\nc");
	assert_int_equal(s.state, 'S');
	assert_int_equal(s.tgid, 14322);
	assert_int_equal(s.pid, 14323);
	assert_int_equal(s.ppid, 17);
	assert_int_equal(s.uid, 1001);
	assert_int_equal(s.gid, 101);
	assert_int_equal(s.group_count, 3);
	assert_int_equal(s.groups[2], 27);
	assert_int_equal(s.inner_pid, 5);
	assert_int_equal(s.ns_levels, 3);
	assert_false(s.is_kernel_thread);
}

static void set_uid_program_has_its_callers_rights(void **state)
{
	(void)state;
	struct proc_status s = status_of("Pid:\t9\nUid:\t1000\t0\t0\t0\nGid:\t100\t0\t0\t0\n");
	assert_int_equal(s.uid, 1000);
	assert_int_equal(s.gid, 100);
}

#define IDS "Uid:\t0\t0\t0\t0\n"

static void kernel_threads(void **state)
{
	(void)state;
	assert_true(status_of("Pid:\t9\n" IDS "Kthread:\t1\n").is_kernel_thread);
	assert_false(status_of("Pid:\t9\n" IDS "Kthread:\t0\n").is_kernel_thread);
	/* kernels that do not say it */
	assert_true(status_of("State:\tI (idle)\nPid:\t9\n" IDS).is_kernel_thread);
	assert_false(status_of("State:\tS\nPid:\t9\n" IDS "VmSize:\t1 kB\n").is_kernel_thread);
	assert_false(status_of("State:\tZ (zombie)\nPid:\t9\nPPid:\t5\n" IDS).is_kernel_thread);
	assert_true(status_of("State:\tZ (zombie)\nPid:\t9\nPPid:\t2\n" IDS).is_kernel_thread);
	assert_int_equal(status_of("Pid:\t9\n" IDS).inner_pid, 9);
	assert_int_equal(status_of("Pid:\t9\n" IDS).ns_levels, 1);
}

static void status_without_pid_or_user_is_none(void **state)
{
	static const char *const texts[] = { "Name:\tx\n" IDS, "Pid:\t9\n",
					     "Pid:\t99999999999\n" IDS, "" };
	struct proc_status s;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_false(proc_status_parse(texts[i], strlen(texts[i]), &s));
	assert_false(proc_status_parse(NULL, 0, &s));
}

static void start_ticks(void **state)
{
	static const char text[] = "77 (a) b) (c) S 1 77 77 0 -1 4194560 100 0 0 0 1 2 3 4 20 0 1 0"
				   " 987654321 5611520 200 1844";
	uint64_t ticks = 0;

	(void)state;
	assert_true(proc_stat_start_ticks(text, sizeof(text) - 1, &ticks));
	assert_int_equal(ticks, 987654321);
	assert_false(proc_stat_start_ticks("77 (a) S 1 2", 12, &ticks));
	assert_false(proc_stat_start_ticks("77 a S", 6, &ticks));
	assert_false(proc_stat_start_ticks(NULL, 0, &ticks));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_line),
		cmocka_unit_test(odd_paths),
		cmocka_unit_test(bad_lines_are_skipped),
		cmocka_unit_test(own_maps),
		cmocka_unit_test(status_of_a_container_process),
		cmocka_unit_test(set_uid_program_has_its_callers_rights),
		cmocka_unit_test(kernel_threads),
		cmocka_unit_test(status_without_pid_or_user_is_none),
		cmocka_unit_test(start_ticks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
