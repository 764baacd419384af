#include "live.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"

int live_set_up(void **state)
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

int live_tear_down(void **state)
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

void need_root(void)
{
	if (geteuid() != 0) {
		print_message("needs root\n");
		skip();
	}
}

struct target start(struct fixture *f, enum target_way way, const char *role, const char *argument)
{
	struct target t;

	assert_true(target_start(&t, way, f->program, role, argument));
	return t;
}

void read_proc(struct fixture *f, pid_t pid)
{
	struct error err = { 0 };

	if (task_read_proc(f->log->table, (uint32_t)pid, true, clock_monotonic_ns(), &err) < 0)
		fail_msg("%s", err.text);
}

const struct task_mapping *mapping_at(struct fixture *f, pid_t pid, uint64_t address)
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

uint64_t symbol_in(struct elf_image *image, const char *name)
{
	struct wanted w = { name, 0 };

	assert_non_null(image);
	assert_int_equal(elf_image_symbols(image, match_symbol, &w, NULL), 0);
	return w.address;
}

void expect_target_function(struct fixture *f, const struct target *t)
{
	const struct task_mapping *m = mapping_at(f, t->pid, t->address);

	assert_int_equal(m->module->kind, MODULE_FILE);
	assert_int_equal(t->address - m->bias, symbol_in(m->module->image, "target_function"));
	assert_null(m->module->note);
	assert_false(m->module->refused);
	assert_true(m->module->fd >= 0);
}

struct task_map_info by_path_only(const struct target *t, const char *path)
{
	struct task_map_info m = {
		.start = t->address, .length = 4 * 4096 + 4096, .path = path, .executable = true
	};

	return m;
}

const struct task_module *map_info(struct fixture *f, const struct target *t,
				   const struct task_map_info *m)
{
	task_map(f->log->table, (uint32_t)t->pid, (uint32_t)t->pid, m, clock_monotonic_ns());
	return mapping_at(f, t->pid, m->start)->module;
}
