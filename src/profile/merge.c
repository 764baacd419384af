/* One function per table: its key, and how a newer row joins an older one. */
#include "profile/merge.h"

#include <string.h>

static const unsigned key_words[TABLE_COUNT] = {
	[TABLE_MACHINES] = 3,  [TABLE_RUNS] = 3,   [TABLE_EVENTS] = 5,	  [TABLE_MODULES] = 2,
	[TABLE_SPACES] = 2,    [TABLE_TASKS] = 3,  [TABLE_MAPPINGS] = 5,  [TABLE_NODES] = 3,
	[TABLE_FUNCTIONS] = 3, [TABLE_CLOCKS] = 4, [TABLE_LOCATIONS] = 2, [TABLE_CODE] = 2,
	[TABLE_SOURCES] = 1,   [TABLE_NOTES] = 1,  [TABLE_ALIASES] = 3,	  [TABLE_GROUPS] = 1,
};

void merge_init(struct merge *m, struct profile *p, struct profile_read_report *report)
{
	memset(m, 0, sizeof(*m));
	m->p = p;
	m->report = report;
	m->unknown_module = m->unknown_node = m->unknown_task = m->unknown_event = PROFILE_NONE;
	for (size_t i = 0; i < TABLE_COUNT; i++)
		m->keys[i].words = key_words[i];
}

void merge_release(struct merge *m)
{
	for (size_t i = 0; i < TABLE_COUNT; i++) {
		keyset_release(&m->keys[i]);
		vec_release(&m->maps[i].ids);
	}
	vec_release(&m->frames);
	vec_release(&m->sample_runs);
	vec_release(&m->node_states);
}

void merge_begin_epoch(struct merge *m)
{
	for (size_t i = 0; i < TABLE_COUNT; i++)
		vec_clear(&m->maps[i].ids);
	vec_push(&m->maps[TABLE_STRINGS].ids, 0); /* "" is never written */
	vec_clear(&m->frames);
	vec_clear(&m->sample_runs);
	m->samples_expected = 0;
	m->is_first_epoch = m->p->nodes.len == 0;
}

uint32_t merge_lookup(const struct merge *m, enum table_id table, uint64_t id)
{
	return id < m->maps[table].ids.len ? m->maps[table].ids.data[id] : PROFILE_NONE;
}

static uint64_t pair(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

/* The row an equal key has, else the row this id had (an update that changes the key), else
 * `fresh`. */
static uint32_t place(struct merge *m, enum table_id table, const uint64_t *key, uint32_t old,
		      size_t fresh)
{
	return keyset_add(&m->keys[table], key, old != PROFILE_NONE ? old : (uint32_t)fresh);
}

/* Put row at id: pushed when the id is the next one, else written over what is there. */
#define PUT(vec, id, value)                        \
	do {                                       \
		if ((id) == (vec)->len)            \
			vec_push(vec, value);      \
		else                               \
			(vec)->data[id] = (value); \
	} while (0)

static uint32_t add_string(struct merge *m, const struct merge_row *in)
{
	return strtab_add(&m->p->strings, (const char *)in->bytes, in->bytes_len);
}

static uint32_t add_machine(struct merge *m, const struct merge_row *in)
{
	const struct profile_machine *row = in->row;
	uint64_t key[] = { pair(row->hostname, row->architecture),
			   pair(row->cpu_model, row->kernel_release),
			   pair(row->boot_id, row->cpu_count) };
	uint32_t id = place(m, TABLE_MACHINES, key, in->old, m->p->machines.len);

	PUT(&m->p->machines, id, *row);
	return id;
}

static uint32_t add_run(struct merge *m, const struct merge_row *in)
{
	struct profile_run *row = in->row;
	uint64_t key[] = { pair(row->command, row->clock), pair(row->machine, row->tool),
			   row->start_ns };
	uint32_t id = place(m, TABLE_RUNS, key, in->old, m->p->runs.len);

	if (id < m->p->runs.len && row->end_ns == 0)
		row->end_ns = m->p->runs.data[id].end_ns;
	if (id < m->p->runs.len && row->cpu_busy_ns == 0 && row->cpu_steal_ns == 0) {
		row->cpu_busy_ns = m->p->runs.data[id].cpu_busy_ns;
		row->cpu_steal_ns = m->p->runs.data[id].cpu_steal_ns;
	}
	PUT(&m->p->runs, id, *row);
	return id;
}

static uint32_t add_event(struct merge *m, const struct merge_row *in)
{
	struct profile_event *row = in->row;
	uint64_t key[] = { pair(row->name, row->type), row->config, row->period, row->frequency,
			   (uint64_t)row->group << 16 | (uint64_t)row->unit << 8 | row->flags };

	if (row->unit > UNIT_BYTES)
		row->unit = UNIT_COUNT;
	/* A sample has 16 bits for its event, the last value being "none". */
	if (m->p->events.len >= UINT16_MAX &&
	    keyset_get(&m->keys[TABLE_EVENTS], key) == KEYSET_NONE)
		return in->old;
	uint32_t id = place(m, TABLE_EVENTS, key, in->old, m->p->events.len);
	if (id < m->p->events.len && row->exact_total == 0)
		row->exact_total = m->p->events.data[id].exact_total;
	PUT(&m->p->events, id, *row);
	return id;
}

/* An epoch that only names a module again says nothing about its symbols. */
static void keep_symbols(struct profile_module *row, const struct profile_module *before)
{
	if (row->symbols != SYMBOLS_NONE || row->note)
		return;
	row->symbols = before->symbols;
	row->debug_path = before->debug_path;
	row->note = before->note;
	row->flags |= before->flags & MODULE_NO_DEBUG_FILE;
}

static uint32_t add_module(struct merge *m, const struct merge_row *in)
{
	struct profile_module *row = in->row;

	if (row->kind > MODULE_SYNTHETIC)
		row->kind = MODULE_UNKNOWN;
	if (row->identity > IDENTITY_GENERATION)
		row->identity = IDENTITY_NONE;
	if (row->symbols > SYMBOLS_GIVEN)
		row->symbols = SYMBOLS_NONE;
	uint64_t key[] = { pair(row->path, row->build_id), row->kind };
	uint32_t id = place(m, TABLE_MODULES, key, in->old, m->p->modules.len);
	if (id < m->p->modules.len)
		keep_symbols(row, &m->p->modules.data[id]);
	PUT(&m->p->modules, id, *row);
	return id;
}

static uint32_t add_space(struct merge *m, const struct merge_row *in)
{
	struct profile_space *row = in->row;
	uint64_t key[] = { row->pid, row->start_ns };
	uint32_t id = place(m, TABLE_SPACES, key, in->old, m->p->spaces.len);

	if (id < m->p->spaces.len && row->end_ns == 0)
		row->end_ns = m->p->spaces.data[id].end_ns;
	PUT(&m->p->spaces, id, *row);
	return id;
}

static uint32_t add_task(struct merge *m, const struct merge_row *in)
{
	struct profile_task *row = in->row;
	uint64_t key[] = { pair(row->pid, row->tid), row->comm, row->start_ns };
	uint32_t id = place(m, TABLE_TASKS, key, in->old, m->p->tasks.len);

	if (id < m->p->tasks.len) {
		const struct profile_task *before = &m->p->tasks.data[id];
		row->end_ns = row->end_ns ? row->end_ns : before->end_ns;
		row->space = row->space != PROFILE_NONE ? row->space : before->space;
		row->flags |= before->flags;
	}
	PUT(&m->p->tasks, id, *row);
	return id;
}

static uint32_t unknown_module(struct merge *m)
{
	struct profile_module row = { .kind = MODULE_UNKNOWN };
	struct merge_row in = { .row = &row, .old = PROFILE_NONE };

	if (m->unknown_module == PROFILE_NONE)
		m->unknown_module = add_module(m, &in);
	return m->unknown_module;
}

static uint32_t module_or_unknown(struct merge *m, uint32_t module)
{
	return module != PROFILE_NONE ? module : unknown_module(m);
}

static uint32_t unknown_task(struct merge *m)
{
	struct profile_task row = { .comm = strtab_add_str(&m->p->strings, "[unknown]"),
				    .space = PROFILE_NONE };
	struct merge_row in = { .row = &row, .old = PROFILE_NONE };

	if (m->unknown_task == PROFILE_NONE)
		m->unknown_task = add_task(m, &in);
	return m->unknown_task;
}

static uint32_t unknown_event(struct merge *m)
{
	struct profile_event row = { .name = strtab_add_str(&m->p->strings, "[unknown]") };
	struct merge_row in = { .row = &row, .old = PROFILE_NONE };

	if (m->unknown_event == PROFILE_NONE)
		m->unknown_event = add_event(m, &in);
	return m->unknown_event;
}

static uint32_t add_mapping(struct merge *m, const struct merge_row *in)
{
	struct profile_mapping *row = in->row;

	if (row->space == PROFILE_NONE) /* of no use without the processes it was in */
		return PROFILE_NONE;
	row->module = module_or_unknown(m, row->module);
	uint64_t key[] = { pair(row->space, row->module), row->start, row->length, row->file_offset,
			   row->from_ns };
	uint32_t id = place(m, TABLE_MAPPINGS, key, in->old, m->p->mappings.len);
	if (id < m->p->mappings.len && row->to_ns == 0)
		row->to_ns = m->p->mappings.data[id].to_ns;
	PUT(&m->p->mappings, id, *row);
	return id;
}

static uint32_t index_node(struct merge *m, const struct profile_node *row, struct node_state state,
			   uint32_t id)
{
	uint64_t key[] = { pair(row->parent, row->module), row->address,
			   (uint64_t)state.broken << 8 | row->how };

	return place(m, TABLE_NODES, key, PROFILE_NONE, id);
}

/* Nodes are many, and within an epoch each is written once: only with a second epoch are they
 * looked for. */
static void index_nodes(struct merge *m)
{
	for (; m->nodes_indexed < m->p->nodes.len; m->nodes_indexed++)
		index_node(m, &m->p->nodes.data[m->nodes_indexed],
			   m->node_states.data[m->nodes_indexed], (uint32_t)m->nodes_indexed);
}

static uint32_t put_node(struct merge *m, const struct profile_node *row, struct node_state state)
{
	uint32_t fresh = (uint32_t)m->p->nodes.len, id = fresh;

	if (!m->is_first_epoch) {
		index_nodes(m);
		id = index_node(m, row, state, fresh);
		m->nodes_indexed += id == fresh;
	}
	if (id == fresh) {
		vec_push(&m->p->nodes, *row);
		vec_push(&m->node_states, state);
	}
	return id;
}

/* The root of stacks whose lower part is lost. */
static uint32_t unknown_node(struct merge *m)
{
	struct profile_node row = { .parent = PROFILE_NONE, .module = unknown_module(m) };

	if (m->unknown_node == PROFILE_NONE)
		m->unknown_node =
			put_node(m, &row, (struct node_state){ .depth = 1, .broken = true });
	return m->unknown_node;
}

static bool is_missing(const struct merge_row *in, enum table_id table, const char *column)
{
	const struct table *t = schema_table(table);

	for (size_t i = 0; in->missing && i < t->column_count; i++) {
		if (strcmp(t->columns[i].name, column) == 0)
			return in->missing >> i & 1;
	}
	return false;
}

/* The parent's state one deeper; below a parent at the limit a stack starts anew, as a broken one.
 */
static struct node_state child_state(struct merge *m, struct profile_node *row)
{
	struct node_state state = { .depth = 1 };

	if (row->parent == PROFILE_NONE)
		return state;
	if (m->node_states.data[row->parent].depth >= PROFILE_DEPTH_MAX)
		row->parent = unknown_node(m);
	state = m->node_states.data[row->parent];
	state.depth++;
	return state;
}

static uint32_t add_node(struct merge *m, const struct merge_row *in)
{
	struct profile_node *row = in->row;

	if (is_missing(in, TABLE_NODES, "parent"))
		row->parent = unknown_node(m);
	if (row->how > FRAME_CUT)
		row->how = FRAME_UNKNOWN;
	row->module = module_or_unknown(m, row->module);
	struct node_state state = child_state(m, row);
	return put_node(m, row, state);
}

static uint32_t add_function(struct merge *m, const struct merge_row *in)
{
	const struct profile_function *row = in->row;
	uint64_t key[] = { pair(row->name, row->linkage), pair(row->file, row->line),
			   pair(row->module, row->flags) };
	size_t fresh = m->p->functions.len;
	uint32_t id = place(m, TABLE_FUNCTIONS, key, PROFILE_NONE, fresh);

	if (id == fresh)
		vec_push(&m->p->functions, *row);
	return id;
}

static uint32_t add_alias(struct merge *m, const struct merge_row *in)
{
	struct profile_alias *row = in->row;

	if (row->function == PROFILE_NONE) /* of no use without its function */
		return PROFILE_NONE;
	if (row->relation >= ALIAS_RELATION_COUNT)
		row->relation = ALIAS_NAME;
	uint64_t key[] = { pair(row->function, row->name), row->linkage, row->relation };
	uint32_t id = place(m, TABLE_ALIASES, key, PROFILE_NONE, m->p->aliases.len);
	PUT(&m->p->aliases, id, *row);
	return id;
}

/* Frames stay with the epoch, each at its id, until a location takes them. */
static uint32_t add_frame(struct merge *m, const struct merge_row *in)
{
	const struct profile_frame none = { .function = PROFILE_NONE };

	while (m->frames.len <= in->id)
		vec_push(&m->frames, none);
	m->frames.data[in->id] = *(const struct profile_frame *)in->row;
	return in->id;
}

/* True when all frames of the location are there, with their functions. */
static bool has_frames(const struct merge *m, const struct profile_location *l)
{
	if (l->first_frame >= m->frames.len || l->frame_count > m->frames.len - l->first_frame)
		return false;
	for (uint32_t i = 0; i < l->frame_count; i++) {
		if (m->frames.data[l->first_frame + i].function == PROFILE_NONE)
			return false;
	}
	return true;
}

static bool same_frames(const struct merge *m, const struct profile_location *a,
			const struct profile_location *b)
{
	if (a->frame_count != b->frame_count)
		return false;
	for (uint32_t i = 0; i < a->frame_count; i++) {
		const struct profile_frame *x = &m->p->frames.data[a->first_frame + i];
		const struct profile_frame *y = &m->frames.data[b->first_frame + i];
		if (x->function != y->function || x->file != y->file || x->line != y->line)
			return false;
	}
	return true;
}

static void copy_frames(struct merge *m, struct profile_location *row)
{
	uint32_t first = (uint32_t)m->p->frames.len;

	for (uint32_t i = 0; i < row->frame_count; i++)
		vec_push(&m->p->frames, m->frames.data[row->first_frame + i]);
	row->first_frame = first;
}

static uint32_t add_location(struct merge *m, const struct merge_row *in)
{
	struct profile_location *row = in->row;

	row->module = module_or_unknown(m, row->module);
	if (row->frame_count && !has_frames(m, row)) {
		m->report->missing_rows += !is_missing(in, TABLE_LOCATIONS, "first_frame");
		row->frame_count = 0;
	}
	uint64_t key[] = { row->module, row->address };
	uint32_t id = place(m, TABLE_LOCATIONS, key, PROFILE_NONE, m->p->locations.len);
	bool fresh = id == m->p->locations.len;
	if (!fresh && (row->frame_count == 0 || same_frames(m, &m->p->locations.data[id], row)))
		return id;
	if (row->frame_count == 0)
		row->first_frame = 0;
	else
		copy_frames(m, row);
	PUT(&m->p->locations, id, *row);
	return id;
}

static uint32_t add_sample(struct merge *m, const struct merge_row *in)
{
	struct profile_sample *row = in->row;

	if (is_missing(in, TABLE_SAMPLES, "node"))
		row->node = unknown_node(m);
	if (row->task == PROFILE_NONE)
		row->task = unknown_task(m);
	if (row->event >= m->p->events.len) /* 16 bits of PROFILE_NONE */
		row->event = (uint16_t)unknown_event(m);
	row->leaf_module = module_or_unknown(m, row->leaf_module);
	if (row->end >= END_COUNT ||
	    (row->node != PROFILE_NONE && m->node_states.data[row->node].broken))
		row->end = END_UNKNOWN;
	if (row->event >= m->p->events.len) /* 65,535 events and none of them unknown */
		return PROFILE_NONE;
	vec_push(&m->p->samples, *row);
	return PROFILE_NONE;
}

void merge_note_samples(struct merge *m, uint64_t first, uint64_t count, size_t sample)
{
	struct sample_run run = { first, count, (uint32_t)sample };

	vec_push(&m->sample_runs, run);
}

/* PROFILE_NONE: lost with its chunk. */
static uint32_t find_sample(const struct merge *m, uint64_t number)
{
	for (size_t i = m->sample_runs.len; i-- > 0;) {
		const struct sample_run *run = &m->sample_runs.data[i];
		if (number >= run->first && number - run->first < run->count)
			return run->sample + (uint32_t)(number - run->first);
	}
	return PROFILE_NONE;
}

static uint32_t add_count(struct merge *m, const struct merge_row *in)
{
	struct profile_count *row = in->row;

	row->sample = find_sample(m, row->sample);
	if (row->sample != PROFILE_NONE && row->event < m->p->events.len)
		vec_push(&m->p->counts, *row);
	return PROFILE_NONE;
}

static uint32_t add_group(struct merge *m, const struct merge_row *in)
{
	struct profile_group *row = in->row;
	uint64_t key[] = { row->event };

	if (row->event >= m->p->events.len) /* of no use without its event */
		return PROFILE_NONE;
	if (row->counters >= COUNTERS_KINDS)
		row->counters = COUNTERS_UNKNOWN;
	uint32_t id = place(m, TABLE_GROUPS, key, PROFILE_NONE, m->p->groups.len);
	PUT(&m->p->groups, id, *row);
	return id;
}

static uint32_t add_clock(struct merge *m, const struct merge_row *in)
{
	const struct profile_clock *row = in->row;
	uint64_t key[] = { row->monotonic_ns, row->boottime_ns, row->realtime_ns, row->cycles };
	uint32_t id = place(m, TABLE_CLOCKS, key, PROFILE_NONE, m->p->clocks.len);

	PUT(&m->p->clocks, id, *row);
	return id;
}

/* Append an extent's bytes to the blob; false when its 32-bit offsets are used up. */
static bool take_bytes(struct merge *m, const struct merge_row *in, uint32_t *offset)
{
	size_t len = m->p->blob.len;

	if (in->bytes_len > UINT32_MAX - len)
		return false;
	*offset = (uint32_t)len;
	vec_reserve(&m->p->blob, len + in->bytes_len);
	if (in->bytes_len)
		memcpy(m->p->blob.data + len, in->bytes, in->bytes_len);
	m->p->blob.len += in->bytes_len;
	return true;
}

static uint32_t add_code(struct merge *m, const struct merge_row *in)
{
	struct profile_code *row = in->row;

	row->module = module_or_unknown(m, row->module);
	uint64_t key[] = { row->module, row->address };
	uint32_t known = keyset_get(&m->keys[TABLE_CODE], key);
	if (known != KEYSET_NONE && m->p->code.data[known].length >= in->bytes_len)
		return known;
	if (!take_bytes(m, in, &row->offset))
		return PROFILE_NONE;
	row->length = in->bytes_len;
	uint32_t id = place(m, TABLE_CODE, key, PROFILE_NONE, m->p->code.len);
	PUT(&m->p->code, id, *row);
	return id;
}

static uint32_t add_source(struct merge *m, const struct merge_row *in)
{
	struct profile_source *row = in->row;
	uint64_t key[] = { pair(row->file, row->first_line) };
	uint32_t known = keyset_get(&m->keys[TABLE_SOURCES], key);

	if (known != KEYSET_NONE && m->p->sources.data[known].length >= in->bytes_len)
		return known;
	if (!take_bytes(m, in, &row->offset))
		return PROFILE_NONE;
	row->length = in->bytes_len;
	uint32_t id = place(m, TABLE_SOURCES, key, PROFILE_NONE, m->p->sources.len);
	PUT(&m->p->sources, id, *row);
	return id;
}

static uint32_t add_note(struct merge *m, const struct merge_row *in)
{
	uint64_t key[] = { *(const uint32_t *)in->row };
	uint32_t id = place(m, TABLE_NOTES, key, PROFILE_NONE, m->p->notes.len);

	PUT(&m->p->notes, id, (uint32_t)key[0]);
	return id;
}

static uint32_t add_health(struct merge *m, const struct merge_row *in)
{
	memcpy(&m->p->health, in->row, sizeof(m->p->health));
	return PROFILE_NONE;
}

uint32_t merge_add(struct merge *m, enum table_id table, const struct merge_row *in)
{
	static uint32_t (*const add[TABLE_COUNT])(struct merge *, const struct merge_row *) = {
		[TABLE_STRINGS] = add_string, [TABLE_MACHINES] = add_machine,
		[TABLE_RUNS] = add_run,	      [TABLE_EVENTS] = add_event,
		[TABLE_MODULES] = add_module, [TABLE_SPACES] = add_space,
		[TABLE_TASKS] = add_task,     [TABLE_MAPPINGS] = add_mapping,
		[TABLE_NODES] = add_node,     [TABLE_FUNCTIONS] = add_function,
		[TABLE_FRAMES] = add_frame,   [TABLE_LOCATIONS] = add_location,
		[TABLE_SAMPLES] = add_sample, [TABLE_CLOCKS] = add_clock,
		[TABLE_CODE] = add_code,      [TABLE_SOURCES] = add_source,
		[TABLE_NOTES] = add_note,     [TABLE_HEALTH] = add_health,
		[TABLE_ALIASES] = add_alias,  [TABLE_COUNTS] = add_count,
		[TABLE_GROUPS] = add_group,
	};

	return add[table](m, in);
}
