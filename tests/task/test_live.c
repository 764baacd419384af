/* Living and dead processes with real files: which file stands for a mapping, and when none does.
 */
#include <elf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "log.h"
#include "target.h"

struct fixture {
	struct files *files;
	struct log *log;
	char folder[64], program[128];
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	snprintf(f->folder, sizeof(f->folder), "/tmp/prof-test-XXXXXX");
	if (!mkdtemp(f->folder) || chmod(f->folder, 0755) < 0)
		return -1;
	snprintf(f->program, sizeof(f->program), "%s/program", f->folder);
	f->files = files_direct_new();
	f->log = log_new(f->files);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	char command[128];

	log_free(f->log);
	files_free(f->files);
	snprintf(command, sizeof(command), "rm -rf '%s'", f->folder);
	int status = system(command);
	free(f);
	return status;
}

static void need_root(void)
{
	if (geteuid() != 0) {
		print_message("needs root\n");
		skip();
	}
}

static struct target start(struct fixture *f, enum target_way way, const char *role,
			   const char *argument)
{
	struct target t;

	assert_true(target_start(&t, way, f->program, role, argument));
	return t;
}

static void read_proc(struct fixture *f, pid_t pid)
{
	struct error err = { 0 };

	if (task_read_proc(f->log->table, (uint32_t)pid, true, clock_monotonic_ns(), &err) < 0)
		fail_msg("%s", err.text);
}

static const struct task_mapping *mapping_at(struct fixture *f, pid_t pid, uint64_t address)
{
	const struct task_thread *t =
		task_find(f->log->table, (uint32_t)pid, (uint32_t)pid, clock_monotonic_ns());
	const struct task_mapping *m = task_find_mapping(t->space, address);

	assert_non_null(m);
	return m;
}

struct wanted {
	const char *name;
	uint64_t address;
};

static int match_symbol(void *ctx, const struct elf_symbol *s)
{
	struct wanted *w = ctx;

	if (strcmp(s->name, w->name) == 0)
		w->address = s->address;
	return 0;
}

static uint64_t symbol_in(struct elf_image *image, const char *name)
{
	struct wanted w = { name, 0 };

	assert_non_null(image);
	assert_int_equal(elf_image_symbols(image, match_symbol, &w, NULL), 0);
	return w.address;
}

/* The mapping's module names the address as the function that is really there. */
static void expect_target_function(struct fixture *f, const struct target *t)
{
	const struct task_mapping *m = mapping_at(f, t->pid, t->address);

	assert_int_equal(m->module->kind, MODULE_FILE);
	assert_int_equal(t->address - m->bias, symbol_in(m->module->image, "target_function"));
	assert_null(m->module->note);
	assert_false(m->module->refused);
	assert_true(m->module->fd >= 0);
}

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

/* Where only the path is left to look at: the range is not one of the kernel's, so map_files has
 * nothing. */
static struct task_map_info by_path_only(const struct target *t, const char *path)
{
	struct task_map_info m = {
		.start = t->address, .length = 4 * 4096 + 4096, .path = path, .executable = true
	};

	return m;
}

static const struct task_module *map_info(struct fixture *f, const struct target *t,
					  const struct task_map_info *m)
{
	task_map(f->log->table, (uint32_t)t->pid, (uint32_t)t->pid, m, clock_monotonic_ns());
	return mapping_at(f, t->pid, m->start)->module;
}

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

/* The least that counts as an ELF file with a build ID: a header, PT_LOAD and PT_NOTE. */
static void write_tiny_elf(const char *path, uint32_t number)
{
	struct {
		Elf64_Ehdr head;
		Elf64_Phdr load, note;
		Elf64_Nhdr note_head;
		char name[4];
		uint8_t id[20];
		uint8_t code[8];
	} file;

	memset(&file, 0, sizeof(file));
	memcpy(file.head.e_ident, ELFMAG, SELFMAG);
	file.head.e_ident[EI_CLASS] = ELFCLASS64;
	file.head.e_ident[EI_DATA] = ELFDATA2LSB;
	file.head.e_ident[EI_VERSION] = EV_CURRENT;
	file.head.e_type = ET_DYN;
	file.head.e_machine = EM_X86_64;
	file.head.e_version = EV_CURRENT;
	file.head.e_ehsize = sizeof(file.head);
	file.head.e_phoff = sizeof(file.head);
	file.head.e_phentsize = sizeof(file.load);
	file.head.e_phnum = 2;
	file.load = (Elf64_Phdr){ .p_type = PT_LOAD,
				  .p_flags = PF_R | PF_X,
				  .p_vaddr = 0x5000,
				  .p_filesz = sizeof(file),
				  .p_memsz = sizeof(file) };
	file.note = (Elf64_Phdr){ .p_type = PT_NOTE,
				  .p_flags = PF_R,
				  .p_offset = offsetof(__typeof__(file), note_head),
				  .p_filesz = sizeof(file.note_head) + 24 };
	file.note_head = (Elf64_Nhdr){ 4, 20, NT_GNU_BUILD_ID };
	memcpy(file.name, "GNU", 4);
	memcpy(file.id, &number, sizeof(number));
	file.id[19] = 1;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_int_equal(write(fd, &file, sizeof(file)), sizeof(file));
	close(fd);
}

static size_t count_images(struct task_table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < task_module_count(t); i++)
		n += task_module_at(t, i)->image != NULL;
	return n;
}

static void count_close(void *ctx, struct task_module *m)
{
	assert_non_null(m->image);
	++*(size_t *)ctx;
}

#define FILES	    2100
#define MOST_IMAGES 2000

/* One process after the other maps a file of its own; the last 100 of them at once. */
static void map_many(struct fixture *f, struct task_table *t)
{
	char path[128];
	uint8_t id[20] = { 0 };

	id[19] = 1;
	for (uint32_t i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%s/%u", f->folder, i);
		write_tiny_elf(path, i);
		memcpy(id, &i, sizeof(i));
		struct task_map_info m = { .start = 0x10000,
					   .length = 0x1000,
					   .path = path,
					   .build_id = id,
					   .build_id_len = 20,
					   .executable = true };
		uint32_t pid = 0x3f000000 + i;
		task_fork(t, pid, pid, (uint32_t)getpid(), (uint32_t)getpid(), 10 * i);
		task_map(t, pid, pid, &m, 10 * i + 1);
		task_exit(t, pid, pid, 10 * i + 2);
		unlink(path);
	}
}

static void open_images_are_bounded(void **state)
{
	struct fixture *f = *state;
	size_t closed = 0;
	struct task_events events = { .module_close = count_close, .ctx = &closed };
	struct task_table *t = task_table_new(f->files, &events);

	map_many(f, t);
	assert_int_equal(task_module_count(t), FILES);
	assert_int_equal(count_images(t), MOST_IMAGES);
	assert_int_equal(closed, FILES - MOST_IMAGES);
	assert_null(task_module_at(t, 0)->image); /* the longest unused */
	assert_int_equal(task_module_at(t, 0)->fd, -1);
	assert_non_null(task_module_at(t, 0)->note);
	assert_non_null(task_module_at(t, FILES - 1)->image);
	task_table_free(t);
	/* nobody to tell: what is open stays open */
	t = task_table_new(f->files, NULL);
	map_many(f, t);
	assert_int_equal(count_images(t), MOST_IMAGES);
	assert_non_null(task_module_at(t, 0)->image);
	assert_null(task_module_at(t, FILES - 1)->image);
	assert_non_null(strstr(task_module_at(t, FILES - 1)->note, "open already"));
	task_table_free(t);
}

static void replay_opens_by_build_id_only(void **state)
{
	struct fixture *f = *state;
	uint8_t id[20];

	target_build_id(id);
	target_copy(f->program, false, 0);
	task_set_replay(f->log->table, 0);
	struct target t = { .pid = getpid(), .address = 0x10000 };
	struct task_map_info m = by_path_only(&t, f->program);
	const struct task_module *unknown = map_info(f, &t, &m);
	assert_null(unknown->image);
	assert_non_null(strstr(unknown->note, "no build ID"));
	task_hint_build_id(f->log->table, f->program, id, 20);
	m.start += 0x100000;
	const struct task_module *known = map_info(f, &t, &m);
	assert_non_null(known->image);
	assert_int_equal(known->seen_pid, 0); /* its debug files are looked for here */
	assert_string_equal(task_find(f->log->table, 1, 1, 5)->comm, "");
	assert_int_equal(task_read_proc(f->log->table, 1, false, 5, NULL), -1);
}

static void unopened_files_count_from_their_start(void **state)
{
	struct fixture *f = *state;
	struct target gone = { .pid = 0x3ffffff0, .address = 0x10000 };
	struct task_map_info m = by_path_only(&gone, "/no/such/file");

	m.file_offset = 0x3000;
	const struct task_module *none = map_info(f, &gone, &m);
	assert_null(none->image);
	assert_non_null(strstr(none->note, "/no/such/file"));
	assert_int_equal(0x10123 - mapping_at(f, gone.pid, 0x10123)->bias, 0x3123);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_running_program),
		TEST(the_vdso),
		TEST(a_replaced_program),
		TEST(a_memfd_program),
		TEST(generated_code_in_a_memfd),
		TEST(a_program_in_another_mount_namespace),
		TEST(another_pid_namespace_is_flagged),
		TEST(threads_and_children),
		TEST(kernel_threads),
		TEST(without_build_id_memory_decides),
		TEST(build_id_decides),
		TEST(a_gone_process_is_as_good_as_its_parent),
		TEST(of_a_gone_process_the_file_must_be_older),
		TEST(remapped_text),
		TEST(clone_vm_shares_mappings),
		TEST(fork_does_not),
		TEST(open_images_are_bounded),
		TEST(replay_opens_by_build_id_only),
		TEST(unopened_files_count_from_their_start),
	};

	target_play_role(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
