/*
 * The still picture. Frames are strokes: a path per colour holds all that carry no label, so
 * thousands of frames cost a few bytes each; the widest ones are groups with label and tooltip.
 * Frames under 3 px that touch run together for a few px in the colour that most of them have, as
 * the eye sees them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/flame.h"
#include "output/flame_colour.h"
#include "output/flame_diff.h"

#define TINY_PX		3
#define RUN_PX		8  /* the widest stroke of tiny frames */
#define FRESH_PX	2  /* the mark of a frame that is new */
#define LABEL_PX	26 /* the narrowest frame with a label */
#define TOOLTIP_COLUMNS 160

struct stroke {
	uint32_t row;
	int32_t from, to;
};

struct run { /* tiny frames of one row that touch; to == from: none */
	long from, to;
	double weight[FLAME_KINDS]; /* px of each kind */
};

struct picture {
	const struct flame_page *page;
	const struct flame_layout *layout;
	double top;	    /* y of the first row's box */
	double label_width; /* frames of at least this width get a label */
	VEC(struct stroke) strokes[FLAME_KINDS][FLAME_STEPS];
	struct bytes labelled[FLAME_KINDS][FLAME_STEPS];
	VEC(struct run) runs; /* by row */
};

/* What a node is painted as: its kind, or how it changed; the root is no code. */
static uint8_t paint_of(const struct picture *p, uint32_t node)
{
	uint8_t kind = p->page->drawn->nodes.data[node].kind;

	if (p->page->diff)
		return flame_diff_paint(p->page->diff, node);
	return node == 0 ? CODE_THREAD : kind < FLAME_KINDS ? kind : CODE_UNKNOWN;
}

static bool is_hollow(const struct picture *p, uint8_t paint)
{
	return p->page->diff && flame_diff_is_hollow(paint);
}

/* y of the middle of a row. */
static long row_middle(const struct picture *p, uint32_t row)
{
	uint32_t line = p->page->options->inverted ? row : p->layout->rows - 1 - row;

	return lround(p->top) + (long)line * FLAME_ROW + FLAME_BOX / 2;
}

static void stroke(struct picture *p, uint8_t paint, unsigned shade, uint32_t row, long from,
		   long to)
{
	vec_push(&p->strokes[paint][shade], ((struct stroke){ row, (int32_t)from, (int32_t)to }));
}

static void flush_run(struct picture *p, uint32_t row)
{
	struct run *r = &p->runs.data[row];
	uint8_t most = 0;

	for (uint8_t kind = 1; kind < FLAME_KINDS; kind++)
		if (r->weight[kind] > r->weight[most])
			most = kind;
	if (r->to > r->from)
		stroke(p, most, 0, row, r->from, r->to);
	*r = (struct run){ 0 };
}

static void add_tiny(struct picture *p, uint8_t paint, const struct flame_box *box)
{
	long from = lround(box->x), to = lround(box->x + box->width);
	struct run *r = &p->runs.data[box->row];

	to = to > from ? to : from + 1;
	if (r->to > r->from && (from > r->to || to - r->from > RUN_PX))
		flush_run(p, box->row);
	if (r->to == r->from)
		r->from = from;
	r->to = to > r->to ? to : r->to;
	r->weight[paint] += box->width;
}

static const struct calltree_key *key_of(const struct calltree *t, uint32_t node)
{
	return &t->keys.data[t->nodes.data[node].key];
}

static double percent(uint64_t part, uint64_t all)
{
	return all > 0 ? 100.0 * (double)part / (double)all : 0;
}

/* "name, 1.23 s, 12.3% (module)" */
static void tooltip(struct bytes *out, const struct flame_page *page, uint32_t node,
		    const struct bytes *name)
{
	const struct calltree *t = page->drawn;
	const struct calltree_node *n = &t->nodes.data[node];
	struct bytes text = { 0 };
	uint32_t module = key_of(t, node)->module;

	flame_cut(&text, (const char *)name->data, name->len, TOOLTIP_COLUMNS);
	if (page->diff) {
		flame_diff_numbers(&text, page->diff, node);
	} else {
		bytes_append(&text, ", ", 2);
		flame_weight(&text, page, n->total);
		bytes_printf(&text, ", %.2f%%", percent(n->total, t->nodes.data[0].total));
		if (page->colour && node != 0)
			flame_colour_append(&text, page->colour, key_of(t, node));
	}
	if (node != 0 && module < t->profile->modules.len) {
		const char *path = profile_str(t->profile, t->profile->modules.data[module].path);
		const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
		bytes_append(&text, " (", 2);
		text_append_printable(&text, base, strnlen(base, TOOLTIP_COLUMNS));
		bytes_append(&text, ")", 1);
	}
	flame_escape_printable(out, (const char *)text.data, text.len);
	bytes_release(&text);
}

/* What stands behind a frame's name where there is room. */
static const char *mark_of(const struct flame_page *page, uint32_t node)
{
	const char *change = page->diff ? flame_diff_mark(page->diff, node) : "";
	uint8_t kind = page->drawn->nodes.data[node].kind;

	return *change ? change : node == 0 ? "" : flame_kind_mark(kind);
}

static void label(struct bytes *out, const struct flame_page *page, uint32_t node,
		  const struct bytes *name, double width)
{
	const char *sign = page->diff ? flame_diff_sign(page->diff, node) : "";
	size_t columns = (size_t)((width - 5) / FLAME_CHAR),
	       before = text_width(sign, strlen(sign));
	const char *behind = mark_of(page, node);
	size_t mark = strlen(behind);
	struct bytes text = { 0 };

	columns = columns > before ? columns - before : 0;
	bytes_printf(out, "%s", sign);
	if (mark > 0 && text_width((const char *)name->data, name->len) + mark <= columns)
		bytes_append(&text, name->data, name->len);
	else
		flame_label(&text, (const char *)name->data, name->len, columns);
	if (mark > 0 && text_width((const char *)text.data, text.len) + mark <= columns)
		bytes_append(&text, behind, mark);
	flame_escape_printable(out, (const char *)text.data, text.len);
	bytes_release(&text);
}

static void path_of_box(struct bytes *out, long x, long y, long width, bool hollow)
{
	if (hollow)
		bytes_printf(out, "M%ld.5 %ld.5h%ldv%dh%ldz", x, y - FLAME_BOX / 2,
			     width > 1 ? width - 1 : 0, FLAME_BOX - 1, width > 1 ? 1 - width : 0);
	else
		bytes_printf(out, "M%ld %ldh%ld", x, y, width);
}

static void add_labelled(struct picture *p, const struct flame_box *box, const struct bytes *name,
			 unsigned shade)
{
	uint8_t paint = paint_of(p, box->node);
	struct bytes *out = &p->labelled[paint][shade];
	long from = lround(box->x), to = lround(box->x + box->width), y = row_middle(p, box->row);

	bytes_printf(out, "<g><title>");
	tooltip(out, p->page, box->node, name);
	bytes_printf(out, "</title><path d=\"");
	path_of_box(out, from, y, to - from - 1, is_hollow(p, paint));
	bytes_printf(out, "\"/><text x=\"%ld\" y=\"%ld\">", from + 3, y + 4);
	label(out, p->page, box->node, name, box->width);
	bytes_printf(out, "</text></g>\n");
}

static unsigned shade_of(const struct picture *p, uint32_t node, const struct bytes *name)
{
	uint8_t paint = paint_of(p, node);
	bool is_code = paint != CODE_SYNTHETIC && paint != CODE_THREAD;

	if (p->page->diff)
		return flame_diff_shade(p->page->diff, node);
	if (p->page->colour && is_code)
		return flame_colour_step(p->page->colour, key_of(p->page->drawn, node));
	return flame_shade((const char *)name->data, name->len);
}

static void add_box(struct picture *p, const struct flame_box *box, bool labelled)
{
	uint8_t paint = paint_of(p, box->node);
	long from = lround(box->x), to = lround(box->x + box->width);

	if (to - from < TINY_PX) {
		add_tiny(p, paint, box);
		return;
	}
	flush_run(p, box->row);
	const char *raw = key_of(p->page->drawn, box->node)->name;
	struct bytes name = { 0 };
	text_append_printable(&name, raw, strlen(raw));
	const struct flame_diff *diff = p->page->diff;
	unsigned shade = shade_of(p, box->node, &name);
	if (labelled)
		add_labelled(p, box, &name, shade);
	else
		stroke(p, paint, shade, box->row, from, to - 1);
	if (diff && flame_diff_is_fresh(diff, box->node))
		stroke(p, FLAME_DIFF_FRESH, 0, box->row, from, from + FRESH_PX);
	bytes_release(&name);
}

static int by_width_descending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

/* The width from which on frames are labelled, so that at most FLAME_LABEL_LIMIT are (ties aside).
 */
static double label_width(const struct flame_layout *l)
{
	VEC(double) widths = { 0 };
	double least = LABEL_PX;

	for (size_t i = 0; i < l->boxes.len; i++)
		if (l->boxes.data[i].width >= LABEL_PX)
			vec_push(&widths, l->boxes.data[i].width);
	if (widths.len > FLAME_LABEL_LIMIT) {
		qsort(widths.data, widths.len, sizeof(*widths.data), by_width_descending);
		least = widths.data[FLAME_LABEL_LIMIT - 1];
	}
	vec_release(&widths);
	return least;
}

static void add_boxes(struct picture *p)
{
	size_t labels = 0;

	for (size_t i = 0; i < p->layout->boxes.len; i++) {
		const struct flame_box *box = &p->layout->boxes.data[i];
		bool labelled = box->width >= p->label_width && labels < FLAME_LABEL_LIMIT;
		labels += labelled;
		add_box(p, box, labelled);
	}
	for (uint32_t row = 0; row < p->layout->rows; row++)
		flush_run(p, row);
}

static int by_place(const void *a, const void *b)
{
	const struct stroke *x = a, *y = b;

	return x->row != y->row ? (x->row > y->row) - (x->row < y->row)
				: (x->from > y->from) - (x->from < y->from);
}

/* One path: from row to row with absolute moves, along a row with relative ones. */
static void emit_strokes(struct bytes *out, const struct picture *p, uint8_t paint, unsigned shade)
{
	struct stroke *strokes = p->strokes[paint][shade].data;
	size_t count = p->strokes[paint][shade].len;

	if (count == 0)
		return;
	qsort(strokes, count, sizeof(*strokes), by_place);
	bytes_printf(out, "<path d=\"");
	for (size_t i = 0; i < count; i++) {
		const struct stroke *s = &strokes[i];
		if (is_hollow(p, paint))
			path_of_box(out, s->from, row_middle(p, s->row), s->to - s->from, true);
		else if (i == 0 || s->row != s[-1].row)
			bytes_printf(out, "M%d %ldh%d", s->from, row_middle(p, s->row),
				     s->to - s->from);
		else
			bytes_printf(out, "m%d 0h%d", s->from - s[-1].to, s->to - s->from);
	}
	bytes_printf(out, "\"/>\n");
}

static char letter_of(const struct flame_page *page, uint8_t paint)
{
	return page->diff ? flame_diff_letter(paint) : flame_hue(page, paint);
}

static void emit(struct bytes *out, struct picture *p, uint8_t paint, unsigned shade)
{
	struct bytes *labelled = &p->labelled[paint][shade];

	if (p->strokes[paint][shade].len + labelled->len > 0) {
		bytes_printf(out, "<g class=\"%c%u\">", letter_of(p->page, paint), shade);
		emit_strokes(out, p, paint, shade);
		bytes_append(out, labelled->data, labelled->len);
		bytes_printf(out, "</g>\n");
	}
	vec_release(&p->strokes[paint][shade]);
	bytes_release(labelled);
}

double flame_picture(struct bytes *out, const struct flame_page *page, const struct flame_layout *l,
		     double y)
{
	struct picture p = { .page = page, .layout = l, .top = y, .label_width = label_width(l) };

	vec_reserve(&p.runs, l->rows);
	for (uint32_t row = 0; row < l->rows; row++)
		vec_push(&p.runs, (struct run){ 0 });
	add_boxes(&p);
	bytes_printf(out, "<g class=\"still\" transform=\"translate(%d)\">\n", FLAME_MARGIN);
	for (uint8_t paint = 0; paint < FLAME_KINDS; paint++)
		for (unsigned shade = 0; shade < FLAME_STEPS; shade++)
			emit(out, &p, paint, shade);
	bytes_printf(out, "</g>\n");
	vec_release(&p.runs);
	return (double)l->rows * FLAME_ROW;
}
