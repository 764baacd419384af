/* The public header as a user has it: included first and alone, walking a written file. */
#include "prof/profile.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "compare.h"
#include "groups.h"
#include "sample_profile.h"

struct opened {
	struct bytes file;
	struct prof_profile *p;
};

static int open_sample(void **state)
{
	static struct opened o;
	char error[PROF_ERROR_SIZE] = "";
	struct profile p;

	memset(&o, 0, sizeof(o));
	sample_profile(&p);
	write_profile(&p, &o.file);
	profile_release(&p);
	if (prof_profile_open_memory(&o.p, o.file.data, o.file.len, error) < 0)
		return -1;
	*state = &o;
	return 0;
}

static int close_sample(void **state)
{
	struct opened *o = *state;

	prof_profile_close(o->p);
	bytes_release(&o->file);
	return 0;
}

static void test_info(void **state)
{
	const struct opened *o = *state;
	struct prof_info info;

	assert_int_equal(prof_profile_info(o->p, &info, sizeof(info)), 0);
	assert_int_equal(info.format_version, 1);
	assert_int_equal(info.complete, 1);
	assert_int_equal(info.damaged_chunks, 0);
	assert_int_equal(info.samples_due, 10);
	assert_int_equal(info.samples_lost, 1);
	assert_int_equal(info.start_ns, 1000);
	assert_string_equal(info.command, "./app 'a b'");
	assert_string_equal(info.clock, "monotonic");
	assert_string_equal(info.hostname, "host");
	assert_string_equal(info.architecture, "x86_64");
}

static void test_tables(void **state)
{
	const struct opened *o = *state;
	struct prof_event event;
	struct prof_task task;
	struct prof_module module;

	assert_int_equal(prof_profile_event_count(o->p), 2);
	assert_int_equal(prof_profile_event(o->p, 0, &event, sizeof(event)), 0);
	assert_string_equal(event.name, "task-clock");
	assert_string_equal(event.unit, "ns");
	assert_int_equal(event.frequency_hz, 997);
	assert_int_equal(event.exact_total, 123456789);
	assert_int_equal(event.counted_with, 0);
	assert_int_equal(prof_profile_event(o->p, 1, &event, sizeof(event)), 0);
	assert_int_equal(event.counted_with, 0);
	assert_int_equal(prof_profile_event(o->p, 2, &event, sizeof(event)), -1);

	assert_int_equal(prof_profile_task_count(o->p), 3);
	assert_int_equal(prof_profile_task(o->p, 1, &task, sizeof(task)), 0);
	assert_string_equal(task.comm, "app");
	assert_int_equal(task.pid, 100);
	assert_int_equal(task.start_ns, 50);
	assert_int_equal(prof_profile_task(o->p, SIZE_MAX, &task, sizeof(task)), -1);

	assert_int_equal(prof_profile_module_count(o->p), 3);
	assert_int_equal(prof_profile_module(o->p, 0, &module, sizeof(module)), 0);
	assert_string_equal(module.path, "/usr/bin/app");
	assert_string_equal(module.build_id, "0011aabb");
	assert_string_equal(module.kind, "file");
	assert_int_equal(prof_profile_module(o->p, 3, &module, sizeof(module)), -1);
}

static void test_samples(void **state)
{
	const struct opened *o = *state;
	struct prof_sample s;

	assert_int_equal(prof_profile_sample_count(o->p), 4);
	assert_int_equal(prof_profile_sample(o->p, 0, &s, sizeof(s)), 0);
	assert_int_equal(s.time_ns, 60);
	assert_int_equal(s.weight, 1000);
	assert_int_equal(s.flags, PROF_SAMPLE_WHOLE);
	assert_string_equal(s.stack_end, "whole");
	assert_int_equal(prof_profile_sample(o->p, 1, &s, sizeof(s)), 0);
	assert_int_equal(s.flags, PROF_SAMPLE_KERNEL);
	assert_int_equal(s.cpu, UINT32_MAX);
	assert_int_equal(s.event, 1);
	struct prof_count counts[2];
	assert_int_equal(prof_profile_counts(o->p, 0, counts, 2), 2);
	assert_int_equal(counts[0].event, 0);
	assert_int_equal(counts[0].value, 1000);
	assert_int_equal(counts[1].event, 1);
	assert_true(counts[1].value == UINT64_MAX);
	assert_int_equal(prof_profile_counts(o->p, 0, counts, 1), 2);
	assert_int_equal(prof_profile_counts(o->p, 1, counts, 2), 0);
	assert_int_equal(prof_profile_counts(o->p, 99, counts, 2), 0);
	assert_int_equal(prof_profile_sample(o->p, 3, &s, sizeof(s)), 0);
	assert_int_equal(s.flags, PROF_SAMPLE_SYNTHETIC);
	assert_int_equal(prof_profile_sample(o->p, 4, &s, sizeof(s)), -1);
}

static void test_frames(void **state)
{
	const struct opened *o = *state;
	struct prof_frame f[8];

	/* An unknown leaf, two functions inlined into each other, main. */
	assert_int_equal(prof_profile_frames(o->p, 0, f, 8, sizeof(f[0])), 4);
	assert_null(f[0].function);
	assert_string_equal(f[0].file, "");
	assert_int_equal(f[0].address, 0x1234);
	assert_string_equal(f[1].function, "ns::inlined(int)");
	assert_string_equal(f[1].linkage, "_ZN2ns7inlinedEi");
	assert_int_equal(f[1].inlined, 1);
	assert_string_equal(f[2].function, "main");
	assert_string_equal(f[2].linkage, "main");
	assert_int_equal(f[2].inlined, 0);
	assert_int_equal(f[2].line, 15);
	assert_int_equal(f[2].address, 0x1200);
	assert_string_equal(f[3].file, "app.c");
	assert_int_equal(f[3].line, 12);
	/* Counting needs no room; a list too short gets the innermost ones. */
	assert_int_equal(prof_profile_frames(o->p, 0, NULL, 0, sizeof(f[0])), 4);
	f[2].line = 77;
	assert_int_equal(prof_profile_frames(o->p, 0, f, 2, sizeof(f[0])), 4);
	assert_int_equal(f[2].line, 77);
	assert_int_equal(prof_profile_frames(o->p, 2, f, 8, sizeof(f[0])), 1);
	assert_int_equal(prof_profile_frames(o->p, 99, f, 8, sizeof(f[0])), 0);
}

/* Callers built against a smaller or a larger struct. */
static void test_struct_sizes(void **state)
{
	const struct opened *o = *state;

	struct {
		struct prof_sample known;
		uint64_t later;
	} larger = { .later = 5 };
	struct prof_sample s = { .weight = 77 };

	assert_int_equal(prof_profile_sample(o->p, 0, &larger.known, sizeof(larger)), 0);
	assert_int_equal(larger.known.weight, 1000);
	assert_int_equal(larger.later, 0);
	assert_int_equal(prof_profile_sample(o->p, 0, &s, sizeof(s.time_ns)), 0);
	assert_int_equal(s.time_ns, 60);
	assert_int_equal(s.weight, 77);
}

static void test_opening_files(void **state)
{
	const struct opened *o = *state;
	char path[] = "/tmp/prof-test-XXXXXX", error[PROF_ERROR_SIZE] = "";
	struct prof_profile *p;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(io_write_full(fd, o->file.data, o->file.len), 0);
	assert_int_equal(prof_profile_open(&p, path, error), 0);
	assert_int_equal(prof_profile_sample_count(p), 4);
	prof_profile_close(p);
	assert_int_equal(ftruncate(fd, 3), 0);
	assert_int_equal(prof_profile_open(&p, path, error), -1);
	assert_null(p);
	assert_non_null(strstr(error, path));
	close(fd);
	unlink(path);
	assert_int_equal(prof_profile_open(&p, path, error), -1);
	assert_non_null(strstr(error, "No such file"));
	assert_int_equal(prof_profile_open(&p, path, NULL), -1);
	assert_int_equal(prof_profile_open_memory(&p, "text", 4, error), -1);
	assert_non_null(strstr(error, "not a prof.data"));
	prof_profile_close(NULL);
}

int test_public_api_group(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_info),	     cmocka_unit_test(test_tables),
		cmocka_unit_test(test_samples),	     cmocka_unit_test(test_frames),
		cmocka_unit_test(test_struct_sizes), cmocka_unit_test(test_opening_files),
	};

	return cmocka_run_group_tests_name("public API", tests, open_sample, close_sample);
}
