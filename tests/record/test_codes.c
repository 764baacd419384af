/* Generated code of processes: what is named when, and memory within bounds however much is
 * written. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "profile/reader.h"
#include "record/codes.h"

#define PEAK_MAX_KB (200L << 10)
#define PROCESSES   3
#define MANY_LINES  1200000u

/* A sanitizer's own memory is no fault of ours. */
#ifdef __has_feature
#define IS_CHECKED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_CHECKED 1
#else
#define IS_CHECKED 0
#endif

struct fixture {
	int fd;
	struct files *files;
	struct task_table *tasks;
	struct profile_writer *writer;
	struct rows rows;
	struct codes *codes;
	struct profile profile;
};

static void on_mapping(void *ctx, const struct task_space *s, const struct task_mapping *m)
{
	codes_mapping(((struct fixture *)ctx)->codes, s, m);
}

static void start(struct fixture *f)
{
	struct task_events events = { .mapping_start = on_mapping, .ctx = f };

	memset(f, 0, sizeof(*f));
	f->fd = memfd_create("codes", MFD_CLOEXEC);
	struct profile_writer_options options = { .fd = f->fd };
	assert_int_equal(profile_writer_new(&f->writer, &options, NULL), 0);
	rows_init(&f->rows, f->writer);
	f->files = files_direct_new();
	f->tasks = task_table_new(f->files, &events);
	struct codes_config config = { f->files, &f->rows, f->tasks, false, false };
	f->codes = codes_new(&config);
}

/* Ends the recording; f->profile is what a reader sees. */
static void finish(struct fixture *f)
{
	struct profile_read_report report;

	codes_finish(f->codes);
	assert_int_equal(profile_writer_finish(f->writer, NULL), 0);
	assert_int_equal(lseek(f->fd, 0, SEEK_SET), 0);
	profile_init(&f->profile);
	assert_int_equal(profile_read_fd(&f->profile, f->fd, "codes", &report, NULL), 0);
	profile_index(&f->profile);
	task_table_free(f->tasks);
	codes_free(f->codes);
	rows_release(&f->rows);
	profile_writer_free(f->writer);
	files_free(f->files);
	close(f->fd);
}

/* The memory of a process that generates code. */
static struct task_module *map_memory(struct fixture *f, pid_t pid)
{
	struct task_map_info info = {
		.start = 0x1000, .length = 0x7000000, .path = "//anon", .executable = true
	};

	task_map(f->tasks, (uint32_t)pid, (uint32_t)pid, &info, 0);
	const struct task_thread *t = task_find(f->tasks, (uint32_t)pid, (uint32_t)pid, 1);
	const struct task_mapping *m = task_find_mapping(t->space, 0x1000);
	assert_non_null(m);
	assert_true(codes_has(f->codes, m->module));
	return m->module;
}

static struct task_module *sample(struct fixture *f, struct task_module *base, uint64_t address)
{
	struct task_module *m = codes_module(f->codes, base, address);

	rows_module(&f->rows, m);
	codes_note(f->codes, m, address);
	return m;
}

static void map_path(char *path, size_t size, pid_t pid)
{
	snprintf(path, size, "/tmp/perf-%d.map", (int)pid);
}

static void append(pid_t pid, const char *mode, const char *text)
{
	char path[64];

	map_path(path, sizeof(path), pid);
	FILE *f = fopen(path, mode);
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void remove_map(pid_t pid)
{
	char path[64];

	map_path(path, sizeof(path), pid);
	unlink(path);
}

static const struct profile_module *module_of(const struct profile *p, pid_t pid,
					      const char *generation, uint32_t *index)
{
	char path[64];

	snprintf(path, sizeof(path), "[anon:%d]", (int)pid);
	for (uint32_t i = 0; i < p->modules.len; i++) {
		const struct profile_module *m = &p->modules.data[i];
		if (strcmp(profile_str(p, m->path), path) == 0 &&
		    strcmp(profile_str(p, m->build_id), generation) == 0) {
			*index = i;
			return m;
		}
	}
	fail_msg("no module %s, generation \"%s\"", path, generation);
	return NULL;
}

static const char *name_of(const struct profile *p, pid_t pid, const char *generation,
			   uint64_t address)
{
	uint32_t module = 0;

	module_of(p, pid, generation, &module);
	uint32_t location = profile_find_location(p, module, address);
	if (location == PROFILE_NONE || p->locations.data[location].frame_count == 0)
		return "";
	const struct profile_frame *frame =
		&p->frames.data[p->locations.data[location].first_frame];
	return profile_str(p, p->functions.data[frame->function].name);
}

static void test_names_by_time(void **state)
{
	struct fixture f;
	pid_t pid = getpid();
	uint64_t now = clock_monotonic_ns();
	uint32_t index = 0;

	(void)state;
	remove_map(pid);
	append(pid, "w", "1000 20 old\n2000 20 same\n4000 20 _ZN4work3runEi\n");
	start(&f);
	struct task_module *base = map_memory(&f, pid);
	codes_look(f.codes, now);
	codes_advance(f.codes, now);
	assert_ptr_equal(sample(&f, base, 0x1000), base);
	assert_ptr_equal(sample(&f, base, 0x2000), base);
	assert_ptr_equal(sample(&f, base, 0x3000), base); /* not named yet */
	assert_ptr_equal(sample(&f, base, 0x4000), base);
	append(pid, "a", "1000 20 new\n2000 20 same\n3000 20 late\n");
	codes_look(f.codes, clock_monotonic_ns());
	/* Records from before are still to come. */
	codes_advance(f.codes, now);
	assert_ptr_equal(codes_module(f.codes, base, 0x1000), base);
	codes_advance(f.codes, UINT64_MAX);
	struct task_module *next = sample(&f, base, 0x1004);
	assert_ptr_not_equal(next, base);
	assert_int_equal(next->generation, 1);
	assert_true(codes_has(f.codes, next));
	assert_ptr_equal(codes_module(f.codes, base, 0x2000), base);
	finish(&f);
	assert_string_equal(name_of(&f.profile, pid, "", 0x1000), "old");
	assert_string_equal(name_of(&f.profile, pid, "1", 0x1004), "new");
	assert_string_equal(name_of(&f.profile, pid, "", 0x2000), "same");
	assert_string_equal(name_of(&f.profile, pid, "", 0x3000), "late");
	assert_string_equal(name_of(&f.profile, pid, "", 0x4000), "work::run(int)");
	const struct profile_module *m = module_of(&f.profile, pid, "1", &index);
	assert_int_equal(m->identity, IDENTITY_GENERATION);
	assert_int_equal(m->symbols, SYMBOLS_MAP_FILE);
	profile_release(&f.profile);
	remove_map(pid);
}

/* Its perf map is read to its end and closed; the last look opens it again. */
static void test_map_of_an_ended_process_is_read_once(void **state)
{
	struct fixture f;
	pid_t pid = getpid();

	(void)state;
	remove_map(pid);
	append(pid, "w", "1000 20 old\n2000 20 same\n1000 20 new\n");
	start(&f);
	struct task_module *base = map_memory(&f, pid);
	codes_look(f.codes, clock_monotonic_ns());
	codes_advance(f.codes, UINT64_MAX);
	assert_ptr_equal(sample(&f, base, 0x1000), base);
	assert_ptr_equal(sample(&f, base, 0x3000), base);
	const struct task_thread *t = task_find(f.tasks, (uint32_t)pid, (uint32_t)pid, 1);
	codes_space_end(f.codes, t->space);
	codes_look(f.codes, clock_monotonic_ns());
	append(pid, "a", "3000 20 late\n");
	codes_finish(f.codes);
	/* Read again, "old" would have taken the place of "new", which was seen. */
	assert_ptr_equal(codes_module(f.codes, base, 0x1000), base);
	finish(&f);
	assert_string_equal(name_of(&f.profile, pid, "", 0x1000), "new");
	assert_string_equal(name_of(&f.profile, pid, "", 0x3000), "late");
	profile_release(&f.profile);
	remove_map(pid);
}

static void test_nothing_found_is_said(void **state)
{
	struct fixture f;
	pid_t pid = getpid();
	uint32_t index = 0;

	(void)state;
	remove_map(pid);
	start(&f);
	sample(&f, map_memory(&f, pid), 0x1000);
	codes_look(f.codes, clock_monotonic_ns());
	finish(&f);
	const struct profile_module *m = module_of(&f.profile, pid, "", &index);
	assert_int_equal(m->symbols, SYMBOLS_MISSING);
	assert_non_null(strstr(profile_str(&f.profile, m->note), "no perf map"));
	profile_release(&f.profile);
}

static pid_t start_child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		pause();
		_exit(0);
	}
	assert_true(pid > 0);
	return pid;
}

static void write_many(pid_t pid)
{
	char path[64];

	map_path(path, sizeof(path), pid);
	unlink(path);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	for (unsigned i = 0; i < MANY_LINES; i++)
		fprintf(f, "%x 8 f%u\n", 0x1000 + i * 16, i);
	fclose(f);
}

/* In a process of its own, whose peak the kernel tells. 0: as it should be. */
static int follow_many(const pid_t *pids)
{
	struct fixture f;
	struct task_module *base[PROCESSES];
	uint64_t last = 0x1000 + (uint64_t)(MANY_LINES - 1) * 16;
	struct rusage usage;
	uint32_t index = 0;

	start(&f);
	for (int i = 0; i < PROCESSES; i++)
		base[i] = map_memory(&f, pids[i]);
	for (int i = 0; i < PROCESSES; i++)
		sample(&f, base[i], last);
	finish(&f);
	for (int i = 0; i < PROCESSES; i++) {
		const struct profile_module *m = module_of(&f.profile, pids[i], "", &index);
		char name[32];
		snprintf(name, sizeof(name), "f%u", MANY_LINES - 1);
		if (strcmp(name_of(&f.profile, pids[i], "", last), name) != 0)
			return 2;
		if (!strstr(profile_str(&f.profile, m->note), "too large"))
			return 3;
	}
	profile_release(&f.profile);
	getrusage(RUSAGE_SELF, &usage);
	if (usage.ru_maxrss > PEAK_MAX_KB)
		fprintf(stderr, "peak %ld kB\n", usage.ru_maxrss);
	return usage.ru_maxrss > PEAK_MAX_KB && !IS_CHECKED ? 4 : 0;
}

static void test_bounded_over_all_processes(void **state)
{
	pid_t pids[PROCESSES];
	int status;

	(void)state;
	for (int i = 0; i < PROCESSES; i++) {
		pids[i] = start_child();
		write_many(pids[i]);
	}
	pid_t pid = fork();
	if (pid == 0)
		_exit(follow_many(pids));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	for (int i = 0; i < PROCESSES; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
		remove_map(pids[i]);
	}
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_by_time),
		cmocka_unit_test(test_map_of_an_ended_process_is_read_once),
		cmocka_unit_test(test_nothing_found_is_said),
		cmocka_unit_test(test_bounded_over_all_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
