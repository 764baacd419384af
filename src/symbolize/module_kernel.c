/*
 * Kernel addresses through /proc/kallsyms, and what to do when the kernel hides them. The kernel
 * takes longer to print that file than everything else takes that naming a short recording needs,
 * so the index is remembered for as long as the same kernel runs with the same modules.
 */
#include <string.h>

#include "base/bytes.h"
#include "symbolize/kallsyms.h"
#include "symbolize/module.h"
#include "symbolize/remember.h"

#define PAGE_BYTES UINT64_C(4096)

/* "function [module]": the module with its brackets, "" for the kernel itself. */
static const char *module_of(const char *name)
{
	const char *blank = strchr(name, ' ');

	return blank && blank[1] == '[' ? blank + 1 : "";
}

/* Programs and trampolines that the running kernel makes and drops as it likes. */
static bool comes_and_goes(const char *module)
{
	return strcmp(module, "[bpf]") == 0 || strncmp(module, "[__builtin__", 12) == 0;
}

/* The segments that hold as long as modules stay. One that nothing of its own module bounds ends
 * with its page: on the next one something may be put that is not there today. */
static bool lasts(const struct symbol_index *x, size_t i, struct flat_segment *out)
{
	const struct flat_segment *all = x->map.segments.data;
	const char *module = module_of(x->symbols.data[all[i].value].name);
	bool bounded = i + 1 < x->map.segments.len && all[i + 1].start == all[i].end &&
		       strcmp(module_of(x->symbols.data[all[i + 1].value].name), module) == 0;

	*out = all[i];
	uint64_t page_end = (out->start | (PAGE_BYTES - 1)) + 1;
	if (!bounded && page_end && out->end > page_end)
		out->end = page_end;
	return !comes_and_goes(module);
}

static void keep_index(struct symbol_module *m, const struct module_loading *with)
{
	struct bytes payload = { 0 };

	if (symbol_table_compose(&m->index, lasts, &payload))
		remember_keep(with->files, &m->key_text, "symbols of the kernel", &payload);
	bytes_release(&payload);
}

static void read_kallsyms(struct symbol_module *m, const struct module_loading *with)
{
	struct bytes text = { 0 };
	struct error err = { 0 };
	bool hidden = false;

	m->index_read = true;
	if (files_read_proc(with->files, FILES_PROC_KALLSYMS, 0, 0, &text, &err) < 0)
		module_note(m, "no kernel names: %s", err.text);
	else if (kallsyms_index(&m->index, &text, &hidden))
		m->result.symbols = SYMBOLS_KALLSYMS;
	else if (hidden && with->imported)
		module_note(
			m,
			"no kernel names: they are read from /proc/kallsyms, which hides addresses "
			"from you here; root can read it, which helps only on the machine that "
			"was recorded, and until it is started anew");
	else if (hidden)
		module_note(m, "kernel addresses are hidden; to see kernel names: sudo sysctl "
			       "kernel.kptr_restrict=0 (as an ordinary user also "
			       "kernel.perf_event_paranoid=1)");
	else
		module_note(m, "no kernel names: /proc/kallsyms lists no functions");
	bytes_release(&text);
}

static void recall_table(struct symbol_module *m, const struct module_loading *with)
{
	remember_key_begin(&m->key_text, "kernel symbols 2");
	if (!remember_key_kernel(&m->key_text, with->files)) {
		bytes_clear(&m->key_text);
		return;
	}
	struct cache_entry *e = remember_recall(with->files, &m->key_text);
	m->table = e ? symbol_table_open(e) : NULL;
	if (m->table)
		m->result.symbols = SYMBOLS_KALLSYMS;
}

/* What was kept needs no memory but for what is looked at. */
static void use_kept(struct symbol_module *m, const struct module_loading *with)
{
	struct cache_entry *e = remember_recall(with->files, &m->key_text);

	m->table = e ? symbol_table_open(e) : NULL;
	if (!m->table)
		return;
	symbol_index_release(&m->index);
	m->index_read = false;
}

static void load_running(struct symbol_module *m, const struct module_loading *with)
{
	if (with->use_cache)
		recall_table(m, with);
	if (m->table)
		return;
	read_kallsyms(m, with);
	if (!m->key_text.len || m->result.symbols != SYMBOLS_KALLSYMS)
		return;
	keep_index(m, with);
	use_kept(m, with);
}

/* ---- the kernel of an imported recording ---- */

#define NOTE_NAME	  "GNU"
#define NOTE_BYTES	  12 /* lengths of name and content, type */
#define NOTE_GNU_BUILD_ID 3

/* The running kernel's build ID is that of the recording, as far as both are known. */
static bool is_same_build(const struct symbol_module *m, const struct module_loading *with)
{
	struct bytes notes = { 0 };
	struct bytes_reader r;
	bool same = true;

	if (m->build_id_len == 0 ||
	    files_read_proc(with->files, FILES_PROC_KERNEL_NOTES, 0, 0, &notes, NULL) < 0)
		return true;
	reader_init(&r, notes.data, notes.len);
	while (reader_left(&r) >= NOTE_BYTES) {
		uint32_t name_len = reader_u32(&r), len = reader_u32(&r), type = reader_u32(&r);
		const uint8_t *name = reader_take(&r, ((uint64_t)name_len + 3) & ~(uint64_t)3);
		const uint8_t *id = reader_take(&r, ((uint64_t)len + 3) & ~(uint64_t)3);
		if (name && id && type == NOTE_GNU_BUILD_ID && name_len == sizeof(NOTE_NAME) &&
		    memcmp(name, NOTE_NAME, sizeof(NOTE_NAME)) == 0)
			same = len == m->build_id_len && memcmp(id, m->build_id, len) == 0;
	}
	bytes_release(&notes);
	return same;
}

/* A kernel is elsewhere in memory each time that it starts: a function begins where the recording's
 * code began. */
static bool is_same_place(struct symbol_module *m)
{
	struct symbol found;

	if (m->kernel_text == 0)
		return true;
	if (m->table)
		return symbol_table_find(m->table, m->kernel_text, &found) == SYMBOL_TABLE_FOUND &&
		       found.start == m->kernel_text;
	const struct symbol *s = symbol_index_find(&m->index, m->kernel_text);
	return s && s->start == m->kernel_text;
}

static void load_imported(struct symbol_module *m, const struct module_loading *with)
{
	if (is_same_build(m, with)) {
		load_running(m, with);
		if (m->result.symbols != SYMBOLS_KALLSYMS || is_same_place(m))
			return;
		m->result.symbols = SYMBOLS_MISSING;
		module_note(
			m,
			"no kernel names: the kernel has started anew since, elsewhere in memory");
	} else {
		module_note(
			m, "no kernel names: another kernel runs here than was recorded (its build "
			   "ID differs)");
	}
	m->refused = true;
}

void module_load_kernel(struct symbol_module *m, const struct module_loading *with)
{
	m->loading = with;
	m->result.symbols = SYMBOLS_MISSING;
	if (!with->files || m->refused)
		return;
	if (with->imported)
		load_imported(m, with);
	else
		load_running(m, with);
}

/* What the remembered table does not know, the kernel may have got since. */
static const char *name_at(struct symbol_module *m, uint64_t address)
{
	struct symbol found;

	if (m->refused)
		return NULL;
	if (m->table && symbol_table_find(m->table, address, &found) == SYMBOL_TABLE_FOUND)
		return found.name;
	if (m->table && !m->index_read)
		read_kallsyms(m, m->loading);
	const struct symbol *s = symbol_index_find(&m->index, address);
	if (!s || (m->loading->later && comes_and_goes(module_of(s->name))))
		return NULL;
	return s->name;
}

void module_resolve_kernel(struct symbol_module *m, uint64_t address, struct symbol_frames *out)
{
	const char *name = name_at(m, address);

	if (name)
		vec_push(&out->list,
			 ((struct profile_symbol_frame){ .name = demangle_cached(&m->names, name),
							 .linkage = name }));
}
