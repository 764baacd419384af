/* The strip of use over time. */
#include "base/text.h"
#include "tui/draw.h"

#define LEVELS 8u

/* What stands for a slice: as high as its share of the highest; a little of something is seen. */
static const char *bar_of(const struct model *m, uint64_t weight)
{
	static const char *const blocks[LEVELS + 1] = { " ",
							"\xe2\x96\x81",
							"\xe2\x96\x82",
							"\xe2\x96\x83",
							"\xe2\x96\x84",
							"\xe2\x96\x85",
							"\xe2\x96\x86",
							"\xe2\x96\x87",
							"\xe2\x96\x88" },
						 *const ascii[LEVELS + 1] = { " ", ".", ":",
									      "-", "=", "+",
									      "*", "#", "@" };
	double share = m->strip.most ? (double)weight / (double)m->strip.most : 0;
	unsigned level = (unsigned)(share * LEVELS + 0.5);

	level = level == 0 && weight ? 1 : level;
	return m->in->unicode ? blocks[level] : ascii[level];
}

static struct grid_style style_of(const struct strip *s, struct strip_span shown, unsigned slice)
{
	struct strip_span chosen = strip_chosen(s);
	bool is_shown = shown.first <= slice && slice < shown.end;

	if (s->is_choosing && chosen.first <= slice && slice < chosen.end)
		return STYLE(GRID_BAR, GRID_REVERSE);
	return is_shown ? STYLE(GRID_BAR, 0) : STYLE(GRID_PLAIN, GRID_DIM);
}

void draw_strip(const struct model *m, const struct grid_area *a)
{
	const struct strip *s = &m->strip;
	struct strip_span shown = strip_filtered(m);
	char length[32];

	grid_text(a, 0, 0, a->width, "0", STYLE(GRID_PLAIN, GRID_DIM));
	for (unsigned i = 0; i < s->slices.len; i++)
		grid_text(a, strip_left() + i, 0, 1, bar_of(m, s->slices.data[i]),
			  style_of(s, shown, i));
	grid_text_left_of(a, a->width, 0, text_duration(length, sizeof(length), strip_length_ns(m)),
			  STYLE(GRID_PLAIN, GRID_DIM));
}
