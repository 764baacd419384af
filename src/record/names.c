/* Addresses that want names, names that come back, and code around what is hot. */
#include "record/names.h"

#include "base/hash.h"
#include "base/progress.h"
#include "record/names_thread.h"
#include "record/verbose.h"
#include <stdlib.h>
#include <string.h>

#define HOT_HITS	  2   /* of an address: the code around it is worth a copy */
#define EXCERPT_ADDRESSES 400 /* hottest addresses of the recording */

struct module_addresses {
	struct hmap noted; /* address → how often it was a leaf, + 1 */
	VEC(uint64_t) pending;
	const struct task_module *module;
	bool damage_said, named;
};

struct names {
	struct rows *rows;
	struct codes *codes;
	struct kernel_code *kernel_code;
	struct namer *namer;
	VEC(struct module_addresses) modules; /* by task_module.index */
	VEC(char *) damages;		      /* to be said; the first damages_told were */
	size_t damages_told;
};

struct names *names_new(struct files *files, struct rows *rows, struct codes *codes,
			struct kernel_code *kernel_code, bool imported)
{
	struct names *n = xcalloc(1, sizeof(*n));
	n->rows = rows;
	n->codes = codes;
	n->kernel_code = kernel_code;
	n->namer = namer_new(files, imported);
	return n;
}

static void module_addresses_release(struct module_addresses *m)
{
	hmap_release(&m->noted);
	vec_release(&m->pending);
}

void names_free(struct names *n)
{
	if (!n || namer_gave_up(n->namer))
		return;
	namer_free(n->namer);
	for (size_t i = 0; i < n->modules.len; i++)
		module_addresses_release(&n->modules.data[i]);
	vec_release(&n->modules);
	for (size_t i = 0; i < n->damages.len; i++)
		free(n->damages.data[i]);
	vec_release(&n->damages);
	free(n);
}

/* Names are looked up later, when the process may be gone. */
static void look_at_process(struct names *n, const struct task_module *m)
{
	if (!namer_works(n->namer) || m->kind != MODULE_FILE || m->seen_pid <= 0)
		return;
	struct batch *b = batch_new_plain(BATCH_LOOK);
	b->path = xstrdup(m->path ? m->path : "");
	b->module.pid = m->seen_pid;
	namer_submit(n->namer, b);
}

static struct module_addresses *addresses_of(struct names *n, const struct task_module *m)
{
	while (n->modules.len <= m->index)
		vec_push(&n->modules, (struct module_addresses){ 0 });
	struct module_addresses *a = &n->modules.data[m->index];
	if (!a->module)
		look_at_process(n, m);
	a->module = m;
	return a;
}

void names_kernel_code_ended(struct names *n, const struct task_module *m, uint64_t start,
			     uint64_t size, const char *name)
{
	struct module_addresses *a = addresses_of(n, m);
	struct profile_symbol_frame frame = { .name = name };
	size_t kept = 0;

	for (size_t i = 0; i < a->pending.len; i++) {
		uint64_t address = a->pending.data[i];
		if (address - start >= size)
			a->pending.data[kept++] = address;
		else
			profile_writer_add_location(n->rows->writer, rows_module(n->rows, m),
						    address, &frame, 1);
	}
	a->pending.len = kept;
}

/* An address that was not noted before. */
static void want_name(struct names *n, struct module_addresses *a, uint64_t address)
{
	if (n->kernel_code && a->module->kind == MODULE_KERNEL &&
	    kernel_code_name(n->kernel_code, a->module, address))
		return;
	if (n->codes && codes_has(n->codes, a->module))
		codes_note(n->codes, a->module, address);
	else
		vec_push(&a->pending, address);
}

void names_note(struct names *n, const struct task_module *m, uint64_t address)
{
	struct module_addresses *a = addresses_of(n, m);
	if (hmap_get(&a->noted, address) != HMAP_NONE)
		return;
	hmap_put(&a->noted, address, 1);
	want_name(n, a, address);
}

void names_hit(struct names *n, const struct task_module *m, uint64_t address)
{
	struct module_addresses *a = addresses_of(n, m);
	uint32_t hits = hmap_get(&a->noted, address);
	if (hits == HMAP_NONE) {
		want_name(n, a, address);
		hits = 1;
	}
	if (hits < HMAP_NONE - 1)
		hmap_put(&a->noted, address, hits + 1);
	/* Again and again: other code may stand there meanwhile. What was copied is not copied
	 * twice. */
	if (hits % HOT_HITS == 0 && n->codes && codes_has(n->codes, m))
		codes_want_code(n->codes, m, address);
}

static int compare_addresses(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
	return (a > b) - (a < b);
}

static struct batch *names_batch(struct module_addresses *a)
{
	struct batch *b = batch_new(a->module, BATCH_NAMES);
	vec_reserve(&b->addresses, a->pending.len);
	memcpy(b->addresses.data, a->pending.data, a->pending.len * sizeof(uint64_t));
	b->addresses.len = a->pending.len;
	vec_clear(&a->pending);
	qsort(b->addresses.data, b->addresses.len, sizeof(uint64_t), compare_addresses);
	return b;
}

static void submit_if(struct names *n, bool kernel)
{
	for (size_t i = 0; i < n->modules.len; i++) {
		struct module_addresses *a = &n->modules.data[i];
		if (a->pending.len && (a->module->kind == MODULE_KERNEL) == kernel)
			namer_submit(n->namer, names_batch(a));
	}
}

/* The kernel first: making its table takes much memory, all of which is given back, and files keep
 * what was read of them. */
void names_submit(struct names *n)
{
	if (n->codes)
		codes_submit(n->codes);
	if (!namer_works(n->namer))
		return;
	submit_if(n, true);
	submit_if(n, false);
}

static void write_excerpts(struct names *n, struct task_table *tasks, const struct batch *b)
{
	const struct excerpts *e = &b->excerpts;
	uint32_t row = rows_module(n->rows, task_module_at(tasks, b->module.key));
	for (size_t i = 0; i < e->code.len; i++) {
		const struct excerpt_code *c = &e->code.data[i];
		profile_writer_add_code(n->rows->writer, row, c->address, e->bytes.data + c->offset,
					c->length);
	}
	for (size_t i = 0; i < e->sources.len; i++) {
		const struct excerpt_source *s = &e->sources.data[i];
		profile_writer_add_source(n->rows->writer, s->file, s->first_line, s->flags,
					  (const char *)e->bytes.data + s->offset, s->length);
	}
}

static bool is_said(const struct names *n, const char *text)
{
	for (size_t i = 0; i < n->damages.len; i++)
		if (strcmp(n->damages.data[i], text) == 0)
			return true;
	return false;
}

static void take_damage(struct names *n, const struct task_module *m, const char *text)
{
	struct module_addresses *a = addresses_of(n, m);

	if (text[0] && !a->damage_said && !is_said(n, text))
		vec_push(&n->damages, xstrdup(text));
	a->damage_said |= text[0] != '\0';
}

const char *names_next_damage(struct names *n)
{
	return n->damages_told < n->damages.len ? n->damages.data[n->damages_told++] : NULL;
}

static void write_names(struct names *n, struct task_table *tasks, const struct batch *b)
{
	struct task_module *m = task_module_at(tasks, b->module.key);
	take_damage(n, m, b->result.damage);
	verbose_named(m, &b->result, b->addresses.len, &addresses_of(n, m)->named);
	uint32_t row = rows_module(n->rows, m);
	for (size_t i = 0; i < b->named.len; i++) {
		const struct named *named = &b->named.data[i];
		const struct profile_symbol_frame *frames =
			named->frame_count ? b->frames.data + named->first_frame : NULL;
		profile_writer_add_location(n->rows->writer, row, named->address, frames,
					    named->frame_count);
	}
	rows_module_names(n->rows, m,
			  &(struct rows_names){ b->result.symbols, b->result.debug_path,
						b->result.note, b->result.no_debug_file });
}

size_t names_collect(struct names *n, struct task_table *tasks)
{
	for (;;) {
		struct batch *b = namer_take(n->namer);
		if (!b)
			return namer_out(n->namer);
		if (b->kind == BATCH_NAMES)
			write_names(n, tasks, b);
		else if (b->kind == BATCH_EXCERPTS || b->kind == BATCH_LINES)
			write_excerpts(n, tasks, b);
		batch_free(b);
	}
}

void names_limit(struct names *n, uint64_t batch_cpu_ns)
{
	namer_limit(n->namer, batch_cpu_ns);
}

const char *names_gave_up(const struct names *n)
{
	return namer_gave_up(n->namer);
}

void names_finish(struct names *n, struct task_table *tasks)
{
	struct progress progress;
	names_submit(n);
	progress_start(&progress, "naming functions");
	for (size_t all = namer_out(n->namer); names_collect(n, tasks) && namer_wait(n->namer);)
		progress_update(&progress, all - namer_out(n->namer), all);
	progress_end(&progress);
}

struct hot {
	uint64_t address;
	uint32_t module, hits;
};

struct hot_list {
	VEC(struct hot) items;
};

static int hottest_first(const void *pa, const void *pb)
{
	const struct hot *a = pa, *b = pb;
	if (a->hits != b->hits)
		return a->hits < b->hits ? 1 : -1;
	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

static void list_hot(const struct names *n, struct hot_list *hot)
{
	for (size_t i = 0; i < n->modules.len; i++) {
		const struct hmap *noted = &n->modules.data[i].noted;
		for (size_t k = 0; k < noted->cap; k++) {
			struct hot h = { noted->keys[k], (uint32_t)i, noted->values[k] };
			if (h.hits != HMAP_NONE && h.hits > 1)
				vec_push(&hot->items, h);
		}
	}
	if (hot->items.len)
		qsort(hot->items.data, hot->items.len, sizeof(hot->items.data[0]), hottest_first);
	if (hot->items.len > EXCERPT_ADDRESSES)
		hot->items.len = EXCERPT_ADDRESSES;
}

static void add_generated_code(struct names *n, const struct hot_list *hot,
			       const struct task_module *m)
{
	struct batch *b = batch_new(m, BATCH_LINES);
	uint32_t line;

	for (size_t i = 0; i < hot->items.len; i++) {
		uint64_t address = hot->items.data[i].address;
		if (hot->items.data[i].module != m->index)
			continue;
		codes_add_code(n->codes, m, address);
		const char *file = codes_line(n->codes, m, address, &line);
		excerpt_lines_add(&b->lines, file, line);
	}
	b->module.pid = codes_files_pid(n->codes, m);
	if (b->lines.items.len)
		namer_submit(n->namer, b);
	else
		batch_free(b);
}

void names_add_excerpts(struct names *n, struct task_table *tasks)
{
	struct hot_list hot = { 0 };
	list_hot(n, &hot);
	for (size_t i = 0; i < n->modules.len && namer_works(n->namer); i++) {
		const struct task_module *m = n->modules.data[i].module;
		if (m && n->codes && codes_has(n->codes, m))
			add_generated_code(n, &hot, m);
		if (!m || m->kind != MODULE_FILE)
			continue;
		struct batch *b = batch_new(m, BATCH_EXCERPTS);
		for (size_t k = 0; k < hot.items.len; k++) {
			if (hot.items.data[k].module == i)
				vec_push(&b->addresses, hot.items.data[k].address);
		}
		namer_submit(n->namer, b);
	}
	vec_release(&hot.items);
	if (namer_works(n->namer))
		namer_submit(n->namer, batch_new_plain(BATCH_KEEP));
	while (names_collect(n, tasks) && namer_wait(n->namer))
		;
}

void names_new_epoch(struct names *n)
{
	for (size_t i = 0; i < n->modules.len; i++) {
		hmap_clear(&n->modules.data[i].noted);
		vec_clear(&n->modules.data[i].pending);
	}
}

uint64_t names_thread_cpu_ns(const struct names *n)
{
	return namer_cpu_ns(n->namer);
}
