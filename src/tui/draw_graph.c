/* The graph's boxes. */
#include <stdlib.h>
#include <string.h>

#include "analysis/percent.h"
#include "base/text.h"
#include "output/flame.h"
#include "output/show.h"
#include "tui/draw.h"

#define EDGE	   "\xe2\x96\x8f" /* at a box's left edge */
#define EDGE_ASCII "|"
#define MANY	   "\xe2\x96\x91" /* where boxes are too narrow */
#define MANY_ASCII ":"
#define ELLIPSIS   "\xe2\x80\xa6" /* in labels */

/* One column for "…" where the locale has it, or not. */
static void append_plain(struct bytes *out, const struct bytes *text)
{
	size_t len = strlen(ELLIPSIS);

	for (size_t i = 0; i < text->len; i++) {
		if (text->len - i >= len && memcmp(text->data + i, ELLIPSIS, len) == 0) {
			bytes_u8(out, '~');
			i += len - 1;
		} else {
			bytes_u8(out, text->data[i]);
		}
	}
}

/* The name, as much of it as fits, with a mark of its kind and its share where there is room. */
char *draw_label_of(const struct model *m, const struct box *box, size_t room)
{
	const struct calltree *t = &m->view.trees[box->at.tree];
	const struct calltree_node *n = &t->nodes.data[box->at.node];
	struct show show = { .unicode = m->in->unicode };
	struct bytes label = { 0 }, plain = { 0 }, share = { 0 };
	CLEANUP_FREE char *name = show_name(&show, view_name(t, box->at.node));
	const char *mark = box->at.node ? flame_kind_mark(n->kind) : "";
	size_t width = text_width(name, strlen(name)), marked = width + strlen(mark);

	if (view_total(&m->view))
		percent_append(&share, n->total, view_total(&m->view));
	if (marked <= room)
		bytes_printf(&label, "%s%s", name, mark);
	else
		flame_label(&label, name, strlen(name), room);
	if (label.len == strlen(ELLIPSIS) && memcmp(label.data, ELLIPSIS, label.len) == 0)
		bytes_clear(&label); /* says nothing */
	if (marked + 2 + share.len + 1 <= room && share.len)
		bytes_printf(&label, "  %.*s%%", (int)share.len, (char *)share.data);
	if (!m->in->unicode)
		append_plain(&plain, &label);
	else
		bytes_append(&plain, label.data, label.len);
	bytes_u8(&plain, '\0');
	bytes_release(&label);
	bytes_release(&share);
	return (char *)plain.data;
}

/* While the table is moved in: all frames of its row. */
bool draw_is_chosen(const struct model *m, const struct box *box)
{
	const struct flat_row *row = m->state.table ? table_selected(m) : NULL;

	if (!m->state.table)
		return same_place(box->at, m->selected);
	return row && strcmp(row->name, view_name(&m->view.trees[box->at.tree], box->at.node)) == 0;
}

static struct grid_style style_of(const struct model *m, const struct box *box)
{
	const struct calltree *t = &m->view.trees[box->at.tree];
	const struct calltree_node *n = &t->nodes.data[box->at.node];
	const char *name = view_name(t, box->at.node);
	unsigned shade = flame_shade(name, strlen(name)) & 1u;
	uint8_t attributes = box->above ? GRID_DIM : 0;
	enum grid_colour colour = box->at.node
					  ? (enum grid_colour)(GRID_FRAME + 2u * n->kind + shade)
					  : (enum grid_colour)(GRID_FRAME + 2 * CODE_THREAD);

	if (search_hits(&m->search, &m->view, box->at.tree, box->at.node)) {
		colour = GRID_HIT;
		attributes = GRID_BOLD;
	}
	if (draw_is_chosen(m, box))
		attributes = GRID_REVERSE | GRID_BOLD;
	return STYLE(colour, attributes);
}

static void draw_many(const struct model *m, const struct grid_area *a, const struct box *box,
		      unsigned y)
{
	for (unsigned i = 0; i < box->width; i++)
		grid_text(a, box->x + i, y, 1, m->in->unicode ? MANY : MANY_ASCII,
			  STYLE(GRID_PLAIN, GRID_DIM));
}

static void draw_box(const struct model *m, const struct grid_area *a, const struct box *box,
		     unsigned y)
{
	if (box->at.node == PROFILE_NONE) {
		draw_many(m, a, box, y);
		return;
	}
	struct grid_style style = style_of(m, box);
	CLEANUP_FREE char *label = draw_label_of(m, box, box->width > 1 ? box->width - 1 : 0);
	grid_fill(a, box->x, y, box->width, style);
	grid_text(a, box->x, y, 1, m->in->unicode ? EDGE : EDGE_ASCII, style);
	if (box->width > 1)
		grid_text(a, box->x + 1, y, box->width - 1, label, style);
}

/* Why there is nothing. */
static void draw_empty(const struct model *m, const struct grid_area *a)
{
	const char *why = m->state.filters.items.len
				  ? "no samples pass the filters (u undoes, l lists them)"
				  : "no samples (q quits)";

	draw_start(m, a, 0, a->height / 2, a->width, why, STYLE(GRID_WARN, GRID_BOLD));
}

void draw_graph(const struct model *m, const struct grid_area *a)
{
	if (view_total(&m->view) == 0) {
		draw_empty(m, a);
		return;
	}
	if (m->is_dense) {
		draw_dense(m, a);
		return;
	}
	for (size_t i = 0; i < m->layout.boxes.len; i++) {
		const struct box *box = &m->layout.boxes.data[i];
		unsigned row = (unsigned)(box->row - m->layout.first_row);
		if (row < a->height)
			draw_box(m, a, box, m->state.root_below ? a->height - 1 - row : row);
	}
}
