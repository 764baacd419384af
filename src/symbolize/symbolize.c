/* The symbolizer: modules by key, batches of addresses. */
#include "symbolize/symbolize.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/sort.h"
#include "symbolize/module.h"
#include "symbolize/remember.h"

struct symbolizer {
	struct module_loading loading;
	struct hmap by_key; /* module key → index in modules */
	VEC(struct symbol_module *) modules;
	struct symbol_frames frames;
	VEC(uint64_t) sorted;
};

static const char *const default_debug_dirs[] = { "/usr/lib/debug", NULL };

struct symbolizer *symbolizer_new(struct files *files, const struct symbolize_options *options)
{
	struct symbolizer *s = xcalloc(1, sizeof(*s));

	s->loading.files = files;
	s->loading.no_debug_info = options && options->no_debug_info;
	s->loading.imported = options && options->imported;
	s->loading.later = options && options->later;
	s->loading.use_cache = options && options->use_cache && files;
	s->loading.debug_dirs =
		options && options->debug_dirs ? options->debug_dirs : default_debug_dirs;
	return s;
}

void module_note(struct symbol_module *m, const char *fmt, ...)
{
	char *note = m->result.note;
	size_t used = strlen(note), size = sizeof(m->result.note);
	va_list ap;

	if (used && used + 3 < size)
		used += (size_t)snprintf(note + used, size - used, "; ");
	va_start(ap, fmt);
	vsnprintf(note + used, size - used, fmt, ap);
	va_end(ap);
}

void module_damaged(struct symbol_module *m, const char *path, const char *what)
{
	if (m->result.damage[0] || !what || !*what)
		return;
	snprintf(m->result.damage, sizeof(m->result.damage), "%.300s is damaged: %.150s", path,
		 what);
	module_note(m, "%s", m->result.damage);
}

void module_free(struct symbol_module *m)
{
	dwarf_info_free(m->dwarf);
	vec_release(&m->found.list);
	symbol_index_release(&m->index);
	symbol_table_free(m->table);
	places_release(&m->places);
	elf_image_free(m->dwarf_common);
	bytes_release(&m->key_text);
	cfi_finder_release(&m->functions);
	vec_release(&m->go_found.list);
	vec_release(&m->aliases.list);
	arena_release(&m->aliases.arena);
	demangle_cache_release(&m->names);
	vec_release(&m->shown_names);
	elf_image_free(m->image);
	elf_image_free(m->debug_image);
	remember_sections_free(m->kept);
	remember_sections_free(m->kept_common);
	close_fd_ptr(&m->fd);
	free(m->path);
	free(m);
}

void symbolizer_free(struct symbolizer *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->modules.len; i++)
		module_free(s->modules.data[i]);
	vec_release(&s->modules);
	vec_release(&s->frames.list);
	vec_release(&s->sorted);
	hmap_release(&s->by_key);
	free(s);
}

static void load(struct symbolizer *s, struct symbol_module *m)
{
	m->loaded = true;
	memset(&m->result, 0, sizeof(m->result));
	switch (m->kind) {
	case MODULE_FILE:
	case MODULE_VDSO:
		module_load_elf(m, &s->loading);
		break;
	case MODULE_KERNEL:
		module_load_kernel(m, &s->loading);
		break;
	default:
		m->result.symbols = SYMBOLS_MISSING;
	}
}

static struct symbol_module *module_new(const struct symbolize_module *from)
{
	struct symbol_module *m = xcalloc(1, sizeof(*m));

	m->key = from->key;
	m->kind = from->kind;
	m->path = xstrdup(from->path ? from->path : "");
	if (from->build_id && from->build_id_len <= sizeof(m->build_id)) {
		memcpy(m->build_id, from->build_id, from->build_id_len);
		m->build_id_len = from->build_id_len;
	}
	m->content_hash = from->content_hash;
	m->kernel_text = from->kernel_text;
	m->refused = from->refused;
	m->pid = from->pid;
	m->fd = from->fd >= 0 ? fcntl(from->fd, F_DUPFD_CLOEXEC, 3) : -1;
	return m;
}

static struct symbol_module *find_module(struct symbolizer *s, uint32_t key)
{
	uint32_t index = hmap_get(&s->by_key, key);

	return index == HMAP_NONE ? NULL : s->modules.data[index];
}

static struct symbol_module *get_module(struct symbolizer *s, const struct symbolize_module *from)
{
	struct symbol_module *m = find_module(s, from->key);

	if (!m) {
		m = module_new(from);
		hmap_put(&s->by_key, from->key, (uint32_t)s->modules.len);
		vec_push(&s->modules, m);
	}
	if (!m->loaded)
		load(s, m);
	return m;
}

/* Answers hold for ranges of addresses, and neighbours are asked for one after the other. */
static void resolve(struct symbol_module *m, uint64_t address, struct symbol_frames *out)
{
	if (address >= m->same_start && address < m->same_end)
		return;
	m->same_start = m->same_end = 0;
	vec_clear(&out->list);
	switch (m->kind) {
	case MODULE_FILE:
	case MODULE_VDSO:
		module_resolve_elf(m, address, out);
		break;
	case MODULE_KERNEL:
		module_resolve_kernel(m, address, out);
		break;
	default:
		break;
	}
}

/* Ascending order keeps neighbours in the same units and cache lines. */
static void sort_addresses(struct symbolizer *s, const uint64_t *addresses, size_t count)
{
	size_t kept = 0;

	vec_clear(&s->sorted);
	vec_reserve(&s->sorted, count);
	for (size_t i = 0; i < count; i++)
		vec_push(&s->sorted, addresses[i]);
	sort_u64(s->sorted.data, count);
	for (size_t i = 0; i < count; i++)
		if (kept == 0 || s->sorted.data[kept - 1] != s->sorted.data[i])
			s->sorted.data[kept++] = s->sorted.data[i];
	s->sorted.len = kept;
}

static void note_missing_dwo(struct symbol_module *m)
{
	const char *dwo = m->dwarf ? dwarf_info_missing_dwo(m->dwarf) : NULL;

	if (dwo && !strstr(m->result.note, ".dwo"))
		module_note(m, "no inline frames where %.200s is missing", dwo);
}

void symbolize_batch(struct symbolizer *s, const struct symbolize_module *from,
		     const uint64_t *addresses, size_t count, symbolize_each each, void *ctx,
		     struct symbolize_result *result)
{
	struct symbol_module *m = get_module(s, from);

	sort_addresses(s, addresses, count);
	m->same_start = m->same_end = m->aliases_start = m->aliases_end = 0;
	for (size_t i = 0; i < s->sorted.len; i++) {
		resolve(m, s->sorted.data[i], &s->frames);
		module_add_aliases(m, s->sorted.data[i], &s->frames);
		each(ctx, s->sorted.data[i], s->frames.list.data, (uint32_t)s->frames.list.len);
	}
	note_missing_dwo(m);
	*result = m->result;
}

void symbolizer_keep(struct symbolizer *s)
{
	for (size_t i = 0; i < s->modules.len; i++)
		if (s->modules.data[i]->kind == MODULE_FILE)
			module_keep_elf(s->modules.data[i]);
}

static bool range_of(struct symbol_module *m, uint64_t address, uint64_t *start, uint64_t *end)
{
	switch (m->kind) {
	case MODULE_FILE:
	case MODULE_VDSO:
	case MODULE_KERNEL:
		return module_range_elf(m, address, start, end);
	default:
		return false;
	}
}

bool symbolize_function_range(struct symbolizer *s, uint32_t key, uint64_t address, uint64_t *start,
			      uint64_t *size)
{
	struct symbol_module *m = find_module(s, key);
	uint64_t end;

	if (!m || !m->loaded || !range_of(m, address, start, &end))
		return false;
	*size = end - *start;
	return true;
}
