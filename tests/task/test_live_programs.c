/* Which file stands for a mapping of a living program, wherever it was run from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "live.h"

static void a_running_program(void **state)
{
	struct fixture *f = *state;
	uint8_t id[20];

	target_copy(f->program, false, 0);
	target_build_id(id);
	struct target t = start(f, RUN_PATH, ROLE_PAUSE, NULL);
	read_proc(f, t.pid);
	expect_target_function(f, &t);
	const struct task_module *m = mapping_at(f, t.pid, t.address)->module;
	assert_string_equal(m->path, f->program);
	assert_int_equal(m->identity, IDENTITY_GNU_BUILD_ID);
	assert_int_equal(m->build_id_len, 20);
	assert_memory_equal(m->build_id, id, 20);
	assert_int_equal(m->seen_pid, t.pid);
	const struct task_thread *th =
		task_find(f->log->table, (uint32_t)t.pid, (uint32_t)t.pid, clock_monotonic_ns());
	assert_string_equal(th->comm, "program");
	assert_int_equal(th->parent_pid, getpid());
	assert_true(th->from_proc && !th->foreign_pidns && !th->is_kernel);
	/* again: nothing new */
	log_skip(f->log);
	read_proc(f, t.pid);
	log_expect(f->log, "");
	target_end(&t);
	assert_int_equal(task_read_proc(f->log->table, (uint32_t)t.pid, false, 1, NULL), -1);
}

static void the_vdso(void **state)
{
	struct fixture *f = *state;

	target_copy(f->program, false, 0);
	struct target t = start(f, RUN_PATH, ROLE_PAUSE, NULL);
	read_proc(f, t.pid);
	const struct task_space *s =
		task_find(f->log->table, (uint32_t)t.pid, (uint32_t)t.pid, clock_monotonic_ns())
			->space;
	uint64_t start_of_vdso = 0;
	for (size_t i = 0; i < s->mappings.len; i++)
		if (s->mappings.data[i].module->kind == MODULE_VDSO)
			start_of_vdso = s->mappings.data[i].start;
	const struct task_mapping *vdso = mapping_at(f, t.pid, start_of_vdso);
	assert_true(symbol_in(vdso->module->image, "__vdso_clock_gettime") > 0);
	assert_int_equal(vdso->bias, vdso->start);
	assert_int_equal(vdso->module->identity, IDENTITY_GNU_BUILD_ID);
	target_end(&t);
}

static void a_replaced_program(void **state)
{
	struct fixture *f = *state;

	target_copy(f->program, true, 1);
	struct target t = start(f, RUN_PATH, ROLE_PAUSE, NULL);
	unlink(f->program);
	target_copy(f->program, true, 2);
	read_proc(f, t.pid);
	expect_target_function(f, &t);
	const struct task_module *m = mapping_at(f, t.pid, t.address)->module;
	assert_string_equal(m->path, f->program);
	assert_true(m->deleted);
	assert_int_equal(m->identity, IDENTITY_CONTENT_HASH);
	const struct elf_segment *first = elf_image_segment(m->image, 0);
	assert_int_equal(elf_image_bytes(m->image, first->vaddr, 16)[15], 1); /* the one that ran */
	target_end(&t);
}

static void a_memfd_program(void **state)
{
	struct fixture *f = *state;

	target_copy(f->program, false, 0);
	struct target t = start(f, RUN_MEMFD, ROLE_PAUSE, NULL);
	unlink(f->program);
	read_proc(f, t.pid);
	expect_target_function(f, &t);
	assert_string_equal(mapping_at(f, t.pid, t.address)->module->path, "/memfd:prog");
	target_end(&t);
}

static void generated_code_in_a_memfd(void **state)
{
	struct fixture *f = *state;

	target_copy(f->program, false, 0);
	struct target t = start(f, RUN_PATH, ROLE_JIT, NULL);
	read_proc(f, t.pid);
	const struct task_mapping *m = mapping_at(f, t.pid, t.address);
	assert_int_equal(m->module->kind, MODULE_JIT);
	assert_int_equal(m->bias, 0);
	assert_int_equal(m->module->seen_pid, t.pid);
	target_end(&t);
}

static void a_program_in_another_mount_namespace(void **state)
{
	struct fixture *f = *state;
	char inner[160];

	need_root();
	if (!target_may_own_mounts()) {
		print_message(
			"no mount namespace can be made private here (a chroot or a container?)\n");
		skip();
	}
	target_copy(f->program, false, 0);
	struct target t = start(f, RUN_IN_MOUNT_NS, ROLE_PAUSE, NULL);
	snprintf(inner, sizeof(inner), "%s.ns/inner", f->program);
	assert_int_equal(access(inner, F_OK), -1);
	read_proc(f, t.pid);
	expect_target_function(f, &t);
	assert_string_equal(mapping_at(f, t.pid, t.address)->module->path, inner);
	target_end(&t);
}

static void another_pid_namespace_is_flagged(void **state)
{
	struct fixture *f = *state;

	need_root();
	target_copy(f->program, false, 0);
	struct target t = start(f, RUN_IN_PID_NS, ROLE_PAUSE, NULL);
	read_proc(f, t.started);
	assert_false(task_find(f->log->table, (uint32_t)t.started, (uint32_t)t.started,
			       clock_monotonic_ns())
			     ->foreign_pidns);
	assert_true(task_find(f->log->table, (uint32_t)t.pid, (uint32_t)t.pid, clock_monotonic_ns())
			    ->foreign_pidns);
	expect_target_function(f, &t);
	target_end(&t);
}

int run_program_tests(void)
{
	const struct CMUnitTest tests[] = {
		LIVE_TEST(a_running_program),
		LIVE_TEST(the_vdso),
		LIVE_TEST(a_replaced_program),
		LIVE_TEST(a_memfd_program),
		LIVE_TEST(generated_code_in_a_memfd),
		LIVE_TEST(a_program_in_another_mount_namespace),
		LIVE_TEST(another_pid_namespace_is_flagged),
	};

	return cmocka_run_group_tests_name("programs", tests, NULL, NULL);
}
