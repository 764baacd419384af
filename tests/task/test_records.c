/* Scripted records, no files: what each kind does to threads, spaces and mappings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "log.h"

static int set_up(void **state)
{
	*state = log_new(NULL);
	return 0;
}

static int tear_down(void **state)
{
	log_free(*state);
	return 0;
}

/* Process 10 "app" with /bin/app and /lib/c.so. */
static void start_app(struct log *l)
{
	task_comm(l->table, 10, 10, "app", true, 100);
	log_map(l, 10, 0x1000, 0x3000, 0x1000, "/bin/app", 101);
	log_map(l, 10, 0x8000, 0x9000, 0, "/lib/c.so", 102);
	log_skip(l);
}

static void exec_starts_a_fresh_space(void **state)
{
	struct log *l = *state;

	task_comm(l->table, 10, 10, "sh", false, 1);
	log_expect(l, "space 0 10\nrow 0 10/10  s0\nend 0 @1\nrow 1 10/10 sh s0\n");
	log_map(l, 10, 0x1000, 0x2000, 0, "/bin/sh", 2);
	log_expect(l, "map s0 1000-2000 /bin/sh+0\n");
	task_comm(l->table, 10, 10, "app", true, 3);
	log_expect(l, "space 1 10\nend 1 @3\nspace- 0 @3\nrow 2 10/10 app s1\n");
	log_map(l, 10, 0x5000, 0x6000, 0, "/bin/app", 4);
	log_expect_maps(l, 10, 5, "5000-6000 /bin/app+0");
}

static void fork_copies_and_children_go_their_own_way(void **state)
{
	struct log *l = *state;

	start_app(l);
	task_fork(l->table, 11, 11, 10, 10, 200);
	log_expect(l, "space 2 11\nmap s2 1000-3000 /bin/app+1000\nmap s2 8000-9000 /lib/c.so+0\n"
		      "row 2 11/11 app s2\n");
	assert_int_equal(task_find(l->table, 11, 11, 201)->parent_pid, 10);
	log_map(l, 11, 0x20000, 0x21000, 0, "/lib/child.so", 210);
	log_map(l, 10, 0x30000, 0x31000, 0, "/lib/parent.so", 211);
	log_expect_maps(l, 10, 212,
			"1000-3000 /bin/app+1000, 8000-9000 /lib/c.so+0, "
			"30000-31000 /lib/parent.so+0");
	log_expect_maps(l, 11, 212,
			"1000-3000 /bin/app+1000, 8000-9000 /lib/c.so+0, "
			"20000-21000 /lib/child.so+0");
	/* the same file is the same module in both */
	assert_ptr_equal(task_find(l->table, 10, 10, 212)->space->mappings.data[0].module,
			 task_find(l->table, 11, 11, 212)->space->mappings.data[0].module);
	log_skip(l);
	task_exit(l->table, 11, 11, 300);
	log_expect(l, "end 2 @300\nspace- 2 @300\n");
	assert_int_equal(task_find(l->table, 10, 10, 301)->space->users, 1);
}

/* A vfork child runs in its parent's memory until it execs; the parent's mappings survive that. */
static void vfork_child_uses_the_parents_mappings(void **state)
{
	struct log *l = *state;

	start_app(l);
	task_fork(l->table, 11, 11, 10, 10, 200);
	log_expect_maps(l, 11, 201, "1000-3000 /bin/app+1000, 8000-9000 /lib/c.so+0");
	log_skip(l);
	task_comm(l->table, 11, 11, "ls", true, 210);
	log_expect(l, "space 3 11\nend 2 @210\nspace- 2 @210\nrow 3 11/11 ls s3\n");
	log_map(l, 11, 0x1000, 0x2000, 0, "/bin/ls", 211);
	log_expect_maps(l, 11, 212, "1000-2000 /bin/ls+0");
	log_expect_maps(l, 10, 212, "1000-3000 /bin/app+1000, 8000-9000 /lib/c.so+0");
}

static void threads_share_the_space(void **state)
{
	struct log *l = *state;

	start_app(l);
	task_fork(l->table, 10, 12, 10, 10, 200);
	log_expect(l, "row 2 10/12 app s1\n");
	task_comm(l->table, 10, 12, "worker", false, 201);
	log_expect(l, "end 2 @201\nrow 3 10/12 worker s1\n");
	task_comm(l->table, 10, 12, "worker", false, 202); /* the same name again */
	log_expect(l, "");
	struct task_map_info m = {
		.start = 0x40000, .length = 0x1000, .path = "/lib/t.so", .executable = true
	};
	task_map(l->table, 10, 12, &m, 203);
	assert_non_null(task_find_mapping(task_find(l->table, 10, 10, 204)->space, 0x40fff));
	assert_ptr_equal(task_find(l->table, 10, 10, 204)->space,
			 task_find(l->table, 10, 12, 204)->space);
	assert_int_equal(task_find(l->table, 10, 12, 204)->space->users, 2);
}

static void main_thread_may_end_first(void **state)
{
	struct log *l = *state;

	start_app(l);
	task_fork(l->table, 10, 12, 10, 10, 200);
	log_skip(l);
	task_exit(l->table, 10, 10, 210);
	log_expect(l, "end 1 @210\n");
	log_map(l, 10, 0x40000, 0x41000, 0, "/lib/t.so", 211);
	task_fork(l->table, 10, 13, 10, 12, 212);
	log_expect(l, "map s1 40000-41000 /lib/t.so+0\nrow 3 10/13 app s1\n");
	task_exit(l->table, 10, 12, 220);
	task_exit(l->table, 10, 13, 221);
	log_expect(l, "end 2 @220\nend 3 @221\nspace- 1 @221\n");
}

/* The kernel gives the leader's number to the thread that execs, after the leader's end. */
static void exec_by_another_thread(void **state)
{
	struct log *l = *state;

	start_app(l);
	task_fork(l->table, 10, 12, 10, 10, 200);
	task_fork(l->table, 10, 13, 10, 10, 201);
	task_exit(l->table, 10, 13, 209);
	task_exit(l->table, 10, 10, 210);
	log_skip(l);
	task_comm(l->table, 10, 10, "next", true, 211);
	log_expect(l, "end 2 @211\nspace- 1 @211\nspace 2 10\nrow 4 10/10 next s2\n");
	task_comm(l->table, 10, 10, "again", true, 212);
	log_expect(l, "space 3 10\nend 4 @212\nspace- 2 @212\nrow 5 10/10 again s3\n");
}

static void exec_ends_the_other_threads(void **state)
{
	struct log *l = *state;

	start_app(l);
	task_fork(l->table, 10, 12, 10, 10, 200);
	log_skip(l);
	task_comm(l->table, 10, 10, "next", true, 211);
	log_expect(l, "end 2 @211\nspace 2 10\nend 1 @211\nspace- 1 @211\nrow 3 10/10 next s2\n");
}

static void pid_reuse(void **state)
{
	struct log *l = *state;

	start_app(l);
	task_fork(l->table, 10, 12, 10, 10, 150);
	task_comm(l->table, 20, 20, "init", false, 160);
	log_skip(l);
	/* its end was lost: the new process 10 begins empty of the old one's threads */
	task_fork(l->table, 10, 10, 20, 20, 200);
	log_expect(l, "end 1 @200\nend 2 @200\nspace- 1 @200\nspace 3 10\nrow 5 10/10 init s3\n");
	log_expect_maps(l, 10, 201, "");
	/* a thread's number now belongs to another process */
	task_fork(l->table, 10, 30, 10, 10, 202);
	log_skip(l);
	assert_int_equal(task_find(l->table, 31, 30, 300)->pid, 31);
	log_expect(l, "end 6 @300\nspace 4 31\nrow 7 31/30  s4\n");
}

static void an_ended_thread_is_found_for_its_last_samples(void **state)
{
	struct log *l = *state;
	const struct task_thread *t;

	start_app(l);
	task_exit(l->table, 10, 10, 1000);
	log_skip(l);
	t = task_find(l->table, 10, 10, 1500);
	assert_true(t->exited);
	assert_string_equal(t->comm, "app");
	assert_non_null(task_find_mapping(t->space, 0x1000));
	log_map(l, 10, 0x40000, 0x41000, 0, "/lib/late.so", 1600);
	log_expect(l, "");
	t = task_find(l->table, 10, 10, 2000000000);
	assert_false(t->exited);
	log_expect(l, "space 2 10\nrow 2 10/10 app s2\n");
}

static void mappings_are_cut_and_replaced(void **state)
{
	struct log *l = *state;

	task_comm(l->table, 10, 10, "app", true, 1);
	log_map(l, 10, 0x10000, 0x20000, 0x5000, "/lib/a.so", 2);
	log_skip(l);
	/* in the middle */
	log_map(l, 10, 0x14000, 0x16000, 0, "/lib/b.so", 3);
	log_expect(l, "unmap s1 10000-20000 @3\nmap s1 10000-14000 /lib/a.so+5000\n"
		      "map s1 14000-16000 /lib/b.so+0\nmap s1 16000-20000 /lib/a.so+b000\n");
	/* over the end of one and the start of another */
	log_map(l, 10, 0x15000, 0x17000, 0x1000, "/lib/c.so", 4);
	log_expect(l, "unmap s1 14000-16000 @4\nunmap s1 16000-20000 @4\n"
		      "map s1 14000-15000 /lib/b.so+0\nmap s1 15000-17000 /lib/c.so+1000\n"
		      "map s1 17000-20000 /lib/a.so+c000\n");
	/* over several */
	log_map(l, 10, 0x10000, 0x17000, 0, "/lib/d.so", 5);
	log_expect(l, "unmap s1 10000-14000 @5\nunmap s1 14000-15000 @5\nunmap s1 15000-17000 @5\n"
		      "map s1 10000-17000 /lib/d.so+0\n");
	const struct task_space *s = task_find(l->table, 10, 10, 6)->space;
	assert_null(task_find_mapping(s, 0xffff));
	assert_string_equal(task_find_mapping(s, 0x16fff)->module->path, "/lib/d.so");
	assert_string_equal(task_find_mapping(s, 0x17000)->module->path, "/lib/a.so");
	assert_null(task_find_mapping(s, 0x20000));
	/* each piece keeps its place in the file: 17000 is c000 there, as 10000 was 5000 */
	assert_int_equal(0x17000 - task_find_mapping(s, 0x17000)->bias, 0xc000);
}

/* dlclose and dlopen: no record tells of the unmapping. */
static void a_reused_address_is_the_new_library(void **state)
{
	struct log *l = *state;

	start_app(l);
	log_map(l, 10, 0x40000, 0x44000, 0, "/lib/plugin1.so", 200);
	log_map(l, 10, 0x40000, 0x42000, 0, "/lib/plugin2.so", 300);
	log_expect_maps(l, 10, 301,
			"1000-3000 /bin/app+1000, 8000-9000 /lib/c.so+0, "
			"40000-42000 /lib/plugin2.so+0, 42000-44000 /lib/plugin1.so+2000");
	/* data put there, where such records are made */
	struct task_map_info data = { .start = 0x40000, .length = 0x10000, .path = "/data" };
	task_map(l->table, 10, 10, &data, 400);
	log_expect_maps(l, 10, 401, "1000-3000 /bin/app+1000, 8000-9000 /lib/c.so+0");
}

static void the_same_mapping_again_changes_nothing(void **state)
{
	struct log *l = *state;

	start_app(l);
	uint32_t version = task_find(l->table, 10, 10, 150)->space->version;
	log_map(l, 10, 0x1000, 0x3000, 0x1000, "/bin/app", 200);
	log_map(l, 10, 0x2000, 0x3000, 0x2000, "/bin/app", 201); /* a part: mprotect */
	log_expect(l, "");
	assert_int_equal(task_find(l->table, 10, 10, 202)->space->version, version);
	log_map(l, 10, 0x2000, 0x3000, 0x9000, "/bin/app", 203); /* another part of the file */
	log_expect(l, "unmap s1 1000-3000 @203\nmap s1 1000-2000 /bin/app+1000\n"
		      "map s1 2000-3000 /bin/app+9000\n");
	assert_int_not_equal(task_find(l->table, 10, 10, 202)->space->version, version);
}

/* Read from /proc before the ring was drained: whichever is newer stays, older ones fill the gaps.
 */
static void older_news_never_replace_newer(void **state)
{
	struct log *l = *state;

	start_app(l);
	log_map(l, 10, 0x42000, 0x44000, 0, "/lib/new.so", 500);
	log_map(l, 10, 0x46000, 0x48000, 0, "/lib/new.so", 500);
	log_map(l, 10, 0x40000, 0x50000, 0, "/lib/old.so", 400);
	log_expect_maps(
		l, 10, 600,
		"1000-3000 /bin/app+1000, 8000-9000 /lib/c.so+0, 40000-42000 /lib/old.so+0, "
		"42000-44000 /lib/new.so+0, 44000-46000 /lib/old.so+4000, "
		"46000-48000 /lib/new.so+0, 48000-50000 /lib/old.so+8000");
	log_skip(l);
	log_map(l, 10, 0x42000, 0x43000, 0, "/lib/older.so", 300);
	log_expect(l, "");
}

static void kinds_of_memory_without_a_file(void **state)
{
	static const struct {
		const char *path;
		uint8_t kind;
		const char *name;
	} rows[] = {
		{ "//anon", MODULE_JIT, "[anon]" },
		{ "", MODULE_JIT, "[anon]" },
		{ "[anon:v8]", MODULE_JIT, "[anon]" },
		{ "/dev/zero (deleted)", MODULE_JIT, "[anon]" },
		{ "/SYSV00000000 (deleted)", MODULE_JIT, "[anon]" },
		{ "anon_inode:i915.gem", MODULE_JIT, "[anon]" },
		{ "[heap]", MODULE_JIT, "[anon]" },
		{ "[stack]", MODULE_JIT, "[anon]" },
		{ "[stack:123]", MODULE_JIT, "[anon]" },
		{ "[vsyscall]", MODULE_ANON, "[vsyscall]" },
		{ "[vdso]", MODULE_VDSO, "[vdso]" },
		{ "/bin/x (deleted)", MODULE_FILE, "/bin/x" },
		{ "/anonymous", MODULE_FILE, "/anonymous" },
	};
	struct log *l = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t start = 0x7f0000000000 + i * 0x10000;
		log_map(l, 10, start, start + 0x1000, 0, rows[i].path, i + 1);
		const struct task_mapping *m =
			task_find_mapping(task_find(l->table, 10, 10, 100)->space, start);
		assert_non_null(m);
		assert_int_equal(m->module->kind, rows[i].kind);
		assert_string_equal(m->module->path, rows[i].name);
		assert_int_equal(m->module->deleted, strcmp(rows[i].path, "/bin/x (deleted)") == 0);
		assert_null(m->module->image);
		bool absolute = m->module->kind == MODULE_JIT || m->module->kind == MODULE_ANON;
		assert_int_equal(m->bias, absolute ? 0 : start);
	}
	/* generated code belongs to its process; what the kernel maps is one for all */
	log_map(l, 11, 0x1000, 0x2000, 0, "//anon", 200);
	log_map(l, 11, 0x3000, 0x4000, 0, "[vsyscall]", 200);
	const struct task_space *a = task_find(l->table, 10, 10, 201)->space;
	const struct task_space *b = task_find(l->table, 11, 11, 201)->space;
	assert_ptr_not_equal(a->mappings.data[0].module, b->mappings.data[0].module);
	assert_ptr_equal(a->mappings.data[9].module, b->mappings.data[1].module);
}

static void map_with_id(struct log *l, uint32_t pid, uint64_t start, const char *path,
			const char *id, uint8_t len)
{
	struct task_map_info m = { .start = start,
				   .length = 0x1000,
				   .path = path,
				   .build_id = (const uint8_t *)id,
				   .build_id_len = len,
				   .executable = true };

	task_map(l->table, pid, pid, &m, 1);
}

static const struct task_module *module_at(struct log *l, uint32_t pid, uint64_t address)
{
	return task_find_mapping(task_find(l->table, pid, pid, 2)->space, address)->module;
}

static void modules_are_told_apart_by_build_id(void **state)
{
	struct log *l = *state;

	map_with_id(l, 10, 0x1000, "/a", "12345678901234567890", 20);
	map_with_id(l, 11, 0x1000, "/copy/of/a", "12345678901234567890", 20);
	map_with_id(l, 12, 0x1000, "/a", "0987654321", 10);
	map_with_id(l, 13, 0x1000, "/a", "0987654321\0\0\0\0\0\0\0\0\0\0", 20); /* padded */
	map_with_id(l, 14, 0x1000, "/a", "\0\0\0\0", 4);			/* none */
	map_with_id(l, 15, 0x1000, "/a", NULL, 0);
	assert_ptr_equal(module_at(l, 10, 0x1000), module_at(l, 11, 0x1000));
	assert_string_equal(module_at(l, 11, 0x1000)->path, "/a");
	assert_ptr_not_equal(module_at(l, 10, 0x1000), module_at(l, 12, 0x1000));
	assert_ptr_equal(module_at(l, 12, 0x1000), module_at(l, 13, 0x1000));
	assert_ptr_not_equal(module_at(l, 12, 0x1000), module_at(l, 14, 0x1000));
	assert_ptr_equal(module_at(l, 14, 0x1000), module_at(l, 15, 0x1000));
	assert_int_equal(module_at(l, 10, 0x1000)->identity, IDENTITY_GNU_BUILD_ID);
	assert_int_equal(module_at(l, 15, 0x1000)->identity, IDENTITY_NONE);
	assert_int_equal(task_module_count(l->table), 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(task_module_at(l->table, i)->index, i);
	/* known beforehand */
	task_hint_build_id(l->table, "/hinted", (const uint8_t *)"abcdefgh", 8);
	map_with_id(l, 16, 0x1000, "/hinted", NULL, 0);
	map_with_id(l, 17, 0x1000, "/elsewhere", "abcdefgh", 8);
	assert_ptr_equal(module_at(l, 16, 0x1000), module_at(l, 17, 0x1000));
	assert_memory_equal(module_at(l, 16, 0x1000)->build_id, "abcdefgh", 8);
	assert_int_equal(task_module_count(l->table), 4);
}

static void modules_without_build_id_by_path_and_inode(void **state)
{
	struct log *l = *state;
	struct task_map_info m = {
		.start = 0x1000, .length = 0x1000, .path = "/a", .inode = 5, .executable = true
	};

	task_map(l->table, 10, 10, &m, 1);
	task_map(l->table, 11, 11, &m, 1);
	m.inode = 6;
	task_map(l->table, 12, 12, &m, 1);
	m.dev_minor = 1;
	task_map(l->table, 13, 13, &m, 1);
	assert_ptr_equal(module_at(l, 10, 0x1000), module_at(l, 11, 0x1000));
	assert_ptr_not_equal(module_at(l, 10, 0x1000), module_at(l, 12, 0x1000));
	assert_ptr_not_equal(module_at(l, 12, 0x1000), module_at(l, 13, 0x1000));
	assert_int_equal(task_module_count(l->table), 3);
	assert_non_null(module_at(l, 10, 0x1000)->note);
}

static void kernel_threads_and_pid_zero(void **state)
{
	struct log *l = *state;

	assert_true(task_find(l->table, 0, 0, 1)->is_kernel);
	log_expect(l, "row 0 0/0 swapper kernel\n");
	task_fork(l->table, 50, 50, 0, 0, 2);
	task_comm(l->table, 50, 50, "kworker/0:1", false, 3);
	log_expect(l, "row 1 50/50 swapper kernel\nend 1 @3\nrow 2 50/50 kworker/0:1 kernel\n");
	assert_true(task_find(l->table, 50, 50, 4)->is_kernel);
	log_map(l, 50, 0x1000, 0x2000, 0, "/x", 4);
	log_expect(l, "");
	/* a helper program started by the kernel */
	task_comm(l->table, 50, 50, "modprobe", true, 5);
	log_expect(l, "space 0 50\nend 2 @5\nrow 3 50/50 modprobe s0\n");
	assert_false(task_find(l->table, 50, 50, 6)->is_kernel);
	assert_string_equal(task_kernel_module(l->table)->path, "[kernel]");
	assert_int_equal(task_kernel_module(l->table)->kind, MODULE_KERNEL);
	assert_ptr_equal(task_kernel_module(l->table), task_kernel_module(l->table));
}

/* What perf makes up for init and a child of it; nothing says that they are no kernel threads but
 * their mappings. */
static void programs_descend_from_the_kernel(void **state)
{
	struct log *l = *state;

	task_fork(l->table, 1, 1, 0, 0, 0);
	task_comm(l->table, 1, 1, "init", false, 0);
	task_fork(l->table, 1, 5, 1, 1, 0);
	task_fork(l->table, 2, 2, 0, 0, 0);
	task_comm(l->table, 2, 2, "kthreadd", false, 0);
	log_skip(l);
	log_map(l, 1, 0x1000, 0x2000, 0, "/sbin/init", 0);
	log_expect(l, "space 0 1\nend 2 @0\nrow 6 1/1 init s0\nend 3 @0\nrow 7 1/5 init s0\n"
		      "map s0 1000-2000 /sbin/init+0\n");
	task_fork(l->table, 10, 10, 1, 1, 0);
	task_comm(l->table, 10, 10, "app", false, 0);
	log_map(l, 10, 0x1000, 0x2000, 0, "/bin/app", 0);
	log_expect_maps(l, 10, 7, "1000-2000 /bin/app+0");
	log_expect_maps(l, 1, 7, "1000-2000 /sbin/init+0");
	assert_false(task_find(l->table, 1, 5, 7)->is_kernel);
	assert_true(task_find(l->table, 2, 2, 7)->is_kernel);
}

/* Records that a recorder made up (without a time) may come in any order, and after real ones. */
static void made_up_records_in_any_order(void **state)
{
	struct log *l = *state;

	log_map(l, 11, 0x1000, 0x2000, 0, "/bin/child", 0);
	task_comm(l->table, 11, 11, "child", false, 0);
	log_map(l, 10, 0x1000, 0x2000, 0, "/bin/parent", 0);
	task_comm(l->table, 10, 10, "parent", false, 0);
	log_skip(l);
	task_fork(l->table, 11, 11, 10, 10, 0);
	log_expect(l, "");
	assert_int_equal(task_find(l->table, 11, 11, 5)->parent_pid, 10);
	assert_string_equal(task_find(l->table, 11, 11, 5)->comm, "child");
	log_expect_maps(l, 11, 5, "1000-2000 /bin/child+0");
	/* real news, then what was made up of an earlier state */
	task_comm(l->table, 11, 11, "next", true, 100);
	log_map(l, 11, 0x1000, 0x3000, 0, "/bin/next", 101);
	task_fork(l->table, 11, 11, 10, 10, 0);
	task_comm(l->table, 11, 11, "child", false, 0);
	log_map(l, 11, 0x1000, 0x2000, 0, "/bin/child", 0);
	assert_string_equal(task_find(l->table, 11, 11, 105)->comm, "next");
	log_expect_maps(l, 11, 105, "1000-3000 /bin/next+0");
	/* a real fork with the same number is another process */
	task_fork(l->table, 11, 11, 10, 10, 200);
	log_expect_maps(l, 11, 201, "1000-2000 /bin/parent+0");
}

static void flags_go_to_children(void **state)
{
	struct log *l = *state;

	start_app(l);
	task_find(l->table, 10, 10, 110)->launched = true;
	task_fork(l->table, 11, 11, 10, 10, 120);
	task_fork(l->table, 11, 12, 11, 11, 121);
	task_comm(l->table, 11, 11, "other", true, 122);
	assert_true(task_find(l->table, 11, 11, 123)->launched);
	assert_int_equal(task_find(l->table, 11, 12, 123)->parent_pid, 10);
}

static void names_of_any_bytes_and_length(void **state)
{
	struct log *l = *state;
	char longer[200];

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	task_comm(l->table, 10, 10, longer, false, 1);
	assert_int_equal(strlen(task_find(l->table, 10, 10, 2)->comm), 63);
	log_skip(l);
	task_comm(l->table, 10, 10, longer, false, 2);
	log_expect(l, "");
	task_comm(l->table, 10, 10, "", false, 3);
	assert_string_equal(task_find(l->table, 10, 10, 4)->comm, "");
	task_comm(l->table, 10, 10, "\xff\n\x1b[31m", false, 5);
	assert_string_equal(task_find(l->table, 10, 10, 6)->comm, "\xff\n\x1b[31m");
}

static void nonsense_is_ignored(void **state)
{
	struct log *l = *state;
	struct task_map_info m = {
		.start = UINT64_MAX - 5, .length = 100, .path = "/a", .executable = true
	};

	task_map(l->table, 10, 10, &m, 1);
	m.length = 0;
	task_map(l->table, 10, 10, &m, 1);
	m.length = 10;
	task_map(l->table, UINT32_MAX, UINT32_MAX, &m, 1);
	task_exit(l->table, 77, 77, 1);
	task_fork(l->table, UINT32_MAX, UINT32_MAX, 10, 10, 1);
	task_comm(l->table, UINT32_MAX, UINT32_MAX, "x", true, 1);
	log_expect(l, "");
	task_fork(l->table, 10, 10, 10, 10, 2); /* its own parent */
	task_fork(l->table, 12, 12, 12, 13, 3);
	task_fork(l->table, 10, 12, 10, 12, 4);
	task_exit(l->table, 12, 10, 5); /* not that process's thread */
	assert_int_equal(task_find(l->table, 10, 10, 6)->exited, false);
	assert_int_equal(task_read_proc(l->table, 1, true, 7, NULL), -1);
}

static void count_living(void *ctx, struct task_thread *t)
{
	(void)t;
	++*(size_t *)ctx;
}

/* A long recording of short processes keeps only a bounded tail of ended ones. */
static void ended_threads_are_forgotten(void **state)
{
	struct log *l = *state;
	size_t living = 0;

	start_app(l);
	for (uint32_t i = 0; i < 50000; i++) {
		task_fork(l->table, 100 + i, 100 + i, 10, 10, 1000 + i * 10);
		task_exit(l->table, 100 + i, 100 + i, 1005 + i * 10);
		bytes_clear(&l->text);
	}
	assert_in_range(task_thread_count(l->table), 2, 1100);
	task_each_thread(l->table, count_living, &living);
	assert_int_equal(living, 1);
	assert_int_equal(task_module_count(l->table), 2);
	assert_string_equal(task_find(l->table, 50099, 50099, 501000)->comm, "app");
}

/* What a hostile file could do: forks of a process with many mappings, ends never told. */
static void memory_is_bounded(void **state)
{
	struct log *l = *state;
	size_t living = 0;

	task_comm(l->table, 1, 1, "bomb", true, 1);
	for (uint64_t i = 0; i < 4096; i++)
		log_map(l, 1, 0x100000 + i * 0x2000, 0x101000 + i * 0x2000, 0, "/x", 2);
	for (uint32_t i = 2; i < 300000; i++) {
		task_fork(l->table, i, i, 1, 1, 3);
		bytes_clear(&l->text);
	}
	task_each_thread(l->table, count_living, &living);
	assert_in_range(living, 1000, 262144);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

struct users {
	const struct task_space *space;
	uint32_t count;
};

static void count_users(void *ctx, struct task_thread *t)
{
	struct users *u = ctx;

	u->count += t->space == u->space;
}

static void check_space(void *ctx, struct task_thread *t)
{
	struct log *l = ctx;
	const struct task_space *s = t->space;
	struct users users = { s, 0 };

	assert_false(t->exited);
	assert_int_equal(t->is_kernel, s == NULL);
	if (!s)
		return;
	assert_int_equal(s->pid, t->pid);
	task_each_thread(l->table, count_users, &users);
	assert_int_equal(s->users, users.count);
	for (size_t i = 0; i < s->mappings.len; i++) {
		const struct task_mapping *m = &s->mappings.data[i];
		assert_true(m->start < m->end);
		assert_true(i == 0 || s->mappings.data[i - 1].end <= m->start);
		assert_ptr_equal(task_find_mapping(s, m->start), m);
		assert_ptr_equal(task_find_mapping(s, m->end - 1), m);
	}
}

static void random_record(struct log *l, uint32_t *seed, uint64_t time_ns)
{
	static const char *const paths[] = { "/a",     "/b",	  "//anon",
					     "[vdso]", "[stack]", "/c (deleted)" };
	uint32_t what = next_random(seed) % 10, pid = next_random(seed) % 6;
	uint32_t tid = next_random(seed) % 2 ? pid : next_random(seed) % 12;
	uint32_t other = next_random(seed) % 6;
	uint64_t start = 0x1000 * (1 + next_random(seed) % 50);

	if (what < 5) {
		struct task_map_info m = { .start = start,
					   .length = 0x1000 * (1 + next_random(seed) % 20),
					   .file_offset = 0x1000 * (next_random(seed) % 3),
					   .path = paths[next_random(seed) % 6],
					   .executable = next_random(seed) % 8 != 0,
					   .from_proc = next_random(seed) % 4 == 0 };
		task_map(l->table, pid, tid, &m, time_ns - next_random(seed) % 30);
	} else if (what < 7) {
		task_fork(l->table, pid, tid, other, other, time_ns);
	} else if (what == 7) {
		task_exit(l->table, pid, tid, time_ns);
	} else {
		task_comm(l->table, pid, tid, "name", what == 8, time_ns);
	}
}

/* Seen from an inner PID namespace all tasks outside are one, of number 0: what their records say
 * is not of one of them. */
static void tasks_of_other_pid_namespaces(void **state)
{
	struct log *l = *state;

	task_set_inner_pidns(l->table, true);
	const struct task_thread *outside = task_find(l->table, 0, 0, 1);
	assert_string_equal(outside->comm, "[other pid namespace]");
	assert_true(outside->foreign_pidns && !outside->is_kernel);
	log_skip(l);
	task_comm(l->table, 0, 0, "sh", false, 2);
	task_comm(l->table, 0, 0, "app", true, 3);
	log_map(l, 0, 0x1000, 0x3000, 0, "/bin/app", 4);
	task_fork(l->table, 0, 0, 0, 0, 5);
	task_exit(l->table, 0, 0, 6);
	log_expect(l, "");
	log_expect_maps(l, 0, 7, "");
	assert_ptr_equal(task_find(l->table, 0, 0, 7), outside);
	task_fork(l->table, 12, 12, 0, 0, 8); /* entered this one */
	assert_string_equal(task_find(l->table, 12, 12, 9)->comm, "");
	assert_false(task_find(l->table, 12, 12, 9)->foreign_pidns);
}

/* Records in no order that a kernel would give: whatever they say, the tables stay sound. */
static void any_records_leave_sound_tables(void **state)
{
	struct log *l = *state;
	uint32_t seed = 1;

	for (uint64_t i = 100; i < 20000; i++) {
		random_record(l, &seed, i);
		bytes_clear(&l->text);
		if (i % 10 == 0)
			task_each_thread(l->table, check_space, l);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(exec_starts_a_fresh_space),
		TEST(fork_copies_and_children_go_their_own_way),
		TEST(vfork_child_uses_the_parents_mappings),
		TEST(threads_share_the_space),
		TEST(main_thread_may_end_first),
		TEST(exec_by_another_thread),
		TEST(exec_ends_the_other_threads),
		TEST(pid_reuse),
		TEST(an_ended_thread_is_found_for_its_last_samples),
		TEST(mappings_are_cut_and_replaced),
		TEST(a_reused_address_is_the_new_library),
		TEST(the_same_mapping_again_changes_nothing),
		TEST(older_news_never_replace_newer),
		TEST(kinds_of_memory_without_a_file),
		TEST(modules_are_told_apart_by_build_id),
		TEST(modules_without_build_id_by_path_and_inode),
		TEST(kernel_threads_and_pid_zero),
		TEST(programs_descend_from_the_kernel),
		TEST(tasks_of_other_pid_namespaces),
		TEST(made_up_records_in_any_order),
		TEST(flags_go_to_children),
		TEST(names_of_any_bytes_and_length),
		TEST(nonsense_is_ignored),
		TEST(ended_threads_are_forgotten),
		TEST(memory_is_bounded),
		TEST(any_records_leave_sound_tables),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
