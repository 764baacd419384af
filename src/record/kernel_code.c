/* The kernel's own generated code, by time. */
#include "record/kernel_code.h"

#include "symbolize/code_map.h"
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX ((size_t)4 << 20) /* of memory */

struct kernel_code {
	struct rows *rows;
	struct task_table *tasks;
	struct code_map map;
	VEC(struct task_module *) generations; /* from 1 on */
	VEC(bool) told; /* their rows say in this epoch where names are from */
	uint64_t version;
};

struct kernel_code *kernel_code_new(struct rows *rows, struct task_table *tasks)
{
	struct kernel_code *k = xcalloc(1, sizeof(*k));

	k->rows = rows;
	k->tasks = tasks;
	return k;
}

void kernel_code_free(struct kernel_code *k)
{
	if (!k)
		return;
	code_map_release(&k->map);
	vec_release(&k->generations);
	vec_release(&k->told);
	free(k);
}

/* used: it may have been sampled. */
static void add(struct kernel_code *k, const struct code_source *from, bool used)
{
	struct code_entry *e = code_entry_new(from);

	if (!e)
		return;
	e->used = used;
	code_map_add(&k->map, e);
	k->version++;
	if (k->map.bytes > BYTES_MAX)
		code_map_halve(&k->map);
}

static struct code_source source(const struct kernel_code *k, uint64_t start, uint64_t size,
				 const char *name)
{
	return (struct code_source){
		.start = start,
		.size = size,
		.name = name,
		.name_len = strlen(name),
		.moment = (uint32_t)k->map.serial,
	};
}

void kernel_code_appears(struct kernel_code *k, uint64_t start, uint64_t size, const char *name)
{
	struct code_source from = source(k, start, size, name);

	add(k, &from, false);
}

bool kernel_code_ends(struct kernel_code *k, uint64_t start, uint64_t size, const char *name)
{
	const struct code_piece *piece = code_map_find(&k->map, start);
	struct code_source from = source(k, start, size, name);
	bool is_known = piece && piece->entry->start == start;

	if (!is_known)
		add(k, &from, true);
	/* Its name stays until something else is met there: the same program may come back. */
	piece = code_map_find(&k->map, start);
	if (piece)
		piece->entry->is_gone = true;
	return !is_known;
}

uint64_t kernel_code_version(const struct kernel_code *k)
{
	return k->version;
}

static struct task_module *generation(struct kernel_code *k, uint32_t n)
{
	struct task_module *base = task_kernel_module(k->tasks);

	while (k->generations.len < n) {
		uint32_t next = (uint32_t)k->generations.len + 1;
		vec_push(&k->generations, task_module_generation(k->tasks, base, next));
		vec_push(&k->told, false);
	}
	return n ? k->generations.data[n - 1] : base;
}

/* Something that the kernel does not tell of runs where code has ended. */
static const struct code_piece *leave(struct kernel_code *k, const struct code_entry *old,
				      uint64_t address)
{
	struct code_source nothing = source(k, old->start, old->end - old->start, "");

	nothing.is_gone = true;
	add(k, &nothing, false);
	return code_map_find(&k->map, address);
}

struct task_module *kernel_code_module(struct kernel_code *k, uint64_t address)
{
	const struct code_piece *piece = code_map_find(&k->map, address);

	if (piece && piece->entry->is_gone && piece->entry->name[0])
		piece = leave(k, piece->entry, address);
	return generation(k, piece ? piece->generation : 0);
}

static void tell_module(struct kernel_code *k, const struct task_module *m)
{
	struct rows_names names = { SYMBOLS_KALLSYMS, "", "", false };

	if (m->generation == 0 || m->generation > k->told.len || k->told.data[m->generation - 1])
		return;
	k->told.data[m->generation - 1] = true;
	rows_module_names(k->rows, m, &names);
}

bool kernel_code_name(struct kernel_code *k, const struct task_module *m, uint64_t address)
{
	const struct code_piece *piece = code_map_find(&k->map, address);

	if (!piece || piece->entry->is_gone)
		return false;
	struct profile_symbol_frame frame = { .name = piece->entry->name };
	piece->entry->used = true;
	tell_module(k, m);
	profile_writer_add_location(k->rows->writer, rows_module(k->rows, m), address, &frame, 1);
	return true;
}

void kernel_code_new_epoch(struct kernel_code *k)
{
	for (size_t i = 0; i < k->told.len; i++)
		k->told.data[i] = false;
}
