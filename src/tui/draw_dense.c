/* Two rows of the graph in one of the screen, as half blocks. There is room for names where they
 * hide no frame: at the start of one that is wide enough, above a wider start of its callee. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/show.h"
#include "tui/draw.h"

#define LEAST_LABEL 6u /* columns of a name and what it leaves of the frame */

static enum grid_colour colour_of(const struct model *m, const struct box *box, bool is_second)
{
	const struct calltree *t = &m->view.trees[box->at.tree];

	if (box->at.node == PROFILE_NONE)
		return GRID_MANY;
	if (draw_is_chosen(m, box))
		return GRID_CHOSEN;
	if (search_hits(&m->search, &m->view, box->at.tree, box->at.node))
		return GRID_HIT;
	if (box->at.node == 0)
		return (enum grid_colour)(GRID_FRAME + 2 * CODE_THREAD);
	/* There are no edges: shades tell neighbours apart. */
	return (enum grid_colour)(GRID_FRAME + 2u * t->nodes.data[box->at.node].kind + is_second);
}

struct line { /* of the screen: where rows of the graph are in it */
	unsigned y;
	bool is_upper; /* of the two */
};

static struct line line_of(const struct model *m, const struct grid_area *a, const struct box *box)
{
	unsigned row = (unsigned)(box->row - m->layout.first_row), half = row;

	if (m->state.root_below)
		half = 2 * a->height - 1 - row;
	return (struct line){ half / 2, half % 2 == 0 };
}

static void draw_halves(const struct model *m, const struct grid_area *a)
{
	const struct layout *l = &m->layout;
	bool is_second = false;

	for (size_t i = 0; i < l->boxes.len; i++) {
		const struct box *box = &l->boxes.data[i];
		struct line line = line_of(m, a, box);
		is_second = i && box[-1].row == box->row ? !is_second : box->row & 1;
		for (unsigned x = box->x; x < box->x + box->width; x++)
			grid_half(a, x, line.y, line.is_upper, colour_of(m, box, is_second));
	}
}

/* The first box of the next row that ends behind x. */
static const struct box *box_below(const struct layout *l, const struct box *from)
{
	const struct box *end = l->boxes.data + l->boxes.len;

	for (const struct box *b = from; b < end && b->row <= from->row + 1; b++)
		if (b->row == from->row + 1 && b->x + b->width > from->x)
			return b->x < from->x + from->width ? b : NULL;
	return NULL;
}

static bool same_extent(const struct box *a, const struct box *b)
{
	return a->x == b->x && a->width == b->width;
}

static const char *name_of(const struct model *m, const struct box *box)
{
	return view_name(&m->view.trees[box->at.tree], box->at.node);
}

/* "caller > callee" of two that are equally wide, where it fits; else NULL. */
static char *pair_of(const struct model *m, const struct box *box, const struct box *below,
		     size_t room)
{
	struct show show = { .unicode = m->in->unicode };
	CLEANUP_FREE char *first = show_name(&show, name_of(m, box));
	CLEANUP_FREE char *second = show_name(&show, name_of(m, below));
	char *both = xasprintf("%s \xe2\x80\xba %s", first, second);

	if (text_width(both, strlen(both)) <= room)
		return both;
	free(both);
	return NULL;
}

static void draw_label(const struct model *m, const struct grid_area *a, const struct box *box)
{
	const struct box *below = box_below(&m->layout, box);
	unsigned room = box->width;

	if (box->at.node == PROFILE_NONE || (below && below->at.node == PROFILE_NONE))
		return;
	if (below && below->x + below->width < box->x + box->width)
		room = below->x + below->width - box->x;
	if (below && below->x > box->x)
		room = below->x - box->x;
	if (room < LEAST_LABEL)
		return;
	room--;
	char *both = below && same_extent(box, below) ? pair_of(m, box, below, room) : NULL;
	CLEANUP_FREE char *label = both ? both : draw_label_of(m, box, room);
	const struct grid_cell *cell = grid_at(a, box->x, line_of(m, a, box).y);
	bool is_upper = line_of(m, a, box).is_upper;
	uint8_t colour = is_upper ? cell->colour : cell->below;
	grid_text(a, box->x, line_of(m, a, box).y, room, label,
		  STYLE((enum grid_colour)colour, colour == GRID_CHOSEN ? GRID_BOLD : 0));
}

void draw_dense(const struct model *m, const struct grid_area *a)
{
	draw_halves(m, a);
	for (size_t i = 0; i < m->layout.boxes.len; i++) {
		const struct box *box = &m->layout.boxes.data[i];
		if ((box->row - m->layout.first_row) % 2 == 0)
			draw_label(m, a, box);
	}
}
