/* How many files are open at once, and what stands for those that are not. */
#include <elf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "live.h"

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

int run_image_tests(void)
{
	const struct CMUnitTest tests[] = {
		LIVE_TEST(open_images_are_bounded),
		LIVE_TEST(replay_opens_by_build_id_only),
		LIVE_TEST(unopened_files_count_from_their_start),
	};

	return cmocka_run_group_tests_name("images", tests, NULL, NULL);
}
