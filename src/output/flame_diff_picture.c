/* A frame of the differential flame graph: colour, signs, and the text of its tooltip. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "output/flame_diff.h"

/* From one share to the other: the factors where a shade ends. */
static const double shade_ends[FLAME_SHADES - 1] = { 1.15, 1.4, 2 };

static const struct diff_node *node_of(const struct flame_diff *d, uint32_t node)
{
	return &d->drawn->nodes.data[node];
}

static bool is_on(const struct flame_diff *d, uint32_t node, int side)
{
	const struct diff_part *part = &node_of(d, node)->part[side];

	return part->total > 0 || part->count > 0;
}

bool flame_diff_is_fresh(const struct flame_diff *d, uint32_t node)
{
	return node != 0 && !is_on(d, node, DIFF_BASE);
}

uint8_t flame_diff_paint(const struct flame_diff *d, uint32_t node)
{
	uint8_t change = node_of(d, node)->change;

	if (node == 0)
		return FLAME_DIFF_SAME;
	if (!is_on(d, node, DIFF_NEW))
		return change == DIFF_LESS ? FLAME_DIFF_GONE_LESS : FLAME_DIFF_GONE;
	return change == DIFF_MORE   ? FLAME_DIFF_MORE
	       : change == DIFF_LESS ? FLAME_DIFF_LESS
				     : FLAME_DIFF_SAME;
}

unsigned flame_diff_shade(const struct flame_diff *d, uint32_t node)
{
	uint8_t paint = flame_diff_paint(d, node);
	double base = difftree_share(d->drawn, node, DIFF_BASE),
	       new = difftree_share(d->drawn, node, DIFF_NEW);
	unsigned shade = 0;

	if (paint != FLAME_DIFF_LESS && paint != FLAME_DIFF_MORE)
		return 0;
	while (shade < FLAME_SHADES - 1 && fmax(base, new) >= shade_ends[shade] * fmin(base, new))
		shade++;
	return shade;
}

char flame_diff_letter(uint8_t paint)
{
	static const char letters[FLAME_DIFF_PAINTS + 1] = "gbowvx";

	return letters[paint < FLAME_DIFF_PAINTS ? paint : (uint8_t)FLAME_DIFF_SAME];
}

bool flame_diff_is_hollow(uint8_t paint)
{
	return paint == FLAME_DIFF_GONE || paint == FLAME_DIFF_GONE_LESS;
}

const char *flame_diff_sign(const struct flame_diff *d, uint32_t node)
{
	uint8_t change = node_of(d, node)->change;

	return change == DIFF_MORE ? "+ " : change == DIFF_LESS ? "\xe2\x88\x92 " : "";
}

const char *flame_diff_mark(const struct flame_diff *d, uint32_t node)
{
	return node == 0		      ? ""
	       : flame_diff_is_fresh(d, node) ? " [new]"
	       : !is_on(d, node, DIFF_NEW)    ? " [gone]"
					      : "";
}

/* "base 1.20 s, 12.34% ±0.81" */
static void side_numbers(struct bytes *out, const struct flame_diff *d, uint32_t node, int side)
{
	const struct difftree *t = d->drawn;
	const struct diff_part *part = &node_of(d, node)->part[side];
	double total = (double)t->side[side].total;

	flame_weight(out, &d->side[side], part->total);
	bytes_printf(out, ", %.2f%%", total > 0 ? 100 * (double)part->total / total : 0);
	if (t->side[side].trust != DIFF_UNKNOWN && t->side[side].samples > 0 && node != 0)
		bytes_printf(out, " \xc2\xb1%.2f", 100 * difftree_error(t, node, side));
}

/* "+2.76 points", "−300 ms" */
static void change_text(struct bytes *out, const struct flame_diff *d, uint32_t node)
{
	const struct diff_part *base = &node_of(d, node)->part[DIFF_BASE],
			       *new = &node_of(d, node)->part[DIFF_NEW];
	bool less = d->drawn->is_absolute ? new->total < base->total
					  : difftree_share(d->drawn, node, DIFF_NEW) <
						    difftree_share(d->drawn, node, DIFF_BASE);

	bytes_printf(out, "%s", less ? "\xe2\x88\x92" : "+");
	if (d->drawn->is_absolute)
		flame_weight(out, &d->side[DIFF_NEW],
			     less ? base->total - new->total : new->total - base->total);
	else
		bytes_printf(out, "%.2f points",
			     100 * fabs(difftree_share(d->drawn, node, DIFF_NEW) -
					difftree_share(d->drawn, node, DIFF_BASE)));
}

void flame_diff_numbers(struct bytes *out, const struct flame_diff *d, uint32_t node)
{
	bytes_printf(out, ", base ");
	side_numbers(out, d, node, DIFF_BASE);
	bytes_printf(out, " \xe2\x86\x92 new ");
	side_numbers(out, d, node, DIFF_NEW);
	bytes_printf(out, ": ");
	change_text(out, d, node);
	if (node != 0 && node_of(d, node)->change == DIFF_SAME)
		bytes_printf(out, ", not told apart");
}
