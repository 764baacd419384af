/* The independent reader of the embedded tree. */
#include "payload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/compress.h"

static unsigned digit(char c)
{
	static const char digits[] =
		"!\"#$%'()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~";
	const char *found = strchr(digits, c);

	assert_int_equal(strlen(digits), 91);
	assert_non_null(found);
	assert_int_not_equal(c, '\0');
	return (unsigned)(found - digits);
}

static void add_bits(struct bytes *out, uint64_t *held, unsigned *count, uint64_t value,
		     unsigned bits)
{
	*held |= value << *count;
	for (*count += bits; *count >= 8; *count -= 8, *held >>= 8)
		bytes_u8(out, (uint8_t)*held);
}

static void decode_base91(struct bytes *out, const char *s, size_t len)
{
	uint64_t held = 0;
	unsigned count = 0;

	for (size_t i = 0; i + 1 < len; i += 2) {
		unsigned value = digit(s[i]) + 91 * digit(s[i + 1]);
		/* 14 bits where both 13 and 14 of them are a value of two digits. */
		add_bits(out, &held, &count, value, value % 8192 <= 88 ? 14 : 13);
	}
	if (len % 2)
		add_bits(out, &held, &count, digit(s[len - 1]), 8 - count);
}

/* The words that strings are made of, each ended by a NUL in text. */
static void read_words(struct bytes *text, struct bytes_reader *r)
{
	uint64_t len = reader_varint(r);
	const uint8_t *at = reader_take(r, len);

	assert_non_null(at);
	bytes_append(text, at, len);
	bytes_u8(text, '\0');
	for (size_t i = 0; i < len; i++)
		if (text->data[i] == '\n')
			text->data[i] = '\0';
}

static void read_strings(struct payload_tree *t, struct bytes_reader *r)
{
	uint64_t count = reader_varint(r);
	struct bytes words = { 0 };
	const char *next = NULL;
	VEC(const char *) seen = { 0 };

	assert_in_range(count, 1, reader_left(r));
	read_words(&words, r);
	for (uint64_t i = 0; i < count; i++) {
		for (uint64_t k; (k = reader_varint(r)) > 0;) {
			if (k == 1) {
				next = next ? next + strlen(next) + 1 : (const char *)words.data;
				assert_true(next < (const char *)words.data + words.len);
				vec_push(&seen, next);
			}
			assert_in_range(k, 1, seen.len + 1);
			const char *word = seen.data[k == 1 ? seen.len - 1 : k - 2];
			bytes_append(&t->text, word, strlen(word));
		}
		bytes_u8(&t->text, '\0');
	}
	for (const char *s = (const char *)t->text.data; count > 0; count--, s += strlen(s) + 1)
		vec_push(&t->strings, s);
	vec_release(&seen);
	bytes_release(&words);
}

static uint32_t read_name(const struct payload_tree *t, struct bytes_reader *r, uint32_t before)
{
	int64_t id = before + reader_zigzag(r);

	assert_in_range(id, 0, t->strings.len - 1);
	return (uint32_t)id;
}

static void read_frames(struct payload_tree *t, struct bytes_reader *r)
{
	uint64_t count = reader_varint(r);
	struct payload_frame none = { 0 };

	assert_in_range(count, 1, reader_left(r));
	for (uint64_t i = 0; i < count; i++)
		vec_push(&t->frames, none);
	for (uint64_t i = 0; i < count; i++)
		t->frames.data[i].name = read_name(t, r, i ? t->frames.data[i - 1].name : 0);
	for (uint64_t i = 0; i < count; i++)
		t->frames.data[i].module = read_name(t, r, i ? t->frames.data[i - 1].module : 0);
	for (uint64_t i = 0; i < count; i++)
		t->frames.data[i].file = read_name(t, r, i ? t->frames.data[i - 1].file : 0);
	for (uint64_t i = 0; i < count; i++)
		t->frames.data[i].line = reader_varint(r);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t traits = reader_varint(r);
		t->frames.data[i].kind = traits & 7;
		t->frames.data[i].guessed = traits >> 3 & 1;
		t->frames.data[i].shade = (unsigned)(traits >> 4);
	}
}

static void read_parents(struct payload_tree *t, struct bytes_reader *r)
{
	for (uint32_t i = 0; i < t->nodes.len; i++) {
		uint64_t pops = reader_varint(r);
		uint32_t parent = i - 1;
		for (; pops > 0; pops--) {
			assert_int_not_equal(parent, UINT32_MAX);
			parent = t->nodes.data[parent].parent;
		}
		t->nodes.data[i].parent = parent;
		assert_true((i == 0) == (parent == UINT32_MAX));
	}
}

struct callees {
	VEC(uint32_t) frames;
};

static uint32_t read_callee(struct bytes_reader *callee, uint32_t *seen)
{
	uint64_t v = reader_varint(callee);

	return v ? (uint32_t)v - 1 : ++*seen;
}

static void read_calls(struct payload_tree *t, struct bytes_reader *r)
{
	struct callees *of = xcalloc(t->frames.len, sizeof(*of));
	uint64_t *calls = xcalloc(t->nodes.len, sizeof(*calls));
	uint32_t seen = 0;

	for (size_t i = 0; i < t->nodes.len; i++)
		calls[i] = reader_varint(r);
	for (size_t i = 0; i < t->nodes.len; i++) {
		struct payload_node *n = &t->nodes.data[i];
		struct callees *known = &of[i ? t->nodes.data[n->parent].frame : 0];
		if (calls[i] == 0)
			vec_push(&known->frames, read_callee(r, &seen));
		uint64_t at = calls[i] ? calls[i] - 1 : known->frames.len - 1;
		assert_in_range(at, 0, known->frames.len - 1);
		n->frame = known->frames.data[at];
		assert_in_range(n->frame, 0, t->frames.len - 1);
	}
	assert_int_equal(seen, t->frames.len - 1);
	for (size_t i = 0; i < t->frames.len; i++)
		vec_release(&of[i].frames);
	free(of);
	free(calls);
}

static const char *read_string(const struct payload_tree *t, struct bytes_reader *r)
{
	uint64_t id = reader_varint(r);

	assert_in_range(id, 0, t->strings.len - 1);
	return t->strings.data[id];
}

static void read_metrics(struct payload_tree *t, struct bytes_reader *r)
{
	uint64_t count = reader_varint(r);

	assert_in_range(count, 1, reader_left(r));
	for (uint64_t i = 0; i < count; i++) {
		struct payload_metric m = { 0 };
		m.name = read_string(t, r);
		m.label = read_string(t, r);
		m.unit = (unsigned)reader_varint(r);
		m.flags = (unsigned)reader_varint(r);
		m.period = reader_varint(r);
		assert_in_range(m.unit, 0, 2);
		assert_in_range(m.flags, 0, 3);
		vec_push(&t->metrics, m);
	}
}

static void read_axes(struct payload_tree *t, struct bytes_reader *r)
{
	t->cells = (unsigned)reader_varint(r);
	t->slices = 1;
	if (t->cells < 2)
		return;
	assert_int_equal(t->cells, 2);
	uint64_t count = reader_varint(r), tid = 0;
	assert_in_range(count, 1, reader_left(r));
	for (uint64_t i = 0; i < count; i++) {
		struct payload_thread thread = { .name = read_string(t, r) };
		thread.process = read_string(t, r);
		thread.tid = reader_varint(r);
		thread.pid = reader_varint(r);
		assert_true(thread.name[0] || i + 1 == count);
		vec_push(&t->threads, thread);
	}
	uint64_t merged = t->threads.data[count - 1].name[0] ? 0 : reader_varint(r);
	for (; merged > 0; merged--) {
		tid += (uint64_t)reader_zigzag(r);
		vec_push(&t->tids, tid);
	}
	t->slices = reader_varint(r);
	t->start = reader_varint(r);
	t->slice = reader_varint(r);
	t->end = reader_varint(r);
	assert_true(t->slices > 1 || count > 1);
}

/* The place of cell i, from the differences to the one before. */
static void place_cell(const struct payload_tree *t, struct payload_metric *m, size_t i)
{
	struct payload_cell *c = &m->cells.data[i];
	bool same_node = i > 0 && c[-1].node == c->node;

	if (same_node)
		c->thread += c[-1].thread;
	if (same_node && c[-1].thread == c->thread)
		c->slice += c[-1].slice + 1;
	assert_in_range(c->thread, 0, t->threads.len - 1);
	assert_in_range(c->slice, 0, t->slices - 1);
}

static void read_cells(const struct payload_tree *t, struct bytes_reader *r,
		       struct payload_metric *m)
{
	for (uint32_t n = 0; n < t->nodes.len; n++)
		for (uint64_t count = reader_varint(r); count > 0 && !r->failed; count--)
			vec_push(&m->cells, ((struct payload_cell){ .node = n }));
	for (size_t i = 0; i < m->cells.len && t->threads.len > 1; i++)
		m->cells.data[i].thread = (uint32_t)reader_varint(r);
	for (size_t i = 0; i < m->cells.len && t->slices > 1; i++)
		m->cells.data[i].slice = (uint32_t)reader_varint(r);
	for (size_t i = 0; i < m->cells.len; i++)
		m->cells.data[i].samples = reader_varint(r);
	for (size_t i = 0; i < m->cells.len; i++) {
		struct payload_cell *c = &m->cells.data[i];
		place_cell(t, m, i);
		c->weight = c->samples * m->period + (uint64_t)reader_zigzag(r);
		m->samples[c->node] += c->samples;
		m->self[c->node] += c->weight;
	}
}

static void read_weights(const struct payload_tree *t, struct bytes_reader *r,
			 struct payload_metric *m)
{
	size_t nodes = t->nodes.len;

	m->self = xcalloc(nodes, sizeof(*m->self));
	m->total = xcalloc(nodes, sizeof(*m->total));
	m->samples = xcalloc(nodes, sizeof(*m->samples));
	if (m->flags & 2)
		read_cells(t, r, m);
	for (size_t i = 0; i < nodes && !(m->flags & 2); i++)
		m->samples[i] = reader_varint(r);
	for (size_t i = 0; i < nodes && !(m->flags & 2); i++)
		m->self[i] = m->samples[i] * m->period + (uint64_t)reader_zigzag(r);
	memcpy(m->total, m->self, nodes * sizeof(*m->total));
	for (size_t i = nodes; i-- > 1;)
		m->total[t->nodes.data[i].parent] += m->total[i];
}

static void read_small(struct payload_tree *t, struct bytes_reader *r)
{
	for (size_t i = 0; i < t->nodes.len; i++) {
		struct payload_node *n = &t->nodes.data[i];
		n->self = t->metrics.data[0].self[i];
		n->total = t->metrics.data[0].total[i];
		n->samples = t->metrics.data[0].samples[i];
		if (n->frame == 0)
			t->small += n->small = reader_varint(r);
	}
}

static void read_ends(const struct payload_tree *t, struct bytes_reader *r, size_t metric)
{
	uint64_t node = 0, taken = 0, samples = 0;

	assert_in_range(reader_varint(r), 0, 63);
	for (uint64_t count = reader_varint(r), i = 0; i < count; i++) {
		uint64_t away = reader_varint(r);
		node += away;
		taken = away ? 0 : taken;
		assert_in_range(node, 0, t->nodes.len - 1);
		assert_in_range(reader_varint(r), 0, 63);
		samples = reader_varint(r);
		taken += samples;
		assert_in_range(samples, 1, taken);
		assert_in_range(taken, 1, t->metrics.data[metric].samples[node]);
	}
}

/* What is known of the recording, for a report. */
static void read_recorded(struct payload_tree *t, struct bytes_reader *r)
{
	uint64_t numbers = reader_varint(r);

	assert_int_equal(numbers, 6 + 18);
	for (uint64_t i = 0; i < numbers; i++)
		reader_varint(r);
	for (unsigned i = 0; i < 4; i++)
		assert_in_range(reader_varint(r), 0, t->strings.len - 1);
	for (size_t i = 0; i < 4 * t->metrics.len; i++)
		reader_varint(r);
	for (uint64_t modules = reader_varint(r), i = 0; i < 2 * modules; i++)
		assert_in_range(reader_varint(r), 0, t->strings.len - 1);
	for (size_t i = 0; i < t->metrics.len; i++)
		read_ends(t, r, i);
}

void payload_read(struct payload_tree *t, const char *text, size_t len)
{
	struct bytes packed = { 0 }, raw = { 0 };
	struct bytes_reader r;
	struct payload_node none = { 0 };

	memset(t, 0, sizeof(*t));
	decode_base91(&packed, text, len);
	assert_int_equal(zlib_inflate(&raw, packed.data, packed.len, (size_t)1 << 30, NULL), 0);
	reader_init(&r, raw.data, raw.len);
	assert_int_equal(reader_varint(&r), 2);
	read_strings(t, &r);
	read_frames(t, &r);
	read_metrics(t, &r);
	read_axes(t, &r);
	uint64_t nodes = reader_varint(&r);
	assert_in_range(nodes, 1, reader_left(&r));
	for (uint64_t i = 0; i < nodes; i++)
		vec_push(&t->nodes, none);
	read_parents(t, &r);
	read_calls(t, &r);
	for (size_t i = 0; i < t->metrics.len; i++)
		read_weights(t, &r, &t->metrics.data[i]);
	read_small(t, &r);
	if (reader_left(&r) > 0)
		read_recorded(t, &r);
	assert_false(r.failed);
	assert_int_equal(reader_left(&r), 0);
	bytes_release(&packed);
	bytes_release(&raw);
}

const char *payload_find(const struct bytes *svg, size_t *len)
{
	const char *start = memmem(svg->data, svg->len, "<metadata", 9);

	assert_non_null(start);
	const char *text = strchr(start, '>') + 1, *end = strstr(text, "</metadata>");
	assert_non_null(end);
	*len = (size_t)(end - text);
	return text;
}

uint64_t payload_total(const struct payload_tree *t, const char *name)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->nodes.len; i++)
		if (strcmp(t->strings.data[t->frames.data[t->nodes.data[i].frame].name], name) == 0)
			sum += t->nodes.data[i].total;
	return sum;
}

void payload_release(struct payload_tree *t)
{
	bytes_release(&t->text);
	vec_release(&t->strings);
	vec_release(&t->frames);
	vec_release(&t->nodes);
	for (size_t i = 0; i < t->metrics.len; i++) {
		free(t->metrics.data[i].self);
		free(t->metrics.data[i].total);
		free(t->metrics.data[i].samples);
		vec_release(&t->metrics.data[i].cells);
	}
	vec_release(&t->threads);
	vec_release(&t->tids);
	vec_release(&t->metrics);
}
