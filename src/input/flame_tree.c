/* Columns to nodes. Every count is checked against what is left before anything is allocated. */
#include "input/flame_tree.h"

#include <string.h>

#include "base/hash.h"
#include "input/flame_recorded.h"
#include "input/flame_strings.h"

#define NODES_MAX   ((uint64_t)4 << 20) /* far above what prof embeds */
#define METRICS_MAX 4096
#define THREADS_MAX 65536
#define SLICES_MAX  4096
#define TIME_MAX    ((uint64_t)INT64_MAX / 4)
#define CELLS_MAX   ((uint64_t)4 << 20)

struct decoder {
	struct flame_tree *tree;
	struct bytes_reader r;
	VEC(uint32_t) call;    /* column, by node */
	VEC(uint32_t) callees; /* by frame: distinct ones so far */
	struct hmap callee;    /* caller << 32 | which → frame */
	uint32_t frames_seen;
};

/* A count of things that take at least size bytes each. */
static uint64_t read_count(struct bytes_reader *r, size_t size)
{
	uint64_t n = reader_varint(r);

	if (n > reader_left(r) / size)
		r->failed = true;
	return r->failed ? 0 : n;
}

static void read_names(struct decoder *d, size_t field)
{
	int64_t id = 0;

	for (size_t i = 0; i < d->tree->frames.len; i++) {
		if (__builtin_add_overflow(id, reader_zigzag(&d->r), &id) || id < 0 ||
		    (uint64_t)id >= d->tree->strings.len) {
			d->r.failed = true;
			return;
		}
		char *frame = (char *)&d->tree->frames.data[i];
		memcpy(frame + field, &d->tree->strings.data[id], sizeof(struct flame_string));
	}
}

static void read_frames(struct decoder *d)
{
	uint64_t count = read_count(&d->r, 5);

	d->r.failed |= count == 0;
	for (uint64_t i = 0; i < count; i++)
		vec_push(&d->tree->frames, (struct flame_tree_frame){ 0 });
	read_names(d, offsetof(struct flame_tree_frame, name));
	read_names(d, offsetof(struct flame_tree_frame, module));
	read_names(d, offsetof(struct flame_tree_frame, file));
	for (size_t i = 0; i < d->tree->frames.len; i++) {
		uint64_t line = reader_varint(&d->r);
		d->tree->frames.data[i].line = line <= INT32_MAX ? (uint32_t)line : 0;
	}
	for (size_t i = 0; i < d->tree->frames.len; i++) {
		uint64_t traits = reader_varint(&d->r);
		d->tree->frames.data[i].kind = traits & 7;
		d->tree->frames.data[i].guessed = traits >> 3 & 1;
	}
}

/* Each level is left once, so that the climbs take no more steps than there are nodes. */
static void read_parents(struct decoder *d, uint64_t count)
{
	uint32_t depth = 0;

	for (uint64_t i = 0; i < count; i++) {
		struct flame_tree_node node = { 0 };
		uint64_t up = reader_varint(&d->r);
		if (i == 0 ? up != 0 : up > depth) {
			d->r.failed = true;
			return;
		}
		node.parent = i == 0 ? 0 : (uint32_t)i - 1;
		depth += i > 0;
		for (; up > 0; up--, depth--)
			node.parent = d->tree->nodes.data[node.parent].parent;
		vec_push(&d->tree->nodes, node);
	}
}

static uint32_t new_callee(struct decoder *d)
{
	uint64_t v = reader_varint(&d->r);
	uint64_t frame = v == 0 ? ++d->frames_seen : v - 1;

	d->r.failed |= frame >= d->tree->frames.len;
	return d->r.failed ? 0 : (uint32_t)frame;
}

static void read_calls(struct decoder *d)
{
	size_t count = d->tree->nodes.len;

	for (size_t i = 0; i < count; i++) {
		uint64_t call = reader_varint(&d->r);
		d->r.failed |= call > UINT32_MAX;
		vec_push(&d->call, (uint32_t)call);
	}
	for (size_t i = 0; i < d->tree->frames.len; i++)
		vec_push(&d->callees, 0);
	for (size_t i = 0; i < count && !d->r.failed; i++) {
		struct flame_tree_node *node = &d->tree->nodes.data[i];
		uint32_t caller = i ? d->tree->nodes.data[node->parent].frame : 0;
		uint32_t *known = &d->callees.data[caller], which = d->call.data[i];
		if (which == 0) {
			which = ++*known;
			hmap_put(&d->callee, (uint64_t)caller << 32 | which, new_callee(d));
		} else if (which > *known) {
			d->r.failed = true;
			return;
		}
		node->frame = hmap_get(&d->callee, (uint64_t)caller << 32 | which);
	}
}

static struct flame_string read_string(struct decoder *d)
{
	uint64_t id = reader_varint(&d->r);

	d->r.failed |= id >= d->tree->strings.len;
	return d->r.failed ? (struct flame_string){ 0 } : d->tree->strings.data[id];
}

static void read_metrics(struct decoder *d)
{
	uint64_t count = read_count(&d->r, 5);

	d->r.failed |= count == 0 || count > METRICS_MAX;
	for (uint64_t i = 0; i < count && !d->r.failed; i++) {
		struct flame_tree_metric m = { .name = read_string(d), .label = read_string(d) };
		m.unit = reader_varint(&d->r);
		m.flags = reader_varint(&d->r);
		m.period = reader_varint(&d->r);
		vec_push(&d->tree->metrics, m);
	}
}

/* What the last thread stands for says nothing that is kept. */
static void skip_tids(struct decoder *d)
{
	for (uint64_t count = read_count(&d->r, 1); count > 0; count--)
		reader_zigzag(&d->r);
}

static void read_axes(struct decoder *d)
{
	uint64_t state = reader_varint(&d->r), count = state == 2 ? read_count(&d->r, 4) : 0;

	d->r.failed |= state > 2 || (state == 2 && (count == 0 || count > THREADS_MAX));
	for (uint64_t i = 0; i < count && !d->r.failed; i++) {
		struct flame_tree_thread t = { .name = read_string(d), .process = read_string(d) };
		uint64_t tid = reader_varint(&d->r), pid = reader_varint(&d->r);
		t.tid = tid <= INT32_MAX ? (uint32_t)tid : 0;
		t.pid = pid <= INT32_MAX ? (uint32_t)pid : 0;
		vec_push(&d->tree->threads, t);
	}
	if (state != 2 || d->r.failed)
		return;
	if (d->tree->threads.data[count - 1].name.len == 0)
		skip_tids(d);
	d->tree->slices = reader_varint(&d->r);
	d->tree->start_ns = reader_varint(&d->r);
	d->tree->slice_ns = reader_varint(&d->r);
	d->tree->end_ns = reader_varint(&d->r);
	d->r.failed |= d->tree->slices == 0 || d->tree->slices > SLICES_MAX ||
		       d->tree->start_ns > TIME_MAX || d->tree->slice_ns > TIME_MAX / SLICES_MAX;
	if (d->r.failed || d->tree->end_ns < d->tree->start_ns)
		return;
	uint64_t length = d->tree->end_ns - d->tree->start_ns;
	uint64_t part = length / d->tree->slices + (length % d->tree->slices > 0);
	d->tree->is_even = part == d->tree->slice_ns && part > 0;
}

static void read_weights(struct decoder *d, struct flame_tree_metric *m)
{
	size_t nodes = d->tree->nodes.len;

	/* A byte each at least, in two columns. */
	if (nodes > reader_left(&d->r) / 2) {
		d->r.failed = true;
		return;
	}
	for (size_t i = 0; i < nodes; i++)
		vec_push(&m->weights, ((struct flame_tree_weight){ reader_varint(&d->r), 0 }));
	for (size_t i = 0; i < nodes; i++) {
		struct flame_tree_weight *w = &m->weights.data[i];
		w->self = w->samples * m->period + (uint64_t)reader_zigzag(&d->r);
	}
}

/* How many cells each node has; they get their nodes. */
static void read_cell_counts(struct decoder *d, struct flame_tree_metric *m)
{
	for (uint32_t n = 0; n < d->tree->nodes.len && !d->r.failed; n++) {
		uint64_t count = reader_varint(&d->r);
		/* Two columns at least follow, with a byte of each cell. */
		if (count > CELLS_MAX || (m->cells.len + count) > reader_left(&d->r) / 2 ||
		    m->cells.len + count > CELLS_MAX)
			d->r.failed = true;
		for (; count > 0 && !d->r.failed; count--)
			vec_push(&m->cells, ((struct flame_tree_cell){ .node = n }));
	}
}

static void read_cell_places(struct decoder *d, struct flame_tree_metric *m)
{
	uint64_t value = 0, before = 0;

	for (size_t i = 0; i < m->cells.len && d->tree->threads.len > 1; i++) {
		struct flame_tree_cell *c = &m->cells.data[i];
		value = reader_varint(&d->r);
		if (i > 0 && c[-1].node == c->node && value < d->tree->threads.len)
			value += c[-1].thread;
		d->r.failed |= value >= d->tree->threads.len;
		c->thread = d->r.failed ? 0 : (uint32_t)value;
	}
	for (size_t i = 0; i < m->cells.len && d->tree->slices > 1; i++) {
		struct flame_tree_cell *c = &m->cells.data[i];
		bool goes_on = i > 0 && c[-1].node == c->node && c[-1].thread == c->thread;
		value = reader_varint(&d->r);
		before = goes_on ? c[-1].slice + 1u : 0;
		d->r.failed |= value >= d->tree->slices || before + value >= d->tree->slices;
		c->slice = d->r.failed ? 0 : (uint32_t)(before + value);
	}
}

static void read_cells(struct decoder *d, struct flame_tree_metric *m)
{
	d->r.failed |= d->tree->threads.len == 0;
	read_cell_counts(d, m);
	if (d->r.failed)
		return;
	read_cell_places(d, m);
	for (size_t i = 0; i < m->cells.len; i++)
		m->cells.data[i].weight.samples = reader_varint(&d->r);
	for (size_t i = 0; i < d->tree->nodes.len; i++)
		vec_push(&m->weights, (struct flame_tree_weight){ 0 });
	for (size_t i = 0; i < m->cells.len; i++) {
		struct flame_tree_cell *c = &m->cells.data[i];
		struct flame_tree_weight *sum = &m->weights.data[c->node];
		c->weight.self = c->weight.samples * m->period + (uint64_t)reader_zigzag(&d->r);
		sum->samples += c->weight.samples;
		sum->self += c->weight.self;
	}
}

static void read_nodes(struct decoder *d)
{
	uint64_t count = read_count(&d->r, 3);

	if (d->tree->version == 1)
		vec_push(&d->tree->metrics,
			 ((struct flame_tree_metric){ .period = reader_varint(&d->r) }));
	d->r.failed |= count == 0 || count > NODES_MAX;
	if (d->r.failed)
		return;
	read_parents(d, count);
	if (!d->r.failed)
		read_calls(d);
	for (size_t i = 0; i < d->tree->metrics.len && !d->r.failed; i++) {
		struct flame_tree_metric *m = &d->tree->metrics.data[i];
		if (m->flags & FLAME_METRIC_CELLED)
			read_cells(d, m);
		else
			read_weights(d, m);
	}
}

static void read_all(struct decoder *d)
{
	uint64_t version = reader_varint(&d->r);

	d->r.failed |= version < 1 || version > 2;
	if (d->r.failed)
		return;
	d->tree->version = (unsigned)version;
	flame_strings_read(d->tree, &d->r);
	if (!d->r.failed)
		read_frames(d);
	if (!d->r.failed && version > 1)
		read_metrics(d);
	if (!d->r.failed && version > 1)
		read_axes(d);
	if (!d->r.failed)
		read_nodes(d);
	if (version < 2 || d->r.failed)
		return;
	/* How many frames small ones stand for says nothing that is kept. */
	for (size_t i = 0; i < d->tree->nodes.len; i++)
		if (d->tree->nodes.data[i].frame == 0)
			reader_varint(&d->r);
	flame_recorded_read(d->tree, &d->r);
}

static void metric_release(struct flame_tree_metric *m)
{
	vec_release(&m->weights);
	vec_release(&m->cells);
	vec_release(&m->ends);
}

static void drop_spreads(struct flame_tree *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->metrics.len; i++) {
		if (t->metrics.data[i].flags & FLAME_METRIC_SPREAD)
			metric_release(&t->metrics.data[i]);
		else
			t->metrics.data[kept++] = t->metrics.data[i];
	}
	t->metrics.len = kept;
}

int flame_tree_read(struct flame_tree *t, const void *data, size_t len)
{
	struct decoder d = { .tree = t };

	memset(t, 0, sizeof(*t));
	reader_init(&d.r, data, len);
	read_all(&d);
	vec_release(&d.call);
	vec_release(&d.callees);
	hmap_release(&d.callee);
	drop_spreads(t);
	if (!d.r.failed && t->metrics.len > 0)
		return 0;
	flame_tree_release(t);
	return -1;
}

void flame_tree_release(struct flame_tree *t)
{
	bytes_release(&t->text);
	vec_release(&t->strings);
	vec_release(&t->frames);
	vec_release(&t->nodes);
	for (size_t i = 0; i < t->metrics.len; i++)
		metric_release(&t->metrics.data[i]);
	vec_release(&t->recorded.notes);
	vec_release(&t->threads);
	vec_release(&t->metrics);
}
