/* Rows of tasks, spaces, mappings and modules, written once per epoch when first needed. */
#include "record/rows.h"

#include <stdio.h>
#include <string.h>

static const char *const synthetic_names[] = {
	[ROWS_NOT_SAMPLED] = SYNTHETIC_NOT_SAMPLED,
	[ROWS_KERNEL_NOT_PERMITTED] = SYNTHETIC_KERNEL_NOT_PERMITTED,
	[ROWS_LOST] = SYNTHETIC_LOST,
	[ROWS_THROTTLED] = SYNTHETIC_THROTTLED,
	[ROWS_TRUNCATED] = SYNTHETIC_TRUNCATED,
	[ROWS_CUT_NO_CFI] = SYNTHETIC_CUT_NO_CFI,
	[ROWS_CUT_UNREADABLE] = SYNTHETIC_CUT_UNREADABLE,
	[ROWS_CUT_NO_MAPPING] = SYNTHETIC_CUT_NO_MAPPING,
	[ROWS_CUT_DEPTH] = SYNTHETIC_CUT_DEPTH,
	[ROWS_CUT_LOOP] = SYNTHETIC_CUT_LOOP,
	[ROWS_CUT_OTHER_STACK] = SYNTHETIC_CUT_OTHER_STACK,
};

void rows_new_epoch(struct rows *r)
{
	hmap_clear(&r->threads);
	hmap_clear(&r->spaces);
	hmap_clear(&r->mappings);
	vec_clear(&r->modules);
	for (size_t i = 0; i < ARRAY_LEN(r->synthetic); i++)
		r->synthetic[i] = PROFILE_NONE;
	r->unknown_module = PROFILE_NONE;
}

void rows_init(struct rows *r, struct profile_writer *w)
{
	*r = (struct rows){ .writer = w };
	rows_new_epoch(r);
}

void rows_release(struct rows *r)
{
	hmap_release(&r->threads);
	hmap_release(&r->spaces);
	hmap_release(&r->mappings);
	vec_release(&r->modules);
}

static struct profile_task thread_row(struct rows *r, const struct task_thread *t)
{
	uint32_t flags = (t->launched ? TASK_LAUNCHED : 0u) |
			 (t->foreign_pidns ? TASK_FOREIGN_PIDNS : 0u) |
			 (t->is_kernel ? TASK_KERNEL : 0u);
	return (struct profile_task){
		.pid = t->pid,
		.tid = t->tid,
		.parent_pid = t->parent_pid,
		.comm = profile_writer_add_str(r->writer, t->comm),
		.start_ns = t->start_ns,
		.space = t->space ? rows_space(r, t->space) : PROFILE_NONE,
		.flags = flags,
	};
}

uint32_t rows_thread(struct rows *r, const struct task_thread *t)
{
	uint32_t id = hmap_get(&r->threads, t->id);
	if (id != HMAP_NONE)
		return id;
	struct profile_task row = thread_row(r, t);
	id = profile_writer_add_task(r->writer, &row);
	hmap_put(&r->threads, t->id, id);
	return id;
}

void rows_thread_end(struct rows *r, const struct task_thread *t, uint64_t time_ns)
{
	uint32_t id = hmap_get(&r->threads, t->id);
	if (id == HMAP_NONE)
		return; /* nothing of this epoch refers to it */
	struct profile_task row = thread_row(r, t);
	row.end_ns = time_ns;
	profile_writer_update_task(r->writer, id, &row);
}

uint32_t rows_space(struct rows *r, const struct task_space *s)
{
	uint32_t id = hmap_get(&r->spaces, s->id);
	if (id != HMAP_NONE)
		return id;
	struct profile_space row = { .pid = s->pid, .start_ns = s->start_ns };
	id = profile_writer_add_space(r->writer, &row);
	hmap_put(&r->spaces, s->id, id);
	return id;
}

/* Hexadecimal; Go's is text, and of generated code it is the generation. */
static void build_id_text(const struct task_module *m, char *out)
{
	if (m->generation) {
		snprintf(out, 2 * sizeof(m->build_id) + 1, "%u", m->generation);
		return;
	}
	if (m->identity == IDENTITY_GO_BUILD_ID) {
		memcpy(out, m->build_id, m->build_id_len);
		out[m->build_id_len] = '\0';
		return;
	}
	for (size_t i = 0; i < m->build_id_len; i++)
		snprintf(out + 2 * i, 3, "%02x", (unsigned)m->build_id[i]);
	out[2 * (size_t)m->build_id_len] = '\0';
}

/* Memory without a file is a module of one process: its path says which, so that those of several
 * stay apart when a reader merges equal modules. */
static uint32_t module_path(struct rows *r, const struct task_module *m)
{
	char path[64];
	if (m->kind != MODULE_JIT && m->kind != MODULE_ANON)
		return profile_writer_add_str(r->writer, m->path ? m->path : "");
	snprintf(path, sizeof(path), "[anon:%d]", (int)m->seen_pid);
	return profile_writer_add_str(r->writer, path);
}

static struct profile_module module_row(struct rows *r, const struct task_module *m)
{
	char build_id[2 * sizeof(m->build_id) + 1];
	build_id_text(m, build_id);
	return (struct profile_module){
		.path = module_path(r, m),
		.build_id = profile_writer_add_str(r->writer, build_id),
		.note = profile_writer_add_str(r->writer, m->note ? m->note : ""),
		.kind = m->kind,
		.identity = m->generation ? IDENTITY_GENERATION : m->identity,
		.symbols = m->refused ? SYMBOLS_REFUSED : SYMBOLS_NONE,
		.flags = m->deleted ? MODULE_DELETED : 0,
	};
}

uint32_t rows_module(struct rows *r, const struct task_module *m)
{
	while (r->modules.len <= m->index)
		vec_push(&r->modules, PROFILE_NONE);
	uint32_t id = r->modules.data[m->index];
	if (id != PROFILE_NONE)
		return id;
	struct profile_module row = module_row(r, m);
	id = profile_writer_add_module(r->writer, &row);
	r->modules.data[m->index] = id;
	return id;
}

void rows_module_names(struct rows *r, const struct task_module *m, const struct rows_names *names)
{
	uint32_t id = rows_module(r, m);
	struct profile_module row = module_row(r, m);
	if (row.symbols != SYMBOLS_REFUSED)
		row.symbols = names->symbols;
	row.debug_path = profile_writer_add_str(r->writer, names->debug_path);
	if (names->note[0])
		row.note = profile_writer_add_str(r->writer, names->note);
	if (names->no_debug_file)
		row.flags |= MODULE_NO_DEBUG_FILE;
	profile_writer_update_module(r->writer, id, &row);
}

uint32_t rows_unknown_module(struct rows *r)
{
	if (r->unknown_module == PROFILE_NONE) {
		struct profile_module row = { .path = profile_writer_add_str(r->writer,
									     "[unmapped]"),
					      .kind = MODULE_UNKNOWN };
		r->unknown_module = profile_writer_add_module(r->writer, &row);
	}
	return r->unknown_module;
}

void rows_mapping(struct rows *r, const struct task_space *s, const struct task_mapping *m)
{
	if (hmap_get(&r->mappings, m->id) != HMAP_NONE)
		return;
	hmap_put(&r->mappings, m->id, 1);
	struct profile_mapping row = {
		.space = rows_space(r, s),
		.module = rows_module(r, m->module),
		.start = m->start,
		.length = m->end - m->start,
		.file_offset = m->file_offset,
		.from_ns = m->from_ns,
	};
	profile_writer_add_mapping(r->writer, &row);
}

uint32_t rows_synthetic(struct rows *r, enum rows_synthetic which)
{
	if (r->synthetic[which] != PROFILE_NONE)
		return r->synthetic[which];
	const char *name = synthetic_names[which];
	struct profile_module row = { .path = profile_writer_add_str(r->writer, name),
				      .kind = MODULE_SYNTHETIC,
				      .symbols = SYMBOLS_SYMTAB };
	uint32_t id = profile_writer_add_module(r->writer, &row);
	struct profile_symbol_frame frame = { .name = name };
	profile_writer_add_location(r->writer, id, 0, &frame, 1);
	r->synthetic[which] = id;
	return id;
}
