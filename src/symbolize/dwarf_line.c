/*
 * Line programs, versions 2 to 5: the table of files, and the rows in ascending order of addresses.
 * Rows of one file and line that follow each other become one.
 */
#include <stdlib.h>
#include <string.h>

#include "symbolize/dwarf_private.h"

#define MAX_FILES   ((size_t)1 << 20)
#define MAX_FORMATS 16

struct line_header {
	struct dwarf_widths widths;
	struct bytes_reader program; /* the opcodes */
	uint8_t min_length, line_range, opcode_base;
	int8_t line_base;
	uint8_t operands[256]; /* of the standard opcodes */
};

struct line_format {
	uint64_t content;
	uint16_t form;
};

struct name_list {
	VEC(const char *) list;
};

/* The section that has the unit's line program, and where it begins there. gcc writes the files of
 * calls to the .dwo file, where the table is the first one if the unit does not say. */
static bool find_program(const struct dwarf_unit *u, struct bytes_reader *r)
{
	struct dwarf_bytes section = u->file->sections[DWARF_LINE];

	if ((!u->has_lines && !u->file->split) || u->line_offset >= section.len)
		return false;
	reader_init(r, section.data + u->line_offset, section.len - u->line_offset);
	return true;
}

/* Folders and files before DWARF 5: strings up to an empty one. */
static void read_old_files(struct bytes_reader *r, struct dwarf_line_files *out)
{
	struct name_list folders = { 0 };
	const char *name;

	vec_push(&folders.list, NULL);
	while ((name = reader_cstring(r, NULL)) && name[0] && folders.list.len < MAX_FILES)
		vec_push(&folders.list, name);
	out->first = 1;
	while ((name = reader_cstring(r, NULL)) && name[0] && out->list.len < MAX_FILES) {
		uint64_t folder = dwarf_uleb(r);
		dwarf_uleb(r); /* time */
		dwarf_uleb(r); /* size */
		struct dwarf_line_file file = { .name = name };
		if (folder < folders.list.len)
			file.folder = folders.list.data[folder];
		vec_push(&out->list, file);
	}
	vec_release(&folders.list);
}

/* How the entries of a table of DWARF 5 are written. */
static size_t read_formats(struct bytes_reader *r, struct line_format *formats)
{
	size_t count = reader_u8(r);

	if (count > MAX_FORMATS) {
		r->failed = true;
		return 0;
	}
	for (size_t i = 0; i < count; i++) {
		uint64_t content = dwarf_uleb(r), form = dwarf_uleb(r);
		if (form > UINT16_MAX)
			r->failed = true;
		formats[i] = (struct line_format){ content, (uint16_t)form };
	}
	return count;
}

/* One entry of a table of DWARF 5: its path, and the index of its folder. */
static struct dwarf_line_file read_entry(const struct dwarf_unit *u, struct bytes_reader *r,
					 const struct dwarf_widths *w,
					 const struct line_format *formats, size_t count,
					 uint64_t *folder)
{
	const uint8_t *data = u->file->sections[DWARF_LINE].data;
	struct dwarf_line_file out = { 0 };

	*folder = 0;
	for (size_t i = 0; i < count; i++) {
		struct dwarf_value v = dwarf_value_read(r, formats[i].form, w, data);
		if (formats[i].content == DW_LNCT_directory_index)
			*folder = v.number;
		else if (formats[i].content == DW_LNCT_path && v.form == DW_FORM_string)
			out.name = r->failed ? NULL : (const char *)data + v.number;
		else if (formats[i].content == DW_LNCT_path)
			out.name = dwarf_value_string(u, v);
	}
	return out;
}

static void read_new_files(const struct dwarf_unit *u, struct bytes_reader *r,
			   const struct dwarf_widths *w, struct dwarf_line_files *out)
{
	struct line_format formats[MAX_FORMATS];
	struct name_list folders = { 0 };
	uint64_t folder;

	size_t columns = read_formats(r, formats);
	uint64_t count = dwarf_uleb(r);
	for (uint64_t i = 0; i < count && !r->failed && columns && i < MAX_FILES; i++) {
		struct dwarf_line_file f = read_entry(u, r, w, formats, columns, &folder);
		vec_push(&folders.list, f.name);
	}
	columns = read_formats(r, formats);
	count = dwarf_uleb(r);
	for (uint64_t i = 0; i < count && !r->failed && columns && i < MAX_FILES; i++) {
		struct dwarf_line_file f = read_entry(u, r, w, formats, columns, &folder);
		if (folder < folders.list.len)
			f.folder = folders.list.data[folder];
		vec_push(&out->list, f);
	}
	vec_release(&folders.list);
}

/* files: NULL when only the program is wanted. */
static bool read_header(const struct dwarf_unit *u, struct line_header *h,
			struct dwarf_line_files *files)
{
	struct bytes_reader r;

	memset(h, 0, sizeof(*h));
	if (!find_program(u, &r))
		return false;
	uint64_t len = dwarf_fixed(&r, 4);
	h->widths.offset = len == UINT32_MAX ? 8 : 4;
	h->widths.address = u->widths.address;
	if (len == UINT32_MAX)
		len = dwarf_fixed(&r, 8);
	if (r.failed || len > reader_left(&r))
		return false;
	r.end = r.pos + len;
	uint64_t version = dwarf_fixed(&r, 2);
	h->widths.version = (uint8_t)version;
	if (version < 2 || version > 5)
		return false;
	if (version == 5) {
		h->widths.address = reader_u8(&r);
		reader_u8(&r); /* segment selectors */
	}
	uint64_t header_length = dwarf_fixed(&r, h->widths.offset);
	if (r.failed || header_length > reader_left(&r))
		return false;
	reader_init(&h->program, r.pos + header_length, reader_left(&r) - header_length);
	h->min_length = reader_u8(&r);
	if (version >= 4)
		reader_u8(&r); /* operations in an instruction: 1 on all machines we know */
	reader_u8(&r);	       /* is_stmt by default */
	h->line_base = (int8_t)reader_u8(&r);
	h->line_range = reader_u8(&r);
	h->opcode_base = reader_u8(&r);
	for (unsigned i = 1; i < h->opcode_base; i++)
		h->operands[i] = reader_u8(&r);
	if (!r.failed && files && version == 5)
		read_new_files(u, &r, &h->widths, files);
	else if (!r.failed && files)
		read_old_files(&r, files);
	return !r.failed && h->line_range != 0 && h->opcode_base != 0 &&
	       (h->widths.address == 4 || h->widths.address == 8);
}

void dwarf_unit_read_files(struct dwarf_unit *u)
{
	struct line_header h;

	if (u->has_files)
		return;
	u->has_files = true;
	if (dwarf_unit_attributes(u, NULL))
		read_header(u, &h, &u->files);
}

static char *join(struct arena *arena, const char *a, const char *b, const char *c)
{
	size_t x = a ? strlen(a) : 0, y = b ? strlen(b) : 0, z = strlen(c);
	char *out = arena_alloc(arena, x + y + z + 3), *p = out;

	if (x) {
		memcpy(p, a, x);
		p += x;
		*p++ = '/';
	}
	if (y) {
		memcpy(p, b, y);
		p += y;
		*p++ = '/';
	}
	memcpy(p, c, z + 1);
	return out;
}

#define MAX_PATH_BYTES ((size_t)64 << 20) /* of all paths together */

static const char *full_path(struct dwarf_unit *u, const struct dwarf_line_file *f)
{
	struct dwarf_info *d = u->file->info;
	const char *folder = f->folder, *top = u->folder;

	if (!f->name || f->name[0] == '/' || d->arena.total_bytes > MAX_PATH_BYTES)
		return f->name;
	/* DWARF 5's first folder is the unit's own. */
	if (folder && (folder[0] == '/' || (top && strcmp(folder, top) == 0)))
		top = NULL;
	return folder || top ? join(&d->arena, top, folder, f->name) : f->name;
}

const char *dwarf_unit_file(struct dwarf_unit *u, uint32_t number)
{
	dwarf_unit_read_files(u);
	if (number < u->files.first || number - u->files.first >= u->files.list.len)
		return NULL;
	struct dwarf_line_file *f = &u->files.list.data[number - u->files.first];
	if (!f->path)
		f->path = full_path(u, f);
	return f->path;
}

/* Rows of a sequence are appended as they come; sequences that are out of the text are taken back.
 */
struct machine {
	struct dwarf_unit *unit;
	const struct line_header *header;
	uint64_t address, last_address;
	uint32_t file, line;
	size_t sequence_start; /* in rows */
	bool ordered;	       /* all of the sequence so far is */
	bool all_ordered;      /* sequences among themselves */
	uint64_t sequences_end;
};

static void start_sequence(struct machine *m)
{
	m->address = m->last_address = 0;
	m->file = 1;
	m->line = 1;
	m->sequence_start = m->unit->rows.len;
	m->ordered = true;
}

static void append_row(struct machine *m, uint32_t file, uint32_t line)
{
	struct dwarf_unit *u = m->unit;
	const struct dwarf_info *d = u->file->info;

	/* The end of a sequence is the first byte behind it. */
	bool outside = m->address < d->text_start || !m->address || m->address > d->text_end ||
		       m->address - d->text_start > UINT32_MAX - 1;
	m->ordered &= !outside && m->address >= m->last_address;
	if (!m->ordered)
		return;
	m->last_address = m->address;
	uint32_t start = (uint32_t)(m->address - d->text_start);
	struct dwarf_row *last =
		u->rows.len > m->sequence_start ? &u->rows.data[u->rows.len - 1] : NULL;
	if (last && last->start == start) /* the last one at an address counts */
		u->rows.len--;
	last = u->rows.len > m->sequence_start ? &u->rows.data[u->rows.len - 1] : NULL;
	if (!last || last->file != file || last->line != line)
		vec_push(&u->rows, ((struct dwarf_row){ start, file, line }));
}

static void end_sequence(struct machine *m)
{
	struct dwarf_unit *u = m->unit;

	append_row(m, DWARF_NONE, 0);
	if (!m->ordered || u->rows.len - m->sequence_start < 2) {
		u->rows.len = m->sequence_start;
	} else {
		m->all_ordered &= u->rows.data[m->sequence_start].start >= m->sequences_end;
		m->sequences_end = u->rows.data[u->rows.len - 1].start;
	}
	start_sequence(m);
}

static void run_extended(struct machine *m, struct bytes_reader *r)
{
	uint64_t len = dwarf_uleb(r);
	const uint8_t *p = reader_take(r, len);
	struct bytes_reader operands;

	if (!p || !len)
		return;
	reader_init(&operands, p + 1, len - 1);
	switch (p[0]) {
	case DW_LNE_end_sequence:
		end_sequence(m);
		break;
	case DW_LNE_set_address:
		if (len - 1 == 4 || len - 1 == 8)
			m->address = dwarf_fixed(&operands, len - 1);
		break;
	default: /* discriminators; nobody defines files here any more */
		break;
	}
}

static void advance(struct machine *m, uint64_t operations)
{
	m->address += operations * m->header->min_length;
}

/* DWARF_NONE is for ends. */
static uint32_t clamp_file(uint64_t file)
{
	return file < DWARF_NONE ? (uint32_t)file : DWARF_NONE - 1;
}

static void run_standard(struct machine *m, struct bytes_reader *r, uint8_t opcode)
{
	const struct line_header *h = m->header;

	switch (opcode) {
	case DW_LNS_extended:
		run_extended(m, r);
		break;
	case DW_LNS_copy:
		append_row(m, m->file, m->line);
		break;
	case DW_LNS_advance_pc:
		advance(m, dwarf_uleb(r));
		break;
	case DW_LNS_advance_line:
		m->line += (uint32_t)dwarf_sleb(r);
		break;
	case DW_LNS_set_file:
		m->file = clamp_file(dwarf_uleb(r));
		break;
	case DW_LNS_const_add_pc:
		advance(m, (255u - h->opcode_base) / h->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		m->address += dwarf_fixed(r, 2);
		break;
	default:
		for (uint8_t i = 0; i < h->operands[opcode]; i++)
			dwarf_uleb(r);
	}
}

static void run_program(struct machine *m, struct bytes_reader *r)
{
	const struct line_header *h = m->header;

	start_sequence(m);
	while (reader_left(r) && !r->failed) {
		uint8_t opcode = *r->pos++;
		if (opcode < h->opcode_base) {
			run_standard(m, r, opcode);
			continue;
		}
		unsigned special = (unsigned)opcode - h->opcode_base;
		advance(m, special / h->line_range);
		m->line += (uint32_t)(h->line_base + (int)(special % h->line_range));
		append_row(m, m->file, m->line);
	}
	/* A program that breaks off has no end for its last sequence. */
	m->unit->rows.len = m->sequence_start;
}

static int compare_sequences(const void *left, const void *right)
{
	const struct dwarf_row *const *a = left, *const *b = right;

	if ((*a)->start != (*b)->start)
		return (*a)->start < (*b)->start ? -1 : 1;
	return *a < *b ? -1 : *a > *b;
}

struct row_list {
	VEC(struct dwarf_row) list;
};

/* Appends a sequence; of one that begins inside the one before only what is behind that. */
static void append_sequence(struct row_list *out, const struct dwarf_row *row)
{
	uint32_t end = out->list.len ? out->list.data[out->list.len - 1].start : 0;

	for (;; row++) {
		bool last = row->file == DWARF_NONE;
		if (row->start >= end) {
			if (out->list.len && out->list.data[out->list.len - 1].start == row->start)
				out->list.len--;
			vec_push(&out->list, *row);
		} else if (!last && row[1].start > end) {
			out->list.len--;
			vec_push(&out->list, ((struct dwarf_row){ end, row->file, row->line }));
		}
		if (last)
			break;
	}
}

/* Functions in sections of their own come in any order. */
static void sort_sequences(struct dwarf_unit *u)
{
	VEC(const struct dwarf_row *) starts = { 0 };
	struct row_list sorted = { 0 };

	for (size_t i = 0; i < u->rows.len; i++)
		if (i == 0 || u->rows.data[i - 1].file == DWARF_NONE)
			vec_push(&starts, &u->rows.data[i]);
	if (starts.len)
		qsort(starts.data, starts.len, sizeof(*starts.data), compare_sequences);
	vec_reserve(&sorted.list, u->rows.len);
	for (size_t i = 0; i < starts.len; i++)
		append_sequence(&sorted, starts.data[i]);
	vec_release(&starts);
	vec_release(&u->rows);
	u->rows.data = sorted.list.data;
	u->rows.len = sorted.list.len;
	u->rows.cap = sorted.list.cap;
}

void dwarf_unit_read_rows(struct dwarf_unit *u)
{
	struct line_header h;
	struct machine m = { .unit = u, .header = &h, .all_ordered = true };

	if (u->has_rows)
		return;
	u->has_rows = true;
	if (!dwarf_unit_attributes(u, NULL) || !read_header(u, &h, NULL) ||
	    !dwarf_spend(u->file->info, reader_left(&h.program)))
		return;
	run_program(&m, &h.program);
	if (!m.all_ordered)
		sort_sequences(u);
}

const struct dwarf_row *dwarf_unit_row(struct dwarf_unit *u, uint64_t address, uint64_t *start,
				       uint64_t *end)
{
	uint64_t base = u->file->info->text_start, at = address - base;
	size_t n = ascending_count(ASCENDING(u->rows), at, &u->near_row);

	if (n == 0 || n == u->rows.len || u->rows.data[n - 1].file == DWARF_NONE)
		return NULL;
	*start = base + u->rows.data[n - 1].start;
	*end = base + u->rows.data[n].start;
	return &u->rows.data[n - 1];
}
