/*
 * The roofline as a picture: both axes logarithmic, a slanted line for each level of memory, a
 * level one for each arithmetic ceiling, a dot for each program. Still, self-contained, with
 * tooltips of the viewer's own; light and dark by what the reader prefers. Text has a halo of the
 * ground's colour where lines pass behind it, and a contrast of at least 4.5:1.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/flame.h"
#include "output/roofline.h"

#define WIDTH	     960
#define LEFT	     76
#define RIGHT	     24
#define PLOT_WIDTH   (WIDTH - LEFT - RIGHT)
#define PLOT_HEIGHT  440
#define FOOT	     52 /* below the plot: numbers and name of the axis */
#define LINE_PX	     16
#define LABEL_GAP    15	 /* px between lines, below which their labels stand side by side */
#define LABEL_LANE   215 /* px a label takes along its line */
#define DECADES_MOST 12
#define GIGA	     1e9

static const char style[] =
	".prof{background:#fff;font:12px system-ui,\"Segoe UI\",\"Helvetica Neue\",Arial,sans-serif;"
	"max-width:100%;height:auto}"
	".page{fill:#fff}.prof text{fill:#111;white-space:pre}"
	".prof .top{font-size:15px;font-weight:600}.prof .sub{fill:#333}.prof .dim{fill:#5a5a5a}"
	".grid{stroke:#e4e6e9;stroke-width:1;fill:none}.axis{stroke:#8d9197;stroke-width:1;fill:none}"
	".prof .lab{paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}"
	".m path{stroke:#1a68b0;stroke-width:2;fill:none}.prof .m text{fill:#0b4f8f}"
	".f path{stroke:#c05a00;stroke-width:2;fill:none}.prof .f text{fill:#8a3f00}"
	".o path{stroke-width:1.5;stroke-dasharray:6 4}"
	".p circle{fill:#b3127f;stroke:#fff;stroke-width:1.5}.p path{stroke:#b3127f;stroke-width:1.5;"
	"stroke-dasharray:3 3;fill:none}.p .a{stroke-dasharray:none}.prof .p text{fill:#8a0d62;font-weight:600}"
	"g:hover>path{stroke-width:4}"
	"@media (prefers-color-scheme:dark){.prof{background:#17181a}.page{fill:#17181a}"
	".prof text{fill:#f4f4f4}.prof .sub{fill:#d0d2d5}.prof .dim{fill:#a8abb0}"
	".grid{stroke:#2b2d31}.axis{stroke:#6a6e75}.prof .lab{stroke:#17181a}"
	".m path{stroke:#6aa8ea}.prof .m text{fill:#9cc6f5}.f path{stroke:#f0a04b}"
	".prof .f text{fill:#f5bd80}.p circle{fill:#ff79c6;stroke:#17181a}.p path{stroke:#ff79c6}"
	".prof .p text{fill:#ff9ad5}}";

struct axis { /* decades, and where they are */
	int from, to;
	double start, px; /* of the first decade; of each, negative upwards */
};

struct lanes { /* labels of parallel lines stand side by side where these are close */

	struct {
		double across; /* place across the lines */
		int lane;
	} taken[16];

	size_t count;
};

struct chart {
	struct bytes *out;
	struct lanes level_labels, slope_labels;
	const struct ceilings *ceilings;
	const struct roofline_view *view;
	struct axis x, y;
	double top;
	bool is_all; /* the ceilings with full lines */
};

static double place_on(const struct axis *a, double value)
{
	return a->start + (log10(value) - a->from) * a->px;
}

static double x_of(const struct chart *c, double intensity)
{
	return place_on(&c->x, intensity);
}

static double y_of(const struct chart *c, double rate)
{
	return place_on(&c->y, rate / GIGA);
}

/* ---- what is drawn ---- */

static const char *const places[] = { "L1", "L2", "L3", "L4", "memory" };

struct level_line {
	const struct ceiling_flops *flops;
	double rate;
};

static double highest_peak(const struct ceilings *c, bool all)
{
	double best = 0;

	for (int is_double = 0; is_double < 2; is_double++) {
		const struct ceiling_flops *f = roofline_peak(c, all, is_double, ROOFLINE_BEST);
		double rate = f ? ceiling_flops_rate(f, all)->best : 0;
		best = rate > best ? rate : best;
	}
	return best;
}

/* The highest of each precision, of double precision without FMA, and without vectors. */
static size_t level_lines(const struct ceilings *c, bool all, struct level_line lines[4])
{
	const struct ceiling_flops *wanted[] = {
		roofline_peak(c, all, false, ROOFLINE_BEST),
		roofline_peak(c, all, true, ROOFLINE_BEST),
		roofline_peak(c, all, true, ROOFLINE_NO_FMA),
		roofline_peak(c, all, true, ROOFLINE_SCALAR),
	};
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
		bool is_new = wanted[i] != NULL;
		for (size_t k = 0; k < count; k++)
			is_new = is_new && lines[k].flops != wanted[i];
		if (is_new)
			lines[count++] =
				(struct level_line){ wanted[i],
						     ceiling_flops_rate(wanted[i], all)->best };
	}
	return count;
}

/* ---- axes ---- */

static void widen(struct axis *a, double least, double most)
{
	if (least > 0 && isfinite(least) && floor(log10(least)) < a->from)
		a->from = (int)floor(log10(least));
	if (most > 0 && isfinite(most) && ceil(log10(most)) > a->to)
		a->to = (int)ceil(log10(most));
	if (a->to - a->from > DECADES_MOST)
		a->from = a->to - DECADES_MOST;
}

/* Room left of where the slanted lines meet the least arithmetic ceiling, and right of where memory
 * meets the highest. */
static void choose_axes(struct chart *c)
{
	double peak = highest_peak(c->ceilings, c->is_all);
	const struct ceiling_bandwidth *memory = roofline_roof(c->ceilings, c->is_all, "memory");
	double slow = memory ? ceiling_bandwidth_rate(memory, c->is_all)->best : peak;

	c->x = (struct axis){ .from = -2, .to = 2 };
	widen(&c->x, 0.01, 2 * roofline_ridge(peak, slow));
	for (size_t i = 0; i < c->view->point_count; i++) {
		const struct roofline_point *p = &c->view->points[i];
		widen(&c->x, p->flops / p->bytes / 1.5, p->flops / p->bytes * 1.5);
	}
	double least = slow * pow(10, c->x.from) / GIGA;
	c->y = (struct axis){ .from = (int)floor(log10(least) + 0.1),
			      .to = (int)ceil(log10(peak * 1.4 / GIGA)) };
	for (size_t i = 0; i < c->view->point_count; i++) {
		const struct roofline_point *p = &c->view->points[i];
		double rate = p->flops / p->seconds / GIGA;
		widen(&c->y, rate / 1.5, rate * 1.5);
	}
	if (c->y.to <= c->y.from)
		c->y.to = c->y.from + 1;
	c->x.start = LEFT;
	c->x.px = (double)PLOT_WIDTH / (c->x.to - c->x.from);
	c->y.start = c->top + PLOT_HEIGHT;
	c->y.px = -(double)PLOT_HEIGHT / (c->y.to - c->y.from);
}

static const char *decade(char *buf, size_t size, int exponent)
{
	if (exponent >= -4 && exponent <= 6)
		snprintf(buf, size, "%.*f", exponent < 0 ? -exponent : 0, pow(10, exponent));
	else
		snprintf(buf, size, "1e%d", exponent);
	return buf;
}

static void draw_axes(const struct chart *c)
{
	double bottom = c->top + PLOT_HEIGHT, right = LEFT + PLOT_WIDTH;
	char number[32];

	for (int d = c->x.from; d <= c->x.to; d++) {
		double x = c->x.start + (d - c->x.from) * c->x.px;
		bytes_printf(c->out, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", x, c->top,
			     bottom);
		bytes_printf(
			c->out,
			"<text class=\"sub\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
			x, bottom + 18, decade(number, sizeof(number), d));
	}
	for (int d = c->y.from; d <= c->y.to; d++) {
		double y = c->y.start + (d - c->y.from) * c->y.px;
		bytes_printf(c->out, "<path class=\"grid\" d=\"M%d %.1fH%.1f\"/>", LEFT, y, right);
		bytes_printf(
			c->out,
			"<text class=\"sub\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
			LEFT - 8, y + 4, decade(number, sizeof(number), d));
	}
	bytes_printf(c->out, "<path class=\"axis\" d=\"M%d %.1fV%.1fH%.1f\"/>\n", LEFT, c->top,
		     bottom, right);
	bytes_printf(
		c->out,
		"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">floating-point operations for "
		"each byte moved</text>\n",
		LEFT + PLOT_WIDTH / 2.0, bottom + 40);
	bytes_printf(c->out,
		     "<text x=\"18\" y=\"%.1f\" text-anchor=\"middle\" transform=\"rotate(-90 18 "
		     "%.1f)\">GFLOP/s</text>\n",
		     c->top + PLOT_HEIGHT / 2.0, c->top + PLOT_HEIGHT / 2.0);
}

/* ---- ceilings ---- */

/* The first lane in which no label stands so near. */
static int next_lane(struct lanes *l, double across)
{
	int lane = 0;

	for (size_t i = 0; i < l->count; i++)
		if (l->taken[i].lane == lane && fabs(across - l->taken[i].across) < LABEL_GAP) {
			lane++;
			i = SIZE_MAX; /* from the start again */
		}
	if (l->count < ARRAY_LEN(l->taken)) {
		l->taken[l->count].across = across;
		l->taken[l->count++].lane = lane;
	}
	return lane;
}

static void rounds_tooltip(const struct chart *c, const struct ceiling_rate *r, const char *unit)
{
	char best[48], median[48], least[48];

	bytes_printf(c->out, ": best %s, median %s, least %s of %u rounds</title>",
		     roofline_rate(best, sizeof(best), r->best, unit),
		     roofline_rate(median, sizeof(median), r->median, unit),
		     roofline_rate(least, sizeof(least), r->least, unit), c->ceilings->rounds);
}

static void escaped(const struct chart *c, const char *text)
{
	flame_escape(c->out, text, strlen(text));
}

static void draw_level(struct chart *c, const struct level_line *l, double from, bool all)
{
	const struct ceiling_rate *r = ceiling_flops_rate(l->flops, all);
	const char *precision = l->flops->is_double ? "double" : "single";
	double y = y_of(c, l->rate), x = x_of(c, from), right = LEFT + PLOT_WIDTH;
	char rate[48], cores[64];

	x = x < LEFT ? LEFT : x;
	bytes_printf(c->out, "<g><title>");
	escaped(c, l->flops->name);
	bytes_printf(c->out, ", %s precision, %s", precision,
		     roofline_cores(cores, sizeof(cores), c->ceilings, all));
	rounds_tooltip(c, r, "FLOP/s");
	bytes_printf(c->out, "<path d=\"M%.1f %.1fH%.1f\"/>", x, y, right);
	double end = right - 6 - next_lane(&c->level_labels, y) * LABEL_LANE;
	if (end - LABEL_LANE > LEFT) {
		bytes_printf(c->out,
			     "<text class=\"lab\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", end,
			     y - 5);
		escaped(c, l->flops->name);
		bytes_printf(c->out, ", %s, %s%s</text>", precision,
			     roofline_rate(rate, sizeof(rate), r->best, "FLOP/s"),
			     ceiling_is_noisy(r) ? " ~" : "");
	}
	bytes_printf(c->out, "</g>\n");
}

static void draw_levels(struct chart *c, bool all, size_t most, double widest)
{
	struct level_line lines[4];
	size_t count = level_lines(c->ceilings, all, lines);

	bytes_printf(c->out, "<g class=\"f%s\">\n", all == c->is_all ? "" : " o");
	for (size_t i = 0; i < count && i < most; i++)
		draw_level(c, &lines[i], roofline_ridge(lines[i].rate, widest), all);
	bytes_printf(c->out, "</g>\n");
}

/* y is how far a line goes down at the left edge, in px. */
static void draw_slope(struct chart *c, const struct ceiling_bandwidth *b, double peak, bool all)
{
	const struct ceiling_rate *r = ceiling_bandwidth_rate(b, all);
	double least = pow(10, c->x.from), bottom = GIGA * pow(10, c->y.from);
	double from = least * r->best < bottom ? bottom / r->best : least;
	double x1 = x_of(c, from), y1 = y_of(c, from * r->best);
	double x2 = x_of(c, peak / r->best), y2 = y_of(c, peak);
	double angle = atan2(-c->y.px, c->x.px), length = hypot(x2 - x1, y2 - y1);
	char rate[48], cores[64];

	bytes_printf(c->out, "<g><title>");
	escaped(c, b->place);
	bytes_printf(c->out, ", ");
	escaped(c, b->what);
	bytes_printf(c->out, ", %s", roofline_cores(cores, sizeof(cores), c->ceilings, all));
	rounds_tooltip(c, r, "B/s");
	bytes_printf(c->out, "<path d=\"M%.1f %.1fL%.1f %.1f\"/>", x1, y1, x2, y2);
	/* The distance from a parallel line through the plot's corner. */
	double across = (y_of(c, least * r->best) - c->top) * cos(angle);
	double along = 8 + next_lane(&c->slope_labels, across) * LABEL_LANE;
	if (along + LABEL_LANE < length) {
		double x = x1 + along * cos(angle), y = y1 - along * sin(angle);
		bytes_printf(
			c->out,
			"<text class=\"lab\" transform=\"translate(%.1f %.1f) rotate(%.2f)\" y=\"-5\">",
			x, y, -angle * 180 / M_PI);
		escaped(c, b->place);
		bytes_printf(c->out, " %s%s (", roofline_rate(rate, sizeof(rate), r->best, "B/s"),
			     ceiling_is_noisy(r) ? " ~" : "");
		escaped(c, b->what);
		bytes_printf(c->out, ")</text>");
	}
	bytes_printf(c->out, "</g>\n");
}

/* Returns the widest of them. */
static double draw_slopes(struct chart *c, bool all, bool only_memory)
{
	double peak = highest_peak(c->ceilings, all), widest = 0;

	bytes_printf(c->out, "<g class=\"m%s\">\n", all == c->is_all ? "" : " o");
	for (size_t i = only_memory ? ARRAY_LEN(places) - 1 : 0; i < ARRAY_LEN(places); i++) {
		const struct ceiling_bandwidth *b = roofline_roof(c->ceilings, all, places[i]);
		if (!b)
			continue;
		double rate = ceiling_bandwidth_rate(b, all)->best;
		widest = rate > widest ? rate : widest;
		draw_slope(c, b, peak, all);
	}
	bytes_printf(c->out, "</g>\n");
	return widest > 0 ? widest : peak;
}

/* ---- points ---- */

static void point_tooltip(struct chart *c, const struct roofline_point *p)
{
	struct bytes text = { 0 };

	bytes_printf(c->out, "<title>");
	escaped(c, p->name);
	bytes_printf(c->out, "\n");
	roofline_verdict(&text, c->ceilings, p);
	flame_escape_printable(c->out, (const char *)text.data, text.len);
	bytes_printf(c->out, "</title>");
	bytes_release(&text);
}

/* A dot, with a line up to what it could attain; one of unknown intensity is a level line. */
static void draw_point(struct chart *c, const struct roofline_point *p)
{
	struct roofline_place place;

	if (!roofline_place(&place, c->ceilings, p))
		return;
	double y = y_of(c, place.rate), x = LEFT + PLOT_WIDTH;
	bytes_printf(c->out, "<g>");
	point_tooltip(c, p);
	if (isnan(place.intensity)) {
		bytes_printf(c->out, "<path d=\"M%d %.1fh%d\"/>", LEFT, y, PLOT_WIDTH);
	} else {
		x = x_of(c, place.intensity);
		bytes_printf(c->out, "<path d=\"M%.1f %.1fV%.1f\"/>", x, y,
			     y_of(c, place.attainable));
		if (place.is_at_most) /* it is there, or further to the left */
			bytes_printf(c->out,
				     "<path class=\"a\" d=\"M%.1f %.1fh-30m6 -5l-6 5l6 5\"/>", x,
				     y);
		bytes_printf(c->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"6\"/>", x, y);
	}
	bool leftwards = x > LEFT + PLOT_WIDTH - 240;
	struct bytes name = { 0 }, safe = { 0 };
	text_append_printable(&safe, p->name, strlen(p->name));
	flame_cut(&name, (const char *)safe.data, safe.len, 32);
	bytes_printf(c->out, "<text class=\"lab\" x=\"%.1f\" y=\"%.1f\"%s>",
		     x + (leftwards ? -11 : 11), y + (isnan(place.intensity) ? -6 : 4),
		     leftwards ? " text-anchor=\"end\"" : "");
	flame_escape_printable(c->out, (const char *)name.data, name.len);
	bytes_printf(c->out, "</text></g>\n");
	bytes_release(&name);
	bytes_release(&safe);
}

static void draw_points(struct chart *c)
{
	bytes_printf(c->out, "<g class=\"p\">\n");
	for (size_t i = 0; i < c->view->point_count; i++)
		draw_point(c, &c->view->points[i]);
	bytes_printf(c->out, "</g>\n");
}

/* ---- around the plot ---- */

static void text_of(struct chart *c, struct bytes *title)
{
	if (c->view->title) {
		bytes_printf(title, "Roofline of ");
		text_append_printable(title, c->view->title, strlen(c->view->title));
	} else {
		bytes_printf(title, "Ceilings of this machine");
	}
}

static double draw_head(struct chart *c)
{
	struct bytes title = { 0 }, cut = { 0 }, sub = { 0 };
	char main[64], other[64];

	text_of(c, &title);
	flame_cut(&cut, (const char *)title.data, title.len, 100);
	bytes_printf(c->out, "<text class=\"top\" x=\"%d\" y=\"24\">", FLAME_MARGIN);
	flame_escape_printable(c->out, (const char *)cut.data, cut.len);
	bytes_printf(c->out, "</text>\n");
	roofline_machine(&sub, c->ceilings);
	bytes_printf(&sub, ". Full lines: %s",
		     roofline_cores(main, sizeof(main), c->ceilings, c->is_all));
	if (c->ceilings->threads > 1)
		bytes_printf(&sub, "; dashed: %s",
			     roofline_cores(other, sizeof(other), c->ceilings, !c->is_all));
	bytes_printf(&sub, ". The best of %u rounds; ~ marks those that vary much.",
		     c->ceilings->rounds);
	double height = flame_lines(c->out, "sub", 32, LINE_PX, (const char *)sub.data, sub.len,
				    FLAME_COLUMNS(WIDTH));
	bytes_release(&title);
	bytes_release(&cut);
	bytes_release(&sub);
	return 32 + height + 14;
}

static double draw_foot(struct chart *c, double y)
{
	struct bytes text = { 0 };
	double height = 0;

	if (c->view->not_placed)
		bytes_printf(&text, "%s\n", c->view->not_placed);
	roofline_cautions(&text, c->ceilings);
	const char *s = (const char *)text.data;
	for (size_t left = text.len; left > 0;) {
		const char *end = memchr(s, '\n', left);
		size_t len = end ? (size_t)(end - s) : left, step = end ? len + 1 : len;
		struct bytes safe = { 0 };
		text_append_printable(&safe, s, len);
		height += flame_lines(c->out, "dim", y + height, LINE_PX, (const char *)safe.data,
				      safe.len, FLAME_COLUMNS(WIDTH));
		bytes_release(&safe);
		s += step;
		left -= step;
	}
	bytes_release(&text);
	return height + 10;
}

/* What the picture shows, for who does not see it. */
static void describe(struct chart *c, struct bytes *out)
{
	struct bytes title = { 0 };

	text_of(c, &title);
	bytes_printf(out, "<title id=\"prof-title\">");
	flame_escape_printable(out, (const char *)title.data, title.len);
	bytes_printf(out, "</title><desc id=\"prof-desc\">");
	bytes_clear(&title);
	roofline_machine(&title, c->ceilings);
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		const struct ceiling_bandwidth *b =
			roofline_roof(c->ceilings, c->is_all, places[i]);
		char rate[48];
		if (b)
			bytes_printf(&title, "; %s %s", places[i],
				     roofline_rate(rate, sizeof(rate),
						   ceiling_bandwidth_rate(b, c->is_all)->best,
						   "B/s"));
	}
	for (size_t i = 0; i < c->view->point_count; i++) {
		bytes_printf(&title, "; ");
		text_append_printable(&title, c->view->points[i].name,
				      strlen(c->view->points[i].name));
		bytes_printf(&title, ": ");
		roofline_verdict(&title, c->ceilings, &c->view->points[i]);
	}
	flame_escape_printable(out, (const char *)title.data, title.len);
	bytes_printf(out, "</desc>\n");
	bytes_release(&title);
}

/* The ceilings that the first point is compared with; of all cores where there is none. */
static bool compares_with_all(const struct roofline_view *v)
{
	struct roofline_place place;

	if (v->point_count && roofline_place(&place, v->ceilings, &v->points[0]))
		return place.is_all;
	return true;
}

static void draw_plot(struct chart *c)
{
	choose_axes(c);
	draw_axes(c);
	double widest = draw_slopes(c, c->is_all, false);
	draw_levels(c, c->is_all, 4, widest);
	if (c->ceilings->threads > 1) {
		widest = draw_slopes(c, !c->is_all, true);
		draw_levels(c, !c->is_all, 1, widest);
	}
	draw_points(c);
}

void output_roofline_svg(struct bytes *out, const struct roofline_view *v)
{
	struct bytes body = { 0 };
	struct chart c = { .out = &body, .ceilings = v->ceilings, .view = v };

	c.is_all = compares_with_all(v);
	c.top = draw_head(&c);
	if (highest_peak(v->ceilings, c.is_all) > 0)
		draw_plot(&c);
	double y = c.top + PLOT_HEIGHT + FOOT, height = y + draw_foot(&c, y);
	bytes_printf(out,
		     "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"prof\" role=\"img\" "
		     "aria-labelledby=\"prof-title\" aria-describedby=\"prof-desc\" width=\"%d\" "
		     "height=\"%.0f\" viewBox=\"0 0 %d %.0f\">\n",
		     WIDTH, height, WIDTH, height);
	describe(&c, out);
	bytes_printf(out,
		     "<style>%s</style>\n<rect class=\"page\" width=\"%d\" height=\"%.0f\"/>\n",
		     style, WIDTH, height);
	bytes_append(out, body.data, body.len);
	bytes_printf(out, "</svg>\n");
	bytes_release(&body);
}
