/* clang-format off */
/*
 * The embedded tree. Before zlib and base91 it is these bytes; integers are LEB128, each column
 * complete:
 *
 *   version (2)
 *   strings: count; length in bytes of their words, then these joined by '\n'; then for each string
 *            its words: 1 for the next one, k + 2 for the k-th again, 0 at the end. Words are what
 *            names are made of: std :: vector < int >. Strings are printable; string 0 is ""
 *   frames, in the order of their first node: count, then columns:
 *     name, module, file: strings, each as zigzag difference to the row before
 *     line: a number
 *     traits: kind + 8 * guessed + 16 * shade. Where a metric gives the colours the shade is its step
 *     Frame 0 is "small frames".
 *   metrics: count, then for each: name and label (strings; the label is what a number of a metric
 *            without unit is called), unit (0: none, 1: ns, 2: bytes), flags (1: numbers of
 *            samples say nothing; 2: its weights are in cells; 4: it is none,
 *            see below), weight per sample (p)
 *   cells: 0: no metric has any; 1: none, they would have been too many; 2: there are, and of these
 *     threads: count, then for each: name and process (strings), tid and pid. The heaviest come
 *            first. If the last one's name is "", it is several: their number and their tids
 *            follow, each as zigzag difference to the one before (the first to 0)
 *     time:  number of slices, ns where the first begins (from the beginning of the profile), ns of
 *            each, rounded up, and ns where the last ends. They are equal: slice i begins with the
 *            first ns at which i / slices of the whole time are over. (Other writers had slices of
 *            exactly so many ns, of which the last may have ended within.)
 *   nodes, in preorder: count, then columns:
 *     pops: levels to go up from the node before to reach the parent (0: its child); 0 for node 0
 *     call: which callee of its parent's frame it is: k + 1 for the k-th distinct one seen so far, 0
 *           for a new one, which follows in the next column (node 0's parent frame is 0)
 *     callees: for each new call 0 for the first frame not seen yet, or the number of the frame + 1
 *   for each metric without cells: columns, by node: samples with it as leaf (n); self weight - n * p,
 *     zigzag
 *   for each metric with cells: a column, by node: how many cells are its own. Then columns by cell,
 *     in the order of nodes, and for each node of threads and slices: thread, less that of the
 *     node's cell before; slice, less the one after that of the node's cell before when the thread
 *     is the same; samples (n); weight - n * p, zigzag. The column of threads is left out where
 *     there is one, and that of slices likewise
 *   for each node of frame 0: how many frames it stands for
 *   then, or nothing, the recording of the first metric, which a report needs and the script does not:
 *     numbers: count, then: 1 where these are not all its samples, 1 where it was finished, ns of wall
 *            time, ns that the machine's CPUs worked, ns stolen from them, number of CPUs, and those of
 *            profile_health_number(). Others may follow
 *     strings: the command, what recorded it, host, architecture
 *     for each metric, of its event: flags (1: without the kernel, 2: without user code, 4: of whole
 *            CPUs), period, frequency, exact count (0: not known, or of no event)
 *     modules without names: count, then for each its path and why (strings)
 *     for each metric, how the stacks of its samples ended, and how they were found: of most of them
 *            (enum stack_end + 16 where a frame was guessed + 32 where one was read later), then a count
 *            of exceptions, and for each: the node, less that of the one before, the same sum, and how
 *            many samples of the node. They follow each other by node
 *
 * Metrics are the events of the profile, the one that is shown first before the others. The tree has
 * the stacks of all of them. Of two profiles that are compared they are the new one's and the base's;
 * then come, with flag 4, by how much each node's share of the new and of the base may be off by time
 * slices, as half of the 95 % interval in units of 1e-7 of all. A node's total is its self weight and
 * its children's totals. Frames that do not fit the budget are summed in a "small frames" child of
 * their parent, so that all sums stay exact.
 *
 * Version 1, in base64, had neither metrics nor cells; p followed the number of nodes, and what the
 * metric is stood in attributes of the element.
 */
/* clang-format on */
#include <stdlib.h>
#include <string.h>

#include "base/base91.h"
#include "base/compress.h"
#include "base/hash.h"
#include "base/text.h"
#include "output/flame_cells.h"
#include "output/flame_colour.h"

#define NAME_COLUMNS 65536
/* What is small is packed in a third of the time and grows by 7 %. */
#define SMALL_BYTES ((size_t)320 << 10)
#define SMALL_LEVEL 3
#define LEVEL	    7

/* raw stays while the payload is made. */
uint32_t flame_string(struct strtab *strings, const char *raw)
{
	struct bytes printable = { 0 }, cut = { 0 };
	size_t len = strlen(raw);

	if (len <= NAME_COLUMNS && text_plain_length(raw, len) == len)
		return strtab_add_lent(strings, raw, len);
	text_append_printable(&printable, raw, len);
	flame_cut(&cut, (const char *)printable.data, printable.len, NAME_COLUMNS);
	uint32_t id = strtab_add(strings, (const char *)cut.data, cut.len);
	bytes_release(&printable);
	bytes_release(&cut);
	return id;
}

struct frame_columns {
	struct strtab *strings;
	const struct flame_colour *colour;
	uint32_t last[3];		     /* strings of the row before */
	const char *raw[3];		     /* what they were made of */
	struct bytes names[3], line, traits; /* name, module, file */
};

static void add_name(struct frame_columns *c, unsigned column, const char *raw)
{
	bool is_same = raw == c->raw[column];
	uint32_t id = is_same ? c->last[column] : flame_string(c->strings, raw);

	c->raw[column] = raw;
	bytes_zigzag(&c->names[column], (int64_t)id - c->last[column]);
	c->last[column] = id;
}

static void add_frame(struct frame_columns *c, const struct calltree *t,
		      const struct flame_frame *f)
{
	const struct profile *profile = t->profile;
	const struct calltree_key *key = &t->keys.data[f->key];
	const char *module = "";

	if (key->module < profile->modules.len)
		module = profile_str(profile, profile->modules.data[key->module].path);
	add_name(c, 0, key->name);
	add_name(c, 1, module);
	add_name(c, 2, profile_str(profile, key->file));
	bytes_varint(&c->line, key->line);
	uint32_t name = c->last[0];
	unsigned kind = f->kind < FLAME_KINDS ? f->kind : CODE_UNKNOWN;
	bool is_code = kind != CODE_SYNTHETIC && kind != CODE_THREAD;
	unsigned shade = c->colour && is_code ? flame_colour_step(c->colour, key)
					      : flame_shade(strtab_get(c->strings, name),
							    strtab_len(c->strings, name));
	bytes_varint(&c->traits, kind + 8u * f->guessed + 16u * shade);
}

static void append_release(struct bytes *out, struct bytes *part)
{
	bytes_append(out, part->data, part->len);
	bytes_release(part);
}

static void add_frames(struct bytes *out, struct strtab *strings, const struct calltree *t,
		       const struct flame_places *places, const struct flame_colour *colour)
{
	struct frame_columns c = { .strings = strings, .colour = colour };

	for (unsigned column = 0; column < 3; column++)
		add_name(&c, column, "");
	bytes_varint(&c.line, 0);
	bytes_varint(&c.traits, CODE_SYNTHETIC);
	for (size_t i = 0; i < places->frames.len; i++)
		add_frame(&c, t, &places->frames.data[i]);
	bytes_varint(out, places->frames.len + 1);
	for (unsigned column = 0; column < 3; column++)
		append_release(out, &c.names[column]);
	append_release(out, &c.line);
	append_release(out, &c.traits);
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || (c & 0x80);
}

/* Bytes of the word that s begins with: letters and digits, or what is between them. */
static size_t word_length(const char *s, size_t len)
{
	size_t n = 1;

	while (n < len && is_word(s[n]) == is_word(s[0]))
		n++;
	return n;
}

static void add_words(struct bytes *out, struct bytes *text, struct strtab *words, const char *s,
		      size_t len)
{
	while (len > 0) {
		size_t n = word_length(s, len), known = words->strings.len;
		uint32_t id = strtab_add(words, s, n);
		bool is_new = id == known;
		if (is_new && text->len > 0)
			bytes_u8(text, '\n');
		if (is_new)
			bytes_append(text, s, n);
		/* Word 0 of the table is "", which is none. */
		bytes_varint(out, is_new ? 1 : id + 1);
		s += n;
		len -= n;
	}
	bytes_u8(out, 0);
}

static void add_strings(struct bytes *out, const struct strtab *strings)
{
	struct bytes text = { 0 }, names = { 0 };
	struct strtab words;

	strtab_init(&words);
	for (uint32_t i = 0; i < strings->strings.len; i++)
		add_words(&names, &text, &words, strtab_get(strings, i), strtab_len(strings, i));
	bytes_varint(out, strings->strings.len);
	bytes_varint(out, text.len);
	append_release(out, &text);
	append_release(out, &names);
	strtab_release(&words);
}

static uint64_t sum_of(const uint64_t *values, size_t len)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < len; i++)
		sum += values[i];
	return sum;
}

static uint64_t weight_per_sample(const struct flame_metric *m, size_t nodes)
{
	uint64_t samples = sum_of(m->samples, nodes);

	return samples > 0 ? sum_of(m->self, nodes) / samples : 0;
}

static bool has_cells(const struct flame_cells *cells, size_t metric)
{
	return cells->state == FLAME_CELLS_THERE && cells->lists[metric].rows.len > 0;
}

static void add_metrics(struct bytes *out, struct strtab *strings, const struct calltree *t,
			const struct flame_metrics *metrics, const struct flame_cells *cells)
{
	bytes_varint(out, metrics->rows.len);
	for (size_t i = 0; i < metrics->rows.len; i++) {
		const struct flame_metric *m = &metrics->rows.data[i];
		bytes_varint(out, flame_string(strings, m->name));
		bytes_varint(out, flame_string(strings, m->label));
		bytes_varint(out, m->unit);
		bytes_varint(out, m->flags | (has_cells(cells, i) ? FLAME_CELLED : 0u));
		bytes_varint(out, weight_per_sample(m, t->nodes.len));
	}
}

static void add_weights(struct bytes *out, const struct flame_metric *m, const struct calltree *t,
			const struct flame_places *places)
{
	uint64_t *samples = xcalloc(places->count, sizeof(*samples));
	uint64_t *self = xcalloc(places->count, sizeof(*self));
	uint64_t period = weight_per_sample(m, t->nodes.len);

	for (size_t n = 0; n < t->nodes.len; n++) {
		samples[places->slot[n]] += m->samples[n];
		self[places->slot[n]] += m->self[n];
	}
	for (size_t i = 0; i < places->count; i++)
		bytes_varint(out, samples[i]);
	/* Wraps for weights above 2^63; the reader's sum wraps back. */
	for (size_t i = 0; i < places->count; i++)
		bytes_zigzag(out, (int64_t)(self[i] - samples[i] * period));
	free(samples);
	free(self);
}

static void add_thread(struct bytes *out, struct strtab *strings, const struct flame_thread *thread,
		       bool is_merged)
{
	bytes_varint(out, flame_string(strings, is_merged ? "" : thread->name));
	bytes_varint(out, flame_string(strings, is_merged ? "" : thread->process));
	bytes_varint(out, is_merged ? 0 : thread->tid);
	bytes_varint(out, is_merged ? 0 : thread->pid);
}

static void add_axes(struct bytes *out, struct strtab *strings, const struct flame_cells *c)
{
	bytes_varint(out, c->state);
	if (c->state != FLAME_CELLS_THERE)
		return;
	size_t own = c->thread_count < c->threads.len ? c->thread_count - 1 : c->thread_count;
	bytes_varint(out, c->thread_count);
	for (size_t i = 0; i < c->thread_count; i++)
		add_thread(out, strings, &c->threads.data[i], i >= own);
	if (own < c->thread_count) {
		bytes_varint(out, c->threads.len - own);
		for (size_t i = own; i < c->threads.len; i++)
			bytes_zigzag(out, (int64_t)c->threads.data[i].tid -
						  (i > own ? c->threads.data[i - 1].tid : 0));
	}
	bytes_varint(out, c->slices);
	bytes_varint(out, c->start_ns);
	bytes_varint(out, (c->end_ns - c->start_ns + c->slices - 1) / c->slices);
	bytes_varint(out, c->end_ns);
}

/* Cells by node, then their columns. */
static void add_cells(struct bytes *out, const struct flame_cells *c,
		      const struct flame_cell_list *list, uint64_t period, size_t nodes)
{
	struct bytes threads = { 0 }, slices = { 0 }, samples = { 0 }, weights = { 0 };
	size_t i = 0;

	for (size_t slot = 0; slot < nodes; slot++) {
		uint32_t thread = 0, slice = 0;
		size_t first = i;
		for (; i < list->rows.len && list->rows.data[i].slot == slot; i++) {
			const struct flame_cell *cell = &list->rows.data[i];
			if (cell->thread != thread)
				slice = 0;
			bytes_varint(&threads, cell->thread - thread);
			bytes_varint(&slices, cell->slice - slice);
			bytes_varint(&samples, cell->samples);
			bytes_zigzag(&weights, (int64_t)(cell->weight - cell->samples * period));
			thread = cell->thread;
			slice = cell->slice + 1;
		}
		bytes_varint(out, i - first);
	}
	if (c->thread_count > 1)
		bytes_append(out, threads.data, threads.len);
	if (c->slices > 1)
		bytes_append(out, slices.data, slices.len);
	bytes_release(&threads);
	bytes_release(&slices);
	append_release(out, &samples);
	append_release(out, &weights);
}

/* All before compression. */
static void add_all(struct bytes *out, const struct calltree *t,
		    const struct flame_metrics *metrics, struct flame_places *places,
		    const struct flame_cells *cells)
{
	struct strtab strings;
	struct bytes tables = { 0 }, recorded = { 0 };

	strtab_init(&strings);
	add_frames(&tables, &strings, t, places, metrics->colour);
	add_metrics(&tables, &strings, t, metrics, cells);
	add_axes(&tables, &strings, cells);
	flame_recorded_append(&recorded, &strings, metrics, places);
	bytes_varint(out, 2);
	add_strings(out, &strings);
	append_release(out, &tables);
	bytes_varint(out, places->count);
	append_release(out, &places->pops);
	append_release(out, &places->call);
	append_release(out, &places->callee);
	for (size_t i = 0; i < metrics->rows.len; i++) {
		const struct flame_metric *m = &metrics->rows.data[i];
		if (has_cells(cells, i))
			add_cells(out, cells, &cells->lists[i], weight_per_sample(m, t->nodes.len),
				  places->count);
		else
			add_weights(out, m, t, places);
	}
	append_release(out, &places->small);
	append_release(out, &recorded);
	strtab_release(&strings);
}

bool flame_payload(struct bytes *out, const struct calltree *t, const struct flame_metrics *metrics,
		   size_t budget)
{
	uint8_t *keep = xcalloc(t->nodes.len + 1, 1);
	uint64_t *rank = flame_rank(t, metrics);
	struct flame_places places;
	struct flame_cells cells;
	struct bytes raw = { 0 }, packed = { 0 };

	flame_prune(t, rank, budget, keep);
	flame_places_build(&places, t, keep);
	flame_cells_build(&cells, metrics, &places, FLAME_CELL_BUDGET);
	add_all(&raw, t, metrics, &places, &cells);
	bool is_celled = cells.state == FLAME_CELLS_THERE;
	flame_cells_release(&cells);
	zlib_deflate(&packed, raw.data, raw.len, raw.len <= SMALL_BYTES ? SMALL_LEVEL : LEVEL);
	base91_encode(out, packed.data, packed.len);
	bytes_release(&raw);
	bytes_release(&packed);
	flame_places_release(&places);
	free(rank);
	free(keep);
	return is_celled;
}
