/*
 * Lines, files and inlined calls are numbers by address. A file is a number of its compilation
 * unit. An inlined call is a record of its own; the runtime's description of the program
 * (moduledata) tells where they are.
 */
#include "symbolize/go_names.h"

#include <string.h>

#include "base/bytes.h"
#include "elf/go_data.h"

#define PCDATA_INLINED	 2
#define FUNCDATA_INLINED 3
#define MAX_INLINED	 128 /* levels; real ones are below 40 */
#define BYTES_MAX	 ((uint64_t)1 << 32)
#define NOTHING		 UINT32_MAX /* an offset that leads nowhere */
#define OLD_CALL_BYTES	 20	    /* an inlined call before Go 1.20, and since */
#define CALL_BYTES	 16

struct function {
	struct go_function f;
	uint32_t files, lines, inlined; /* tables of numbers */
	uint32_t unit, first_line;
	uint64_t calls; /* address of its inlined calls, 0: none */
};

struct position {
	const char *file;
	uint32_t line;
};

/* Which word of moduledata inlined calls count from; 0: they are pointed to. */
static uint32_t inlined_word(const struct go_table *t)
{
	return t->version == GO_TABLE_1_18 ? 38 : t->version == GO_TABLE_1_20 ? 40 : 0;
}

bool go_names_init(struct go_names *g, struct elf_image *image)
{
	*g = (struct go_names){ .image = image, .bytes_left = BYTES_MAX };
	if (!go_table_init(&g->table, image))
		return false;
	uint32_t word = inlined_word(&g->table);
	if (word)
		g->inlined = go_data_moduledata_word(image, g->table.vaddr, 8, word);
	return true;
}

/* ---- functions ---- */

/* Behind the record's fixed part: tables of numbers, then addresses or offsets of other data. */
static void read_tail(const struct go_names *g, struct bytes_reader *r, uint32_t tables,
		      uint8_t others, struct function *out)
{
	const struct go_table *t = &g->table;

	if (tables > reader_left(r) / 4)
		return;
	for (uint32_t i = 0; i < tables; i++) {
		uint32_t table = reader_u32(r);
		if (i == PCDATA_INLINED)
			out->inlined = table;
	}
	if (others <= FUNCDATA_INLINED)
		return;
	if (t->entry_size == 4) {
		reader_take(r, FUNCDATA_INLINED * 4);
		uint32_t offset = reader_u32(r);
		if (!r->failed && g->inlined && offset != NOTHING)
			out->calls = g->inlined + offset;
		return;
	}
	if ((size_t)(r->pos - t->data) & 7)
		reader_take(r, 4);
	reader_take(r, FUNCDATA_INLINED * 8);
	uint64_t place = g->table.vaddr + (uint64_t)(r->pos - t->data);
	uint64_t calls = reader_u64(r);
	go_data_word(g->image, place, 8, &calls);
	out->calls = r->failed ? 0 : calls;
}

static bool find_function(const struct go_names *g, uint64_t address, struct function *out)
{
	const struct go_table *t = &g->table;
	struct bytes_reader r;

	memset(out, 0, sizeof(*out));
	if (!go_table_find(t, address, &out->f) || !out->f.name[0])
		return false;
	if (t->version == GO_TABLE_1_2 || out->f.record > t->len)
		return true;
	reader_init(&r, t->data + out->f.record, t->len - (size_t)out->f.record);
	reader_take(&r, 16); /* name, arguments, return from defers, stack depths */
	out->files = reader_u32(&r);
	out->lines = reader_u32(&r);
	uint32_t tables = reader_u32(&r);
	out->unit = reader_u32(&r);
	if (t->version == GO_TABLE_1_20)
		out->first_line = reader_u32(&r);
	reader_take(&r, 3); /* kind, flags, padding */
	uint8_t others = reader_u8(&r);
	if (!r.failed)
		read_tail(g, &r, tables, others, out);
	return true;
}

/* ---- numbers ---- */

/* -1: none. */
static int32_t number_at(struct go_names *g, const struct function *f, uint32_t table,
			 uint64_t address)
{
	uint64_t walked = address - f->f.start + 1;
	int32_t number;

	if (walked > g->bytes_left)
		return -1;
	g->bytes_left -= walked;
	return go_table_number(&g->table, &f->f, table, address, &number) ? number : -1;
}

static const char *file_of(const struct go_names *g, const struct function *f, int64_t number)
{
	const struct go_table *t = &g->table;
	uint64_t at = t->units + ((uint64_t)f->unit + (uint64_t)number) * 4;
	struct bytes_reader r;

	if (number < 0 || t->files == 0 || t->units > t->len || at >= t->len)
		return NULL;
	reader_init(&r, t->data + at, t->len - (size_t)at);
	uint32_t offset = reader_u32(&r);
	const char *file =
		r.failed || offset == NOTHING ? "" : go_table_string(t, t->files + offset);
	return *file ? file : NULL;
}

static struct position position_at(struct go_names *g, const struct function *f, uint64_t address)
{
	int32_t line = number_at(g, f, f->lines, address);
	struct position p = { file_of(g, f, number_at(g, f, f->files, address)),
			      line > 0 ? (uint32_t)line : 0 };

	return p;
}

/* ---- inlined calls ---- */

struct call {
	const char *name;
	struct position caller; /* before Go 1.20: where the call is */
	int32_t parent;		/* and which call it is in */
	uint32_t parent_offset; /* since: where in the function the caller's position is told */
	uint32_t first_line;
};

static void read_call(const struct go_names *g, const struct function *f, struct bytes_reader *r,
		      struct call *out)
{
	const struct go_table *t = &g->table;

	if (t->version == GO_TABLE_1_20) {
		reader_take(r, 4); /* kind, padding */
		out->name = go_table_string(t, t->names + reader_u32(r));
		out->parent_offset = reader_u32(r);
		out->first_line = reader_u32(r);
		return;
	}
	out->parent = (int16_t)reader_u16(r);
	reader_take(r, 2); /* kind, padding */
	out->caller.file = file_of(g, f, (int32_t)reader_u32(r));
	out->caller.line = reader_u32(r);
	out->name = go_table_string(t, t->names + reader_u32(r));
}

static bool find_call(const struct go_names *g, const struct function *f, int32_t index,
		      struct call *out)
{
	size_t len = g->table.version == GO_TABLE_1_20 ? CALL_BYTES : OLD_CALL_BYTES;
	const uint8_t *data =
		g->image ? elf_image_bytes(g->image, f->calls + (uint64_t)index * len, len) : NULL;
	struct bytes_reader r;

	memset(out, 0, sizeof(*out));
	if (!data)
		return false;
	reader_init(&r, data, len);
	read_call(g, f, &r, out);
	return out->name[0] != '\0';
}

/* The calls inlined at the address, innermost first; *at becomes where the function itself stands.
 */
static void push_inlined(struct go_names *g, const struct function *f, uint64_t address,
			 struct position *at, struct go_frames *out)
{
	int32_t index = f->calls ? number_at(g, f, f->inlined, address) : -1;
	struct call call;

	for (int level = 0; level < MAX_INLINED && index >= 0; level++) {
		if (!find_call(g, f, index, &call))
			return;
		struct go_frame frame = { call.name, at->file, at->line, call.first_line };
		vec_push(&out->list, frame);
		if (g->table.version != GO_TABLE_1_20) {
			*at = call.caller;
			index = call.parent;
			continue;
		}
		address = f->f.start + call.parent_offset;
		*at = position_at(g, f, address);
		index = number_at(g, f, f->inlined, address);
	}
}

bool go_names_find(struct go_names *g, uint64_t address, struct go_frames *out)
{
	struct function f;

	vec_clear(&out->list);
	if (!find_function(g, address, &f))
		return false;
	struct position at = position_at(g, &f, address);
	push_inlined(g, &f, address, &at, out);
	struct go_frame frame = { f.f.name, at.file, at.line, f.first_line };
	vec_push(&out->list, frame);
	return true;
}
