/* Whether a file is the one that was mapped: by build ID, memory, age; and when none is. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "live.h"

static void without_build_id_memory_decides(void **state)
{
	struct fixture *f = *state;
	char lib[128];

	snprintf(lib, sizeof(lib), "%s/lib.so", f->folder);
	target_copy(f->program, false, 0);
	target_copy(lib, true, 1);
	struct target t = start(f, RUN_PATH, ROLE_MAP, lib);
	struct task_map_info m = by_path_only(&t, lib);
	m.length = 4 * 4096 - 1; /* pages 0 to 3, and no range of the kernel's */
	const struct task_module *same = map_info(f, &t, &m);
	assert_non_null(same->image);
	assert_int_equal(same->identity, IDENTITY_CONTENT_HASH);
	/* another file at the same path: refused, whatever its device and inode */
	unlink(lib);
	target_copy(lib, true, 2);
	m.start += 4096; /* any other mapping of that path */
	m.start -= 4096;
	m.inode = 1;
	const struct task_module *other = map_info(f, &t, &m);
	assert_ptr_not_equal(other, same);
	assert_null(other->image);
	assert_true(other->refused);
	assert_non_null(strstr(other->note, "file changed while it ran"));
	assert_int_equal(other->fd, -1);
	target_end(&t);
}

static void build_id_decides(void **state)
{
	struct fixture *f = *state;
	uint8_t id[20], wrong[20];

	target_build_id(id);
	memcpy(wrong, id, 20);
	wrong[19] ^= 1;
	target_copy(f->program, false, 0);
	struct target gone = { .pid = 0x3ffffff0, .address = 0x10000 };
	struct task_map_info m = by_path_only(&gone, f->program);
	m.build_id = wrong;
	m.build_id_len = 20;
	const struct task_module *refused = map_info(f, &gone, &m);
	assert_null(refused->image);
	assert_true(refused->refused);
	assert_memory_equal(refused->build_id, wrong, 20); /* still told apart by what ran */
	m.build_id = id;
	m.start += 0x100000;
	const struct task_module *accepted = map_info(f, &gone, &m);
	assert_non_null(accepted->image);
	/* later mappings of that ID need no file */
	unlink(f->program);
	m.start += 0x100000;
	m.path = "/gone";
	assert_ptr_equal(map_info(f, &gone, &m), accepted);
	/* a process that may open it comes later than one that may not */
	m.start += 0x100000;
	m.build_id = wrong;
	wrong[0] ^= 1;
	const struct task_module *missing = map_info(f, &gone, &m);
	assert_null(missing->image);
	assert_non_null(strstr(missing->note, "/gone"));
	assert_false(missing->refused);
}

/* In a folder for ourselves only, where nobody can say whose the gone process was. */
static void a_gone_process_is_as_good_as_its_parent(void **state)
{
	struct fixture *f = *state;
	struct target gone = { .pid = 0x3ffffff0, .address = 0x10000 };
	uint8_t id[20];

	assert_int_equal(chmod(f->folder, 0700), 0);
	target_build_id(id);
	target_copy(f->program, false, 0);
	struct task_map_info m = by_path_only(&gone, f->program);
	m.build_id = id;
	m.build_id_len = 20;
	if (geteuid() == 0)
		assert_null(map_info(f, &gone, &m)->image);
	task_fork(f->log->table, (uint32_t)gone.pid, (uint32_t)gone.pid, (uint32_t)getpid(),
		  (uint32_t)getpid(), clock_monotonic_ns());
	m.start += 0x100000;
	assert_non_null(map_info(f, &gone, &m)->image);
}

static void of_a_gone_process_the_file_must_be_older(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	target_copy(f->program, true, 1);
	assert_int_equal(stat(f->program, &st), 0);
	struct target gone = { .pid = 0x3ffffff0, .address = 0x10000 };
	struct task_map_info m = by_path_only(&gone, f->program);
	m.dev_major = major(st.st_dev);
	m.dev_minor = minor(st.st_dev);
	m.inode = st.st_ino + 1;
	assert_null(map_info(f, &gone, &m)->image);
	m.start += 0x100000;
	m.inode = st.st_ino;
	m.file_offset = (uint64_t)st.st_size + 4096;
	assert_null(map_info(f, &gone, &m)->image);
	m.start += 0x100000;
	m.file_offset = 0;
	const struct task_module *good = map_info(f, &gone, &m);
	assert_non_null(good->image);
	/* changed after the mapping */
	struct timespec later[2] = { { 0, UTIME_NOW }, { time(NULL) + 100, 0 } };
	assert_int_equal(utimensat(AT_FDCWD, f->program, later, 0), 0);
	m.start += 0x100000;
	const struct task_module *changed = map_info(f, &gone, &m);
	assert_null(changed->image);
	assert_true(changed->refused);
}

/* Text moved to huge pages keeps its names where the bytes are the file's. */
static void remapped_text(void **state)
{
	struct fixture *f = *state;
	char lib[128];

	snprintf(lib, sizeof(lib), "%s/lib.so", f->folder);
	target_copy(f->program, false, 0);
	target_copy(lib, false, 1);
	struct target t = start(f, RUN_PATH, ROLE_REMAP, lib);
	uint8_t id[20];
	target_build_id(id);
	struct task_map_info m = by_path_only(&t, lib);
	m.length = 4 * 4096;
	m.build_id = id;
	m.build_id_len = 20;
	const struct task_module *file = map_info(f, &t, &m);
	assert_non_null(file->image);
	struct task_map_info anon = {
		.start = t.address + 4096, .length = 4096, .path = "//anon", .executable = true
	};
	assert_ptr_equal(map_info(f, &t, &anon), file);
	anon.start += 4096;
	assert_int_equal(map_info(f, &t, &anon)->kind, MODULE_JIT);
	assert_ptr_equal(mapping_at(f, t.pid, t.address)->module, file);
	assert_ptr_equal(mapping_at(f, t.pid, t.address + 3 * 4096)->module, file);
	target_end(&t);
	/* nobody to ask: not guessed */
	anon.start = t.address;
	assert_int_equal(map_info(f, &t, &anon)->kind, MODULE_JIT);
}

int run_identity_tests(void)
{
	const struct CMUnitTest tests[] = {
		LIVE_TEST(without_build_id_memory_decides),
		LIVE_TEST(build_id_decides),
		LIVE_TEST(a_gone_process_is_as_good_as_its_parent),
		LIVE_TEST(of_a_gone_process_the_file_must_be_older),
		LIVE_TEST(remapped_text),
	};

	return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
