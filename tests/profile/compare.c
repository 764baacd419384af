/* The comparison goes through the schema: every column of every table. */
#include "compare.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "groups.h"
#include "profile/schema.h"

struct rows {
	const void *data;
	size_t len;
};

static struct rows rows_of(const struct profile *p, enum table_id table)
{
#define ROWS(field) ((struct rows){ p->field.data, p->field.len })
	switch (table) {
	case TABLE_MACHINES:
		return ROWS(machines);
	case TABLE_RUNS:
		return ROWS(runs);
	case TABLE_EVENTS:
		return ROWS(events);
	case TABLE_MODULES:
		return ROWS(modules);
	case TABLE_SPACES:
		return ROWS(spaces);
	case TABLE_TASKS:
		return ROWS(tasks);
	case TABLE_MAPPINGS:
		return ROWS(mappings);
	case TABLE_NODES:
		return ROWS(nodes);
	case TABLE_FUNCTIONS:
		return ROWS(functions);
	case TABLE_SAMPLES:
		return ROWS(samples);
	case TABLE_CLOCKS:
		return ROWS(clocks);
	case TABLE_CODE:
		return ROWS(code);
	case TABLE_SOURCES:
		return ROWS(sources);
	case TABLE_NOTES:
		return ROWS(notes);
	case TABLE_ALIASES:
		return ROWS(aliases);
	case TABLE_COUNTS:
		return ROWS(counts);
	case TABLE_GROUPS:
		return ROWS(groups);
	case TABLE_HEALTH:
		return (struct rows){ &p->health, 1 };
	default:
		return (struct rows){ NULL, 0 };
	}
#undef ROWS
}

static bool same_bytes(const struct profile *a, const void *x, const struct profile *b,
		       const void *y)
{
	struct extent m, n;

	memcpy(&m, x, sizeof(m));
	memcpy(&n, y, sizeof(n));
	return m.length == n.length &&
	       (m.length == 0 ||
		memcmp(a->blob.data + m.offset, b->blob.data + n.offset, m.length) == 0);
}

static bool same_cell(const struct column *c, const struct profile *a, const char *x,
		      const struct profile *b, const char *y)
{
	if (c->type == COLUMN_BYTES)
		return same_bytes(a, x + c->offset, b, y + c->offset);
	uint64_t v = column_load(c, x), w = column_load(c, y);
	if (c->type == COLUMN_STRING)
		return strcmp(profile_str(a, (uint32_t)v), profile_str(b, (uint32_t)w)) == 0;
	return v == w;
}

static void assert_same_table(enum table_id id, const struct profile *a, const struct profile *b)
{
	const struct table *t = schema_table(id);
	struct rows x = rows_of(a, id), y = rows_of(b, id);

	if (x.len != y.len)
		fail_msg("%s: %zu rows against %zu", t->name, x.len, y.len);
	for (size_t i = 0; i < x.len; i++) {
		for (size_t k = 0; k < t->column_count; k++) {
			const char *left = (const char *)x.data + i * t->row_size;
			const char *right = (const char *)y.data + i * t->row_size;
			if (!same_cell(&t->columns[k], a, left, b, right))
				fail_msg("%s, row %zu: %s differs", t->name, i, t->columns[k].name);
		}
	}
}

/* Where frames stand in their table does not matter: they are compared by the location they belong
 * to. */
static void assert_same_locations(const struct profile *a, const struct profile *b)
{
	assert_int_equal(a->locations.len, b->locations.len);
	for (size_t i = 0; i < a->locations.len; i++) {
		const struct profile_location *x = &a->locations.data[i],
					      *y = &b->locations.data[i];
		assert_int_equal(x->module, y->module);
		assert_true(x->address == y->address);
		assert_int_equal(x->frame_count, y->frame_count);
		for (uint32_t k = 0; k < x->frame_count; k++) {
			const struct profile_frame *f = &a->frames.data[x->first_frame + k];
			const struct profile_frame *g = &b->frames.data[y->first_frame + k];
			assert_int_equal(f->function, g->function);
			assert_int_equal(f->line, g->line);
			assert_string_equal(profile_str(a, f->file), profile_str(b, g->file));
		}
	}
}

void assert_same_profile(const struct profile *a, const struct profile *b)
{
	for (int i = TABLE_MACHINES; i < TABLE_COUNT; i++) {
		if (i != TABLE_FRAMES && i != TABLE_LOCATIONS)
			assert_same_table((enum table_id)i, a, b);
	}
	assert_same_locations(a, b);
	assert_int_equal(a->strings.strings.len, b->strings.strings.len);
	assert_true(a->health.complete == b->health.complete);
}

int sink_open(void)
{
	int fd = memfd_create("prof.data", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	return fd;
}

struct profile_writer *sink_writer(int fd)
{
	struct profile_writer_options options = { .fd = fd };
	struct profile_writer *w;

	assert_int_equal(profile_writer_new(&w, &options, NULL), 0);
	return w;
}

void sink_read(int fd, struct bytes *file)
{
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(io_read_all(fd, file, (size_t)1 << 30, NULL), 0);
	close(fd);
}

void write_profile(const struct profile *p, struct bytes *file)
{
	int fd = sink_open();
	struct profile_writer *w = sink_writer(fd);
	struct error err = { 0 };

	if (profile_write_all(p, w, &err) < 0 || profile_writer_finish(w, &err) < 0)
		fail_msg("%s", err.text);
	profile_writer_free(w);
	sink_read(fd, file);
}

void read_profile(const struct bytes *file, struct profile *p, struct profile_read_report *report)
{
	struct error err = { 0 };

	profile_init(p);
	if (profile_read_memory(p, file->data, file->len, "test.data", report, &err) < 0)
		fail_msg("%s", err.text);
	assert_true(profile_is_consistent(p));
	assert_int_equal(report->file_bytes, file->len);
}
