/* What callers add to a profile being written. */
#include "profile/writer_private.h"

static uint32_t add_string(struct profile_writer *w, const char *s, size_t len, bool of_symbol)
{
	size_t known = w->strings.strings.len;
	uint32_t id = strtab_add(&w->strings, s, len);

	if (id < known)
		return id;
	len = strtab_len(&w->strings, id);
	struct extent text = writer_add_bytes(w, TABLE_STRINGS, s, (uint32_t)len);
	w->string_bytes += text.length + 1;
	w->symbol_string_bytes += of_symbol ? text.length + 1 : 0;
	return writer_append(w, TABLE_STRINGS, &text);
}

static uint32_t add_symbol_string(struct profile_writer *w, const char *s)
{
	return s ? add_string(w, s, strlen(s), true) : 0;
}

uint32_t profile_writer_add_string(struct profile_writer *w, const char *s, size_t len)
{
	return add_string(w, s, len, false);
}

uint32_t profile_writer_add_str(struct profile_writer *w, const char *s)
{
	return s ? add_string(w, s, strlen(s), false) : 0;
}

uint32_t profile_writer_add_machine(struct profile_writer *w, const struct profile_machine *row)
{
	return writer_append(w, TABLE_MACHINES, row);
}

uint32_t profile_writer_add_run(struct profile_writer *w, const struct profile_run *row)
{
	return writer_append(w, TABLE_RUNS, row);
}

uint32_t profile_writer_add_event(struct profile_writer *w, const struct profile_event *row)
{
	return writer_append(w, TABLE_EVENTS, row);
}

uint32_t profile_writer_add_task(struct profile_writer *w, const struct profile_task *row)
{
	return writer_append(w, TABLE_TASKS, row);
}

uint32_t profile_writer_add_space(struct profile_writer *w, const struct profile_space *row)
{
	return writer_append(w, TABLE_SPACES, row);
}

uint32_t profile_writer_add_mapping(struct profile_writer *w, const struct profile_mapping *row)
{
	return writer_append(w, TABLE_MAPPINGS, row);
}

uint32_t profile_writer_add_module(struct profile_writer *w, const struct profile_module *row)
{
	return writer_append(w, TABLE_MODULES, row);
}

uint32_t profile_writer_add_node(struct profile_writer *w, uint32_t parent, uint32_t module,
				 uint64_t address, uint8_t how)
{
	uint64_t key[3] = { (uint64_t)parent << 32 | module, address, how };
	uint32_t fresh = w->tables[TABLE_NODES].first_id + w->tables[TABLE_NODES].count;
	uint32_t id = keyset_add(&w->nodes, key, fresh);

	if (id == fresh) {
		struct profile_node row = { parent, module, address, how };
		writer_append(w, TABLE_NODES, &row);
		w->stats.nodes++;
	}
	return id;
}

void profile_writer_update_run(struct profile_writer *w, uint32_t id, const struct profile_run *row)
{
	writer_update(w, TABLE_RUNS, id, row);
}

void profile_writer_update_event(struct profile_writer *w, uint32_t id,
				 const struct profile_event *row)
{
	writer_update(w, TABLE_EVENTS, id, row);
}

void profile_writer_update_task(struct profile_writer *w, uint32_t id,
				const struct profile_task *row)
{
	writer_update(w, TABLE_TASKS, id, row);
}

void profile_writer_update_module(struct profile_writer *w, uint32_t id,
				  const struct profile_module *row)
{
	writer_update(w, TABLE_MODULES, id, row);
}

uint32_t profile_writer_add_sample(struct profile_writer *w, const struct profile_sample *row)
{
	struct epoch_entry *e = &w->epochs.data[w->epochs.len - 1];

	if (e->samples == 0 || row->time_ns < e->first_ns)
		e->first_ns = row->time_ns;
	if (row->time_ns > e->last_ns)
		e->last_ns = row->time_ns;
	e->samples++;
	w->stats.samples++;
	return writer_append(w, TABLE_SAMPLES, row);
}

void profile_writer_add_count(struct profile_writer *w, const struct profile_count *row)
{
	writer_append(w, TABLE_COUNTS, row);
}

void profile_writer_add_group(struct profile_writer *w, const struct profile_group *row)
{
	writer_append(w, TABLE_GROUPS, row);
}

void profile_writer_add_clock(struct profile_writer *w, const struct profile_clock *row)
{
	writer_append(w, TABLE_CLOCKS, row);
}

uint32_t writer_add_function(struct profile_writer *w, const struct profile_function *row)
{
	uint64_t key[3] = { (uint64_t)row->name << 32 | row->linkage,
			    (uint64_t)row->file << 32 | row->line,
			    (uint64_t)row->flags << 32 | row->module };
	uint32_t fresh = w->tables[TABLE_FUNCTIONS].first_id + w->tables[TABLE_FUNCTIONS].count;
	uint32_t id = keyset_add(&w->functions, key, fresh);

	if (id == fresh)
		writer_append(w, TABLE_FUNCTIONS, row);
	return id;
}

void writer_add_alias(struct profile_writer *w, const struct profile_alias *row)
{
	uint64_t key[3] = { (uint64_t)row->function << 32 | row->name,
			    (uint64_t)row->linkage << 32 | row->more, row->relation };
	size_t known = w->aliases.values.len;

	keyset_add(&w->aliases, key, 0);
	if (w->aliases.values.len > known)
		writer_append(w, TABLE_ALIASES, row);
}

static void add_aliases(struct profile_writer *w, uint32_t function,
			const struct profile_symbol_frame *f)
{
	for (uint32_t i = 0; i < f->alias_count; i++) {
		const struct profile_symbol_alias *a = &f->aliases[i];
		struct profile_alias row = {
			.function = function,
			.name = add_symbol_string(w, a->name),
			.linkage = add_symbol_string(w, a->linkage),
			.more = a->more,
			.relation = a->relation,
			.flags = a->flags,
		};
		writer_add_alias(w, &row);
	}
}

static uint32_t add_frame(struct profile_writer *w, uint32_t module,
			  const struct profile_symbol_frame *f)
{
	struct profile_frame row = { .file = add_symbol_string(w, f->file), .line = f->line };
	struct profile_function function = {
		.name = add_symbol_string(w, f->name),
		.linkage = add_symbol_string(w, f->linkage),
		.line = f->function_line,
		.flags = f->function_flags,
		.module = module,
	};

	function.file = f->function_file ? add_symbol_string(w, f->function_file) : row.file;
	if (function.linkage == function.name)
		function.linkage = 0;
	row.function = writer_add_function(w, &function);
	add_aliases(w, row.function, f);
	return writer_append(w, TABLE_FRAMES, &row);
}

void profile_writer_add_location(struct profile_writer *w, uint32_t module, uint64_t address,
				 const struct profile_symbol_frame *frames, uint32_t count)
{
	const struct pending *p = &w->tables[TABLE_FRAMES];
	struct profile_location row = {
		.address = address,
		.module = module,
		.first_frame = count ? p->first_id + p->count : PROFILE_NONE,
		.frame_count = count,
	};

	for (uint32_t i = 0; i < count; i++)
		add_frame(w, module, &frames[i]);
	writer_append(w, TABLE_LOCATIONS, &row);
}

void profile_writer_add_code(struct profile_writer *w, uint32_t module, uint64_t address,
			     const void *bytes, uint32_t len)
{
	struct extent e = writer_add_bytes(w, TABLE_CODE, bytes, len);
	struct profile_code row = { module, address, e.offset, e.length };

	writer_append(w, TABLE_CODE, &row);
}

void profile_writer_add_source(struct profile_writer *w, const char *file, uint32_t first_line,
			       uint32_t flags, const char *text, uint32_t len)
{
	struct extent e = writer_add_bytes(w, TABLE_SOURCES, text, len);
	struct profile_source row = { profile_writer_add_str(w, file), first_line, flags, e.offset,
				      e.length };

	writer_append(w, TABLE_SOURCES, &row);
}

void profile_writer_set_health(struct profile_writer *w, const struct profile_health *h)
{
	struct pending *p = &w->tables[TABLE_HEALTH];

	if (p->count)
		writer_update(w, TABLE_HEALTH, p->first_id, h);
	else
		writer_append(w, TABLE_HEALTH, h);
}

void profile_writer_set_incomplete(struct profile_writer *w)
{
	w->incomplete = true;
}

void profile_writer_add_note(struct profile_writer *w, const char *text)
{
	uint32_t row = profile_writer_add_str(w, text);

	writer_append(w, TABLE_NOTES, &row);
}
