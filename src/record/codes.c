/* Processes that generate code: their files, what stands in their memory, and names for it. */
#include "record/codes_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "symbolize/demangle.h"
#include "unwind/unwind.h"

#define BYTES_MAX  ((size_t)96 << 20) /* of all processes together */
#define NOTED_MAX  ((size_t)1 << 16)
#define LAST_LOOKS 64 /* what is written faster than it is read ends some time */
#define NO_MAP_NOTE                                                                    \
	"no perf map: let the runtime write one (node --perf-basic-prof, java "        \
	"-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit, PYTHONPERFSUPPORT=1, " \
	"php -d opcache.jit_debug=0x100, erl +JPperf true, mono --jitmap)"
#define UNNAMED_NOTE  "what it registered with GDB does not name this code"
#define LEFT_OUT_NOTE "the perf map is too large: only its newest lines were used"

struct codes *codes_new(const struct codes_config *config)
{
	struct codes *c = xcalloc(1, sizeof(*c));

	c->config = *config;
	return c;
}

static void process_free(struct codes *c, struct process *p)
{
	code_map_release(&p->map);
	code_feed_release(&p->text);
	code_feed_release(&p->dump);
	code_copies_release(&p->copies);
	vec_release(&p->written);
	codes_release_registered(c, p);
	vec_release(&p->generations);
	vec_release(&p->noted);
	free(p->dump_file.path);
	free(p);
}

void codes_free(struct codes *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->processes.len; i++)
		process_free(c, c->processes.data[i]);
	vec_release(&c->processes);
	vec_release(&c->by_module);
	vec_release(&c->told);
	codes_release_registrars(c);
	free(c);
}

/* ---- which process ---- */

struct process *codes_process(const struct codes *c, const struct task_module *m)
{
	uint32_t i = m->index < c->by_module.len ? c->by_module.data[m->index] : 0;

	return i ? c->processes.data[i - 1] : NULL;
}

uint64_t codes_version(const struct codes *c)
{
	return c->version;
}

bool codes_has_any(const struct codes *c)
{
	return c->processes.len > 0;
}

bool codes_has(const struct codes *c, const struct task_module *m)
{
	return codes_process(c, m) != NULL;
}

static void set_process(struct codes *c, const struct task_module *m, uint32_t index)
{
	while (c->by_module.len <= m->index)
		vec_push(&c->by_module, 0);
	c->by_module.data[m->index] = index + 1;
}

static struct process *process_new(struct codes *c, const struct task_space *s,
				   struct task_module *base)
{
	struct process *p = xcalloc(1, sizeof(*p));
	p->base = base;
	p->pid = base->seen_pid;
	p->space = s;
	p->open_wait_ns[CODE_FEED_MAP] = p->open_wait_ns[CODE_FEED_DUMP] = CODE_RETRY_NS;
	code_feed_init(&p->text, CODE_FEED_MAP, s->start_ns);
	code_feed_init(&p->dump, CODE_FEED_DUMP, s->start_ns);
	p->text.timeless = p->dump.timeless = c->config.imported;
	p->dump.has_clock = !c->config.imported || c->config.is_monotonic;
	set_process(c, base, (uint32_t)c->processes.len);
	vec_push(&c->processes, p);
	return p;
}

/* "jit-<number>.dump", by which the kernel's record of its mapping marks a jitdump. */
static bool is_dump_path(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash || strncmp(slash, "/jit-", 5) != 0)
		return false;
	size_t digits = strspn(slash + 5, "0123456789");
	return digits > 0 && strncmp(slash + 5 + digits, ".dump", 5) == 0;
}

/* A fork copies its parent's mappings: it writes no such file itself, until it does something. */
static bool is_copied(const struct task_space *s, const struct task_mapping *m)
{
	return m->from_ns && m->from_ns == s->start_ns;
}

static void note_dump(struct codes *c, const struct task_space *s, const struct task_mapping *m)
{
	struct task_module *base = task_jit_module(c->config.tasks, s);
	struct process *p = base ? codes_process(c, base) : NULL;

	if (!base || base->kind != MODULE_JIT)
		return;
	if (!p)
		p = process_new(c, s, base);
	if (p->dump_file.path)
		return;
	p->open_due_ns[CODE_FEED_DUMP] = 0;
	p->dump_file = (struct dump_file){ xstrdup(m->module->path), m->start, m->end };
	p->is_lazy = is_copied(s, m);
	c->has_more = true;
	codes_look_at_dump(c, p);
}

void codes_mapping(struct codes *c, const struct task_space *s, const struct task_mapping *m)
{
	if (!c->config.files)
		return;
	if (m->module->kind == MODULE_JIT && !codes_process(c, m->module)) {
		process_new(c, s, m->module);
		c->has_more = true;
	} else if (m->module->kind == MODULE_FILE && is_dump_path(m->module->path)) {
		note_dump(c, s, m);
	}
}

void codes_space_end(struct codes *c, const struct task_space *s)
{
	for (size_t i = 0; i < c->processes.len; i++) {
		struct process *p = c->processes.data[i];
		if (p->space == s) {
			p->space = NULL;
			p->is_ended = true;
			codes_release_registered(c, p);
		}
	}
}

/* ---- naming ---- */

static void tell_module(struct codes *c, const struct task_module *m, uint8_t symbols)
{
	struct rows_names names = { symbols, "", "", false };

	while (c->told.len <= m->index)
		vec_push(&c->told, false);
	if (c->told.data[m->index])
		return;
	c->told.data[m->index] = true;
	rows_module_names(c->config.rows, m, &names);
}

/* Generators that compile C++ or Rust tell their names. */
static bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

static void write_name(struct codes *c, struct process *p, const struct task_module *m,
		       struct code_entry *e, uint64_t address)
{
	const struct code_line *line = code_entry_line(e, address);
	struct demangle_cache demangled = { 0 };
	struct profile_symbol_frame frame = {
		.name = is_mangled(e->name) ? demangle_cached(&demangled, e->name) : e->name,
		.linkage = is_mangled(e->name) ? e->name : NULL,
		.file = line ? line->file : NULL,
		.line = line ? line->line : 0,
		.function_file = e->line_count ? e->lines[0].file : NULL,
	};

	e->used = true;
	p->symbols = e->symbols;
	tell_module(c, m, e->symbols);
	profile_writer_add_location(c->config.rows->writer, rows_module(c->config.rows, m), address,
				    &frame, 1);
	demangle_cache_release(&demangled);
}

/* The first noted address at or behind this one. */
static size_t first_noted(const struct process *p, uint64_t address)
{
	size_t lo = 0, hi = p->noted.len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (p->noted.data[mid].address >= address)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* Name noted addresses in [start, end) by what stands there, as far as anything does. Of code that
 * is no more than refined by `next` (NULL: of all) the name is not certain yet. */
static void name_noted(struct codes *c, struct process *p, uint64_t start, uint64_t end,
		       const struct code_entry *next)
{
	size_t first = first_noted(p, start), kept = first, i = first;

	for (; i < p->noted.len && p->noted.data[i].address < end; i++) {
		struct noted_address noted = p->noted.data[i];
		const struct code_piece *piece = code_map_find(&p->map, noted.address);
		bool is_named = piece && !piece->entry->is_gone;
		if (is_named && !(next && code_entry_is_part(next, piece->entry)))
			write_name(c, p, noted.module, piece->entry, noted.address);
		else
			p->noted.data[kept++] = noted;
	}
	if (i < p->noted.len)
		memmove(p->noted.data + kept, p->noted.data + i,
			(p->noted.len - i) * sizeof(*p->noted.data));
	p->noted.len -= i - kept;
}

static void name_all_noted(struct codes *c, struct process *p)
{
	if (p->noted.len)
		name_noted(c, p, 0, UINT64_MAX, NULL);
}

void codes_submit(struct codes *c)
{
	for (size_t i = 0; i < c->processes.len; i++)
		name_all_noted(c, c->processes.data[i]);
}

struct task_module *codes_generation(struct codes *c, struct process *p, uint32_t n)
{
	while (p->generations.len < n) {
		struct task_module *m = task_module_generation(c->config.tasks, p->base,
							       (uint32_t)p->generations.len + 1);
		if (m->kind == MODULE_JIT)
			set_process(c, m, c->by_module.data[p->base->index] - 1);
		vec_push(&p->generations, m);
	}
	return n ? p->generations.data[n - 1] : p->base;
}

struct task_module *codes_module(struct codes *c, struct task_module *m, uint64_t address)
{
	struct process *p = codes_process(c, m);

	if (!p)
		return m;
	p->was_sampled = true;
	if (p->map.generation == 0)
		return m;
	const struct code_piece *piece = code_map_find(&p->map, address);
	return piece ? codes_generation(c, p, piece->generation) : m;
}

uint64_t codes_cfi_version(const struct codes *c)
{
	return c->cfi_version;
}

void codes_cfi(const struct codes *c, const struct task_module *m, uint64_t address,
	       struct unwind_cfi *out)
{
	const struct process *p = codes_process(c, m);
	const struct code_piece *piece = p && p->has_cfi ? code_map_find(&p->map, address) : NULL;
	const struct code_entry *e = piece ? piece->entry : NULL;

	if (e && e->cfi)
		*out = (struct unwind_cfi){ e->cfi, e->cfi_len, e->cfi_address, 0 };
	else if (p)
		codes_find_registered(p, address, out);
}

void codes_note(struct codes *c, const struct task_module *m, uint64_t address)
{
	struct process *p = codes_process(c, m);

	if (!p)
		return;
	const struct code_piece *piece = code_map_find(&p->map, address);
	p->is_sampled = true;
	if (piece && !piece->entry->is_gone)
		piece->entry->used = true;
	else
		p->wants_names = p->has_unnamed = true;
	if (p->noted.len >= NOTED_MAX)
		name_all_noted(c, p);
	if (p->noted.len >= NOTED_MAX)
		return;
	size_t at = first_noted(p, address), after = p->noted.len - at;
	vec_push(&p->noted, ((struct noted_address){ address, m }));
	memmove(p->noted.data + at + 1, p->noted.data + at, after * sizeof(*p->noted.data));
	p->noted.data[at] = (struct noted_address){ address, m };
}

/* ---- what takes effect ---- */

/* Is a to be cut down rather than b? What has ended first, then the largest. */
static bool is_better_victim(const struct process *a, const struct process *b)
{
	if (!b || a->map.bytes == 0)
		return a->map.bytes > 0;
	return a->is_ended != b->is_ended ? a->is_ended : a->map.bytes > b->map.bytes;
}

static struct process *find_victim(const struct codes *c)
{
	struct process *found = NULL;

	for (size_t i = 0; i < c->processes.len; i++)
		if (is_better_victim(c->processes.data[i], found))
			found = c->processes.data[i];
	return found;
}

static void keep_within_bounds(struct codes *c)
{
	struct process *p;

	while (c->bytes > BYTES_MAX && (p = find_victim(c))) {
		name_all_noted(c, p);
		size_t before = p->map.bytes;
		if (p->is_ended)
			code_map_release(&p->map);
		else
			code_map_halve(&p->map);
		p->left_out = true;
		c->cfi_version += p->has_cfi;
		c->bytes -= before - p->map.bytes;
	}
}

void codes_add_entry(struct codes *c, struct process *p, struct code_entry *e)
{
	size_t before = p->map.bytes;

	if (p->noted.len)
		name_noted(c, p, e->start, e->end, e);
	p->has_cfi |= e->cfi != NULL;
	code_map_add(&p->map, e);
	c->version += p->map.generation > 0;
	c->cfi_version += p->has_cfi;
	c->bytes += p->map.bytes - before;
	if (c->bytes > BYTES_MAX)
		keep_within_bounds(c);
}

static void move_code(struct codes *c, struct process *p, const struct code_event *e)
{
	const struct code_piece *piece = code_map_find(&p->map, e->from);

	if (!piece || piece->entry->is_gone)
		return;
	const struct code_entry *old = piece->entry;
	struct code_source from = {
		.start = e->to,
		.size = e->size,
		.code_offset = old->code_offset,
		.name = old->name,
		.name_len = strlen(old->name),
		.lines = old->lines,
		.line_count = old->line_count,
		.cfi = old->cfi,
		.cfi_len = old->cfi_len,
		.cfi_address = old->cfi_address + (e->to - old->start),
		.moment = old->moment,
		.symbols = old->symbols,
	};
	struct code_entry *moved = code_entry_new(&from);
	if (moved)
		codes_add_entry(c, p, moved);
}

static void take_events(struct codes *c, struct process *p, struct code_feed *f, uint64_t time_ns)
{
	const struct code_event *e;

	while ((e = code_feed_peek(f, time_ns))) {
		struct code_event event = *e;
		code_feed_pop(f);
		if (event.entry)
			codes_add_entry(c, p, event.entry);
		else
			move_code(c, p, &event);
	}
}

void codes_set_next(struct codes *c)
{
	c->next_ns = UINT64_MAX;
	for (size_t i = 0; i < c->processes.len; i++) {
		const struct process *p = c->processes.data[i];
		const struct code_event *text = code_feed_peek(&p->text, c->next_ns);
		c->next_ns = text ? text->time_ns : c->next_ns;
		const struct code_event *dump = code_feed_peek(&p->dump, c->next_ns);
		c->next_ns = dump ? dump->time_ns : c->next_ns;
		uint64_t settling = codes_next_settling(p);
		c->next_ns = settling < c->next_ns ? settling : c->next_ns;
	}
}

void codes_advance(struct codes *c, uint64_t time_ns)
{
	if (time_ns < c->next_ns)
		return;
	for (size_t i = 0; i < c->processes.len; i++) {
		struct process *p = c->processes.data[i];
		take_events(c, p, &p->text, time_ns);
		take_events(c, p, &p->dump, time_ns);
		codes_settle_registered(c, p, time_ns);
	}
	codes_set_next(c);
}

/* ---- epochs and the end ---- */

/* A generator that only GDB's plug-in reads may write a file as well. */
static bool is_told_in_files(const struct process *p)
{
	return p->symbols == SYMBOLS_MAP_FILE || p->symbols == SYMBOLS_JITDUMP;
}

static void tell_fault(struct codes *c, const struct process *p)
{
	char text[224];
	struct rows_names names = { p->symbols ? p->symbols : SYMBOLS_MISSING, "", text, false };

	snprintf(text, sizeof(text), "what it registered of its code is not all read: %s",
		 registered_fault_text(p->fault));
	rows_module_names(c->config.rows, p->base, &names);
}

/* The module's row says what is missing, and what to do. */
static void tell_missing(struct codes *c)
{
	struct rows_names missing = { SYMBOLS_MISSING, "", NO_MAP_NOTE, false };
	struct rows_names unnamed = { SYMBOLS_MISSING, "", UNNAMED_NOTE, false };
	struct rows_names cut = { SYMBOLS_MAP_FILE, "", LEFT_OUT_NOTE, false };

	for (size_t i = 0; i < c->processes.len; i++) {
		const struct process *p = c->processes.data[i];
		if (p->fault && p->is_sampled &&
		    !(p->fault == REGISTERED_FOREIGN && is_told_in_files(p)))
			tell_fault(c, p);
		else if (p->noted.len && !p->symbols)
			rows_module_names(c->config.rows, p->base,
					  p->has_objects ? &unnamed : &missing);
		else if (p->left_out && p->is_sampled)
			rows_module_names(c->config.rows, p->base, &cut);
	}
}

void codes_end_epoch(struct codes *c)
{
	codes_submit(c);
	tell_missing(c);
	for (size_t i = 0; i < c->processes.len; i++)
		vec_clear(&c->processes.data[i]->noted);
	vec_clear(&c->told);
}

void codes_finish(struct codes *c)
{
	uint64_t now_ns = clock_monotonic_ns();

	for (size_t i = 0; i < c->processes.len; i++) {
		struct process *p = c->processes.data[i];
		p->is_ended |= c->config.imported;
		p->open_due_ns[CODE_FEED_MAP] = p->open_due_ns[CODE_FEED_DUMP] = now_ns;
	}
	c->has_more = true;
	for (int i = 0; i < LAST_LOOKS && c->has_more; i++) {
		codes_look(c, now_ns);
		codes_advance(c, UINT64_MAX);
	}
	codes_submit(c);
	tell_missing(c);
}
