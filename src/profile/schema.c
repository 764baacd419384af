/* The descriptions of all tables, and the schema chunk's body. */
#include "profile/schema.h"

#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "profile/profile.h"

#define FIELD(row, field) \
	.size = sizeof(((struct row *)0)->field), .offset = offsetof(struct row, field)

#define NUMBER(row, field, unit_, encoding_)                                                   \
	{                                                                                      \
		.name = #field, .unit = unit_, .type = COLUMN_UNSIGNED, .encoding = encoding_, \
		.flags = COLUMN_OPTIONAL, FIELD(row, field)                                    \
	}
#define STRING(row, field)                                                                     \
	{                                                                                      \
		.name = #field, .unit = "", .type = COLUMN_STRING, .encoding = ENCODING_PLAIN, \
		.flags = COLUMN_OPTIONAL, FIELD(row, field)                                    \
	}
#define REFERENCE(row, field, table_, encoding_)                                             \
	{                                                                                    \
		.name = #field, .unit = "", .type = COLUMN_REFERENCE, .encoding = encoding_, \
		.flags = COLUMN_OPTIONAL, .references = table_, FIELD(row, field)            \
	}
#define EXTENT(name_, row, field)                                                            \
	{                                                                                    \
		.name = name_, .unit = "", .type = COLUMN_BYTES, .encoding = ENCODING_BYTES, \
		FIELD(row, field)                                                            \
	}

static const struct column string_columns[] = {
	EXTENT("text", extent, offset),
};

static const struct column machine_columns[] = {
	STRING(profile_machine, hostname),  STRING(profile_machine, architecture),
	STRING(profile_machine, cpu_model), STRING(profile_machine, kernel_release),
	STRING(profile_machine, boot_id),   NUMBER(profile_machine, cpu_count, "", ENCODING_PLAIN),
};

static const struct column run_columns[] = {
	STRING(profile_run, command),
	STRING(profile_run, clock),
	REFERENCE(profile_run, machine, TABLE_MACHINES, ENCODING_PLAIN),
	STRING(profile_run, tool),
	NUMBER(profile_run, start_ns, "ns", ENCODING_PLAIN),
	NUMBER(profile_run, end_ns, "ns", ENCODING_PLAIN),
	NUMBER(profile_run, start_realtime_ns, "ns", ENCODING_PLAIN),
	{ .name = "exit_status",
	  .unit = "",
	  .type = COLUMN_SIGNED,
	  .encoding = ENCODING_PLAIN,
	  FIELD(profile_run, exit_status) },
	NUMBER(profile_run, cpu_busy_ns, "ns", ENCODING_PLAIN),
	NUMBER(profile_run, cpu_steal_ns, "ns", ENCODING_PLAIN),
};

static const struct column event_columns[] = {
	STRING(profile_event, name),
	NUMBER(profile_event, type, "", ENCODING_PLAIN),
	NUMBER(profile_event, config, "", ENCODING_PLAIN),
	NUMBER(profile_event, period, "event", ENCODING_PLAIN),
	NUMBER(profile_event, frequency, "Hz", ENCODING_PLAIN),
	NUMBER(profile_event, exact_total, "event", ENCODING_PLAIN),
	NUMBER(profile_event, unit, "", ENCODING_PLAIN),
	NUMBER(profile_event, flags, "", ENCODING_PLAIN),
	NUMBER(profile_event, group, "", ENCODING_PLAIN),
};

static const struct column module_columns[] = {
	STRING(profile_module, path),
	STRING(profile_module, build_id),
	STRING(profile_module, debug_path),
	STRING(profile_module, note),
	NUMBER(profile_module, kind, "", ENCODING_PLAIN),
	NUMBER(profile_module, identity, "", ENCODING_PLAIN),
	NUMBER(profile_module, symbols, "", ENCODING_PLAIN),
	NUMBER(profile_module, flags, "", ENCODING_PLAIN),
};

static const struct column space_columns[] = {
	NUMBER(profile_space, pid, "", ENCODING_DELTA),
	NUMBER(profile_space, start_ns, "ns", ENCODING_DELTA),
	NUMBER(profile_space, end_ns, "ns", ENCODING_PLAIN),
};

static const struct column task_columns[] = {
	NUMBER(profile_task, pid, "", ENCODING_DELTA),
	NUMBER(profile_task, tid, "", ENCODING_DELTA),
	NUMBER(profile_task, parent_pid, "", ENCODING_DELTA),
	STRING(profile_task, comm),
	NUMBER(profile_task, start_ns, "ns", ENCODING_DELTA),
	NUMBER(profile_task, end_ns, "ns", ENCODING_DELTA),
	REFERENCE(profile_task, space, TABLE_SPACES, ENCODING_FRONT),
	NUMBER(profile_task, flags, "", ENCODING_PLAIN),
};

static const struct column mapping_columns[] = {
	REFERENCE(profile_mapping, space, TABLE_SPACES, ENCODING_FRONT),
	REFERENCE(profile_mapping, module, TABLE_MODULES, ENCODING_PLAIN),
	NUMBER(profile_mapping, start, "address", ENCODING_PLAIN),
	NUMBER(profile_mapping, length, "bytes", ENCODING_PLAIN),
	NUMBER(profile_mapping, file_offset, "bytes", ENCODING_PLAIN),
	NUMBER(profile_mapping, from_ns, "ns", ENCODING_DELTA),
	NUMBER(profile_mapping, to_ns, "ns", ENCODING_DELTA),
};

static const struct column node_columns[] = {
	REFERENCE(profile_node, parent, TABLE_NODES, ENCODING_FRONT),
	REFERENCE(profile_node, module, TABLE_MODULES, ENCODING_PLAIN),
	NUMBER(profile_node, address, "address", ENCODING_DICT),
	NUMBER(profile_node, how, "", ENCODING_PLAIN),
};

static const struct column function_columns[] = {
	STRING(profile_function, name),
	STRING(profile_function, linkage),
	STRING(profile_function, file),
	NUMBER(profile_function, line, "", ENCODING_PLAIN),
	REFERENCE(profile_function, module, TABLE_MODULES, ENCODING_PLAIN),
	NUMBER(profile_function, flags, "", ENCODING_PLAIN),
};

static const struct column alias_columns[] = {
	REFERENCE(profile_alias, function, TABLE_FUNCTIONS, ENCODING_DELTA),
	STRING(profile_alias, name),
	STRING(profile_alias, linkage),
	NUMBER(profile_alias, relation, "", ENCODING_PLAIN),
	NUMBER(profile_alias, flags, "", ENCODING_PLAIN),
	NUMBER(profile_alias, more, "", ENCODING_PLAIN),
};

static const struct column frame_columns[] = {
	REFERENCE(profile_frame, function, TABLE_FUNCTIONS, ENCODING_FRONT),
	STRING(profile_frame, file),
	NUMBER(profile_frame, line, "", ENCODING_PLAIN),
};

static const struct column location_columns[] = {
	REFERENCE(profile_location, module, TABLE_MODULES, ENCODING_PLAIN),
	{ .name = "address",
	  .unit = "address",
	  .type = COLUMN_UNSIGNED,
	  .encoding = ENCODING_KEYED,
	  .flags = COLUMN_OPTIONAL,
	  .key = 0,
	  FIELD(profile_location, address) },
	REFERENCE(profile_location, first_frame, TABLE_FRAMES, ENCODING_DELTA),
	NUMBER(profile_location, frame_count, "", ENCODING_PLAIN),
};

static const struct column sample_columns[] = {
	NUMBER(profile_sample, cpu, "", ENCODING_PLAIN),
	{ .name = "time_ns",
	  .unit = "ns",
	  .type = COLUMN_UNSIGNED,
	  .encoding = ENCODING_KEYED,
	  .flags = COLUMN_OPTIONAL,
	  .key = 0,
	  FIELD(profile_sample, time_ns) },
	REFERENCE(profile_sample, task, TABLE_TASKS, ENCODING_PLAIN),
	REFERENCE(profile_sample, event, TABLE_EVENTS, ENCODING_PLAIN),
	REFERENCE(profile_sample, node, TABLE_NODES, ENCODING_PLAIN),
	REFERENCE(profile_sample, leaf_module, TABLE_MODULES, ENCODING_PLAIN),
	NUMBER(profile_sample, leaf_address, "address", ENCODING_DICT),
	NUMBER(profile_sample, weight, "event", ENCODING_PLAIN),
	NUMBER(profile_sample, end, "", ENCODING_PLAIN),
	NUMBER(profile_sample, flags, "", ENCODING_PLAIN),
};

static const struct column clock_columns[] = {
	NUMBER(profile_clock, monotonic_ns, "ns", ENCODING_DELTA),
	NUMBER(profile_clock, boottime_ns, "ns", ENCODING_DELTA),
	NUMBER(profile_clock, realtime_ns, "ns", ENCODING_DELTA),
	NUMBER(profile_clock, cycles, "cycles", ENCODING_DELTA),
};

static const struct column code_columns[] = {
	REFERENCE(profile_code, module, TABLE_MODULES, ENCODING_PLAIN),
	NUMBER(profile_code, address, "address", ENCODING_DELTA),
	EXTENT("bytes", profile_code, offset),
};

static const struct column source_columns[] = {
	STRING(profile_source, file),
	NUMBER(profile_source, first_line, "", ENCODING_PLAIN),
	NUMBER(profile_source, flags, "", ENCODING_PLAIN),
	EXTENT("text", profile_source, offset),
};

struct note {
	uint32_t text;
};
static const struct column note_columns[] = {
	STRING(note, text),
};

#define HEALTH(field, unit_) NUMBER(profile_health, field, unit_, ENCODING_PLAIN)
static const struct column health_columns[] = {
	HEALTH(due, ""),
	HEALTH(lost_kernel, ""),
	HEALTH(lost_own, ""),
	HEALTH(lost_records, ""),
	HEALTH(throttled_ns, "ns"),
	HEALTH(throttle_count, ""),
	HEALTH(requested_rate, "Hz"),
	HEALTH(effective_rate_mhz, "mHz"),
	HEALTH(prof_cpu_ns, "ns"),
	HEALTH(prof_max_rss_bytes, "bytes"),
	HEALTH(target_cpu_ns, "ns"),
	HEALTH(out_of_order, ""),
	HEALTH(ring_bytes, "bytes"),
	HEALTH(stack_bytes, "bytes"),
	HEALTH(stacks_checked, ""),
	HEALTH(stacks_agreed, ""),
	HEALTH(openers_killed, ""),
	HEALTH(detached, ""),
};

/* The sample's place in the epoch's stream, not a reference: streams have no ids to refer to. */
static const struct column count_columns[] = {
	NUMBER(profile_count, sample, "", ENCODING_DELTA),
	REFERENCE(profile_count, event, TABLE_EVENTS, ENCODING_PLAIN),
	NUMBER(profile_count, value, "event", ENCODING_PLAIN),
};

static const struct column group_columns[] = {
	REFERENCE(profile_group, event, TABLE_EVENTS, ENCODING_PLAIN),
	NUMBER(profile_group, counters, "", ENCODING_PLAIN),
	NUMBER(profile_group, known, "", ENCODING_PLAIN),
	NUMBER(profile_group, first, "", ENCODING_PLAIN),
	NUMBER(profile_group, backwards, "", ENCODING_PLAIN),
	NUMBER(profile_group, impossible, "", ENCODING_PLAIN),
	NUMBER(profile_group, enabled_ns, "ns", ENCODING_PLAIN),
	NUMBER(profile_group, running_ns, "ns", ENCODING_PLAIN),
};

#define TABLE(name_, kind_, columns_, row)                                               \
	{                                                                                \
		.name = name_, .columns = columns_, .column_count = ARRAY_LEN(columns_), \
		.row_size = sizeof(struct row), .kind = kind_                            \
	}

static const struct table tables[TABLE_COUNT] = {
	[TABLE_STRINGS] = TABLE("strings", TABLE_KIND_ROWS, string_columns, extent),
	[TABLE_MACHINES] = TABLE("machines", TABLE_KIND_ROWS, machine_columns, profile_machine),
	[TABLE_RUNS] = TABLE("runs", TABLE_KIND_ROWS, run_columns, profile_run),
	[TABLE_EVENTS] = TABLE("events", TABLE_KIND_ROWS, event_columns, profile_event),
	[TABLE_MODULES] = TABLE("modules", TABLE_KIND_ROWS, module_columns, profile_module),
	[TABLE_SPACES] = TABLE("spaces", TABLE_KIND_ROWS, space_columns, profile_space),
	[TABLE_TASKS] = TABLE("tasks", TABLE_KIND_ROWS, task_columns, profile_task),
	[TABLE_MAPPINGS] = TABLE("mappings", TABLE_KIND_ROWS, mapping_columns, profile_mapping),
	[TABLE_NODES] = TABLE("nodes", TABLE_KIND_ROWS, node_columns, profile_node),
	[TABLE_FUNCTIONS] = TABLE("functions", TABLE_KIND_ROWS, function_columns, profile_function),
	[TABLE_FRAMES] = TABLE("frames", TABLE_KIND_ROWS, frame_columns, profile_frame),
	[TABLE_LOCATIONS] = TABLE("locations", TABLE_KIND_ROWS, location_columns, profile_location),
	[TABLE_SAMPLES] = TABLE("samples", TABLE_KIND_STREAM, sample_columns, profile_sample),
	[TABLE_CLOCKS] = TABLE("clocks", TABLE_KIND_STREAM, clock_columns, profile_clock),
	[TABLE_CODE] = TABLE("code", TABLE_KIND_STREAM, code_columns, profile_code),
	[TABLE_SOURCES] = TABLE("sources", TABLE_KIND_STREAM, source_columns, profile_source),
	[TABLE_NOTES] = TABLE("notes", TABLE_KIND_STREAM, note_columns, note),
	[TABLE_HEALTH] = TABLE("health", TABLE_KIND_STREAM, health_columns, profile_health),
	[TABLE_ALIASES] = TABLE("aliases", TABLE_KIND_STREAM, alias_columns, profile_alias),
	[TABLE_COUNTS] = TABLE("counts", TABLE_KIND_STREAM, count_columns, profile_count),
	[TABLE_GROUPS] = TABLE("groups", TABLE_KIND_STREAM, group_columns, profile_group),
};

const struct table *schema_table(enum table_id id)
{
	return &tables[id];
}

static uint64_t load_field(const void *field, unsigned size)
{
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	switch (size) {
	case 1:
		return *(const uint8_t *)field;
	case 2:
		memcpy(&u16, field, sizeof(u16));
		return u16;
	case 4:
		memcpy(&u32, field, sizeof(u32));
		return u32;
	default:
		memcpy(&u64, field, sizeof(u64));
		return u64;
	}
}

static uint64_t field_mask(unsigned size)
{
	return size == 8 ? UINT64_MAX : ((uint64_t)1 << (8 * size)) - 1;
}

uint64_t column_load(const struct column *c, const void *row)
{
	uint64_t v = load_field((const char *)row + c->offset, c->size);

	if (c->type == COLUMN_REFERENCE)
		return v == field_mask(c->size) ? 0 : v + 1;
	if (c->type == COLUMN_SIGNED)
		return zigzag((uint64_t)(int64_t)(int32_t)v);
	return v;
}

void column_store(const struct column *c, void *row, uint64_t value)
{
	void *field = (char *)row + c->offset;
	uint64_t mask = field_mask(c->size);

	if (c->type == COLUMN_REFERENCE)
		value = value == 0 || value - 1 > mask ? mask : value - 1;
	else if (c->type == COLUMN_SIGNED)
		value = unzigzag(value) & mask;
	else if (value > mask)
		value = mask;

	uint16_t u16 = (uint16_t)value;
	uint32_t u32 = (uint32_t)value;
	if (c->size == 1)
		*(uint8_t *)field = (uint8_t)value;
	else if (c->size == 2)
		memcpy(field, &u16, sizeof(u16));
	else if (c->size == 4)
		memcpy(field, &u32, sizeof(u32));
	else
		memcpy(field, &value, sizeof(value));
}

static void encode_name(struct bytes *out, const char *name)
{
	size_t len = strlen(name);

	bytes_varint(out, len);
	bytes_append(out, name, len);
}

static void encode_column(struct bytes *out, const struct column *c)
{
	encode_name(out, c->name);
	bytes_u8(out, c->type);
	bytes_u8(out, c->encoding);
	bytes_u8(out, c->flags);
	bytes_varint(out, c->references);
	encode_name(out, c->unit);
}

void schema_encode(struct bytes *out)
{
	bytes_varint(out, TABLE_COUNT);
	for (size_t i = 0; i < TABLE_COUNT; i++) {
		const struct table *t = &tables[i];
		bytes_varint(out, i);
		encode_name(out, t->name);
		bytes_varint(out, t->kind);
		bytes_varint(out, t->column_count);
		for (size_t c = 0; c < t->column_count; c++)
			encode_column(out, &t->columns[c]);
	}
}

/* A name inside the body, not terminated. */
struct name {
	const uint8_t *text;
	size_t len;
};

static struct name decode_name(struct bytes_reader *r)
{
	uint64_t len = reader_varint(r);
	const uint8_t *text = reader_take(r, len);

	return (struct name){ text, text ? (size_t)len : 0 };
}

static bool name_is(struct name n, const char *s)
{
	return n.text && n.len == strlen(s) && memcmp(n.text, s, n.len) == 0;
}

static int find_table(struct name n)
{
	for (int i = 0; i < TABLE_COUNT; i++) {
		if (name_is(n, tables[i].name))
			return i;
	}
	return -1;
}

/* Ours of that name and type. */
static int find_column(int table, struct name n, unsigned type)
{
	for (int i = 0; table >= 0 && i < tables[table].column_count; i++) {
		const struct column *c = &tables[table].columns[i];
		if (name_is(n, c->name) && c->type == type)
			return i;
	}
	return -1;
}

static void decode_column(struct bytes_reader *r, struct file_table *t, size_t index)
{
	struct name name = decode_name(r);
	uint8_t type = reader_u8(r);

	reader_u8(r);	  /* the usual encoding: every column of a chunk names its own */
	reader_u8(r);	  /* flags: a missing column reads as 0 in any case */
	reader_varint(r); /* what ours refers to is known */
	decode_name(r);
	t->types[index] = type;
	t->columns[index] = (int16_t)find_column(t->table, name, type);
	for (size_t i = 0; i < index; i++) {
		if (t->columns[i] == t->columns[index])
			t->columns[index] = -1; /* named twice: the first counts */
	}
}

bool schema_decode(struct file_schema *out, struct bytes_reader *body)
{
	uint64_t count = reader_varint(body);

	memset(out, 0, sizeof(*out));
	for (uint64_t i = 0; i < count && !body->failed; i++) {
		uint64_t number = reader_varint(body);
		struct name name = decode_name(body);
		reader_varint(body); /* kind */
		uint64_t columns = reader_varint(body);
		if (number >= FILE_TABLES_MAX || columns > FILE_COLUMNS_MAX || body->failed)
			return false;
		struct file_table *t = &out->tables[number];
		t->declared = true;
		t->table = (int16_t)find_table(name);
		t->column_count = (uint16_t)columns;
		for (size_t c = 0; c < columns; c++)
			decode_column(body, t, c);
	}
	return !body->failed;
}
