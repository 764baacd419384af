#include "log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void on_row(void *ctx, const struct task_thread *t)
{
	struct log *l = ctx;

	bytes_printf(&l->text, "row %u %u/%u %s", t->id, t->pid, t->tid, t->comm);
	if (t->space)
		bytes_printf(&l->text, " s%u\n", t->space->id);
	else
		bytes_printf(&l->text, " kernel\n");
}

static void on_end(void *ctx, const struct task_thread *t, uint64_t time_ns)
{
	bytes_printf(&((struct log *)ctx)->text, "end %u @%llu\n", t->id,
		     (unsigned long long)time_ns);
}

static void on_space(void *ctx, const struct task_space *s)
{
	bytes_printf(&((struct log *)ctx)->text, "space %u %u\n", s->id, s->pid);
}

static void on_space_end(void *ctx, const struct task_space *s, uint64_t time_ns)
{
	bytes_printf(&((struct log *)ctx)->text, "space- %u @%llu\n", s->id,
		     (unsigned long long)time_ns);
}

static void print_mapping(struct bytes *out, const struct task_mapping *m)
{
	bytes_printf(out, "%llx-%llx %s+%llx", (unsigned long long)m->start,
		     (unsigned long long)m->end, m->module->path,
		     (unsigned long long)m->file_offset);
}

static void on_map(void *ctx, const struct task_space *s, const struct task_mapping *m)
{
	struct log *l = ctx;

	bytes_printf(&l->text, "map s%u ", s->id);
	print_mapping(&l->text, m);
	bytes_printf(&l->text, "\n");
}

static void on_unmap(void *ctx, const struct task_space *s, const struct task_mapping *m,
		     uint64_t time_ns)
{
	bytes_printf(&((struct log *)ctx)->text, "unmap s%u %llx-%llx @%llu\n", s->id,
		     (unsigned long long)m->start, (unsigned long long)m->end,
		     (unsigned long long)time_ns);
}

struct log *log_new(struct files *files)
{
	struct log *l = calloc(1, sizeof(*l));
	struct task_events events = { on_row, on_end,	on_space, on_space_end,
				      on_map, on_unmap, NULL,	  l };

	l->table = task_table_new(files, &events);
	task_set_inner_pidns(l->table, files && task_is_in_inner_pidns());
	return l;
}

void log_free(struct log *l)
{
	task_table_free(l->table);
	bytes_release(&l->text);
	free(l);
}

void log_expect(struct log *l, const char *expected)
{
	bytes_u8(&l->text, 0);
	assert_string_equal((const char *)l->text.data, expected);
	bytes_clear(&l->text);
}

void log_skip(struct log *l)
{
	bytes_clear(&l->text);
}

void log_map(struct log *l, uint32_t pid, uint64_t start, uint64_t end, uint64_t offset,
	     const char *path, uint64_t time_ns)
{
	struct task_map_info m = { .start = start,
				   .length = end - start,
				   .file_offset = offset,
				   .path = path,
				   .executable = true };

	task_map(l->table, pid, pid, &m, time_ns);
}

void log_expect_maps(struct log *l, uint32_t pid, uint64_t time_ns, const char *expected)
{
	const struct task_space *s = task_find(l->table, pid, pid, time_ns)->space;
	struct bytes text = { 0 };

	for (size_t i = 0; i < s->mappings.len; i++) {
		if (i > 0)
			bytes_printf(&text, ", ");
		print_mapping(&text, &s->mappings.data[i]);
	}
	bytes_u8(&text, 0);
	assert_string_equal((const char *)text.data, expected);
	bytes_release(&text);
}
