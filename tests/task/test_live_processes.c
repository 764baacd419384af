/* Threads, children, kernel threads, and who has which mappings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/io.h"
#include "live.h"

/* The thread sanitizer starts a thread of its own in every program. */
#ifdef __SANITIZE_THREAD__
#define RUNTIME_THREADS 1
#else
#define RUNTIME_THREADS 0
#endif

static void count(void *ctx, struct task_thread *t)
{
	(void)t;
	++*(size_t *)ctx;
}

static void threads_and_children(void **state)
{
	struct fixture *f = *state;
	size_t living = 0;

	target_copy(f->program, false, 0);
	struct target t = start(f, RUN_PATH, ROLE_THREADS, NULL);
	assert_int_equal(
		task_read_proc(f->log->table, (uint32_t)t.pid, false, clock_monotonic_ns(), NULL),
		0);
	task_each_thread(f->log->table, count, &living);
	assert_int_equal(living, 3 + RUNTIME_THREADS);
	read_proc(f, t.pid);
	living = 0;
	task_each_thread(f->log->table, count, &living);
	assert_int_equal(living, 4 + RUNTIME_THREADS);
	target_end(&t);
}

static void kernel_threads(void **state)
{
	struct fixture *f = *state;

	char comm[16] = "";
	FILE *file = fopen("/proc/2/comm", "re");

	if (file && !fgets(comm, sizeof(comm), file))
		comm[0] = '\0';
	if (file)
		fclose(file);
	if (strcmp(comm, "kthreadd\n") != 0) {
		print_message("no kernel threads are to be seen here (a container?)\n");
		skip();
	}
	assert_int_equal(task_read_proc(f->log->table, 2, false, 5, NULL), 0);
	log_expect(f->log, "row 0 2/2 kthreadd kernel\n");
	assert_true(task_find(f->log->table, 2, 2, 6)->is_kernel);
}

static bool is_mapped(struct fixture *f, pid_t pid, uint64_t address)
{
	return task_find_mapping(
		       task_find(f->log->table, (uint32_t)pid, (uint32_t)pid, clock_monotonic_ns())
			       ->space,
		       address) != NULL;
}

/* What a child maps, its parent has too when they share memory, and only then; and the other way
 * round. */
static void expect_sharing(struct fixture *f, const char *role, bool shared)
{
	char lib[128];

	snprintf(lib, sizeof(lib), "%s/lib.so", f->folder);
	target_copy(f->program, false, 0);
	target_copy(lib, false, 0);
	struct target t = start(f, RUN_PATH, role, lib);
	struct target child = { .pid = target_only_child(t.pid), .address = t.address };
	struct task_map_info m = by_path_only(&t, lib);
	m.length = 4 * 4096;
	task_comm(f->log->table, (uint32_t)t.pid, (uint32_t)t.pid, "program", true, 1);
	task_fork(f->log->table, (uint32_t)child.pid, (uint32_t)child.pid, (uint32_t)t.pid,
		  (uint32_t)t.pid, 2);
	const struct task_module *module = map_info(f, &child, &m);
	assert_int_equal(is_mapped(f, t.pid, t.address), shared);
	if (shared)
		assert_ptr_equal(mapping_at(f, t.pid, t.address)->module, module);
	struct target second = { .pid = 0x3ffffff1, .address = 0x10000 };
	task_fork(f->log->table, (uint32_t)second.pid, (uint32_t)second.pid, (uint32_t)child.pid,
		  (uint32_t)child.pid, clock_monotonic_ns());
	task_comm(f->log->table, (uint32_t)second.pid, (uint32_t)second.pid, "x", true,
		  clock_monotonic_ns());
	m.start = 0x1000; /* nobody has this one: it is below what the kernel gives out */
	map_info(f, &child, &m);
	assert_false(is_mapped(f, t.pid, m.start));
	assert_false(is_mapped(f, second.pid, m.start));
	target_end(&t);
}

static void clone_vm_shares_mappings(void **state)
{
#ifdef __SANITIZE_THREAD__
	/* Its runtime ends a child that shares memory but has no thread of the C library's. */
	(void)state;
	skip();
#else
	expect_sharing(*state, ROLE_SHARE, true);
#endif
}

static void fork_does_not(void **state)
{
	expect_sharing(*state, ROLE_FORK, false);
}

int run_process_tests(void)
{
	const struct CMUnitTest tests[] = {
		LIVE_TEST(threads_and_children),
		LIVE_TEST(kernel_threads),
		LIVE_TEST(clone_vm_shares_mappings),
		LIVE_TEST(fork_does_not),
	};

	return cmocka_run_group_tests_name("processes", tests, NULL, NULL);
}
