/* prof roofline for people: two tables of ceilings, and what the points say. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "output/roofline.h"
#include "output/show.h"

#define NAME_WIDTH 20
#define CELL_WIDTH 9
#define GAP_WIDTH  3
#define GIGA	   1e9

struct table {
	struct show show;
	const struct roofline_view *view;
	bool any_noisy;
};

static void put(struct table *t, const char *text)
{
	show_text(&t->show, text, strlen(text));
}

/* Without the blanks behind the last cell. */
static void end_row(struct table *t)
{
	struct bytes *out = t->show.out;

	while (out->len && out->data[out->len - 1] == ' ')
		out->len--;
	put(t, "\n");
}

static void spaces(struct table *t, size_t count)
{
	bytes_printf(t->show.out, "%*s", (int)count, "");
}

/* "11.3", "11.3~" when the rounds differ much; "-" when it was not measured. */
static void cell(struct table *t, const struct ceiling_rate *r)
{
	char number[32], text[40];

	if (!r || r->best <= 0) {
		show_cell(&t->show, "-", CELL_WIDTH - 1, true);
		spaces(t, 1);
		return;
	}
	bool is_noisy = ceiling_is_noisy(r);
	t->any_noisy |= is_noisy;
	snprintf(text, sizeof(text), "%s%s",
		 roofline_number(number, sizeof(number), r->best / GIGA), is_noisy ? "~" : " ");
	show_cell(&t->show, text, CELL_WIDTH, true);
}

/* How many threads: one, and all where that is more. */
static int sides(const struct table *t)
{
	return t->view->ceilings->threads > 1 ? 2 : 1;
}

static void heading(struct table *t, const char *title, const char *const *columns, size_t count)
{
	char cores[64];

	show_begin(&t->show, SHOW_BOLD);
	show_cell(&t->show, title, NAME_WIDTH, false);
	for (int all = 0; all < sides(t); all++) {
		spaces(t, all ? GAP_WIDTH : 0);
		show_cell(&t->show, roofline_cores(cores, sizeof(cores), t->view->ceilings, all),
			  count * CELL_WIDTH - 1, true);
		spaces(t, 1);
	}
	show_end(&t->show, SHOW_BOLD);
	end_row(t);
	spaces(t, NAME_WIDTH);
	for (int all = 0; all < sides(t); all++) {
		spaces(t, all ? GAP_WIDTH : 0);
		for (size_t i = 0; i < count; i++) {
			show_cell(&t->show, columns[i], CELL_WIDTH - 1, true);
			spaces(t, 1);
		}
	}
	end_row(t);
}

static const struct ceiling_flops *find_flops(const struct ceilings *c, const char *name,
					      bool is_double)
{
	for (size_t i = 0; i < c->flops.len; i++)
		if (c->flops.data[i].is_double == is_double &&
		    strcmp(c->flops.data[i].name, name) == 0)
			return &c->flops.data[i];
	return NULL;
}

static bool is_first_of_its_name(const struct ceilings *c, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(c->flops.data[i].name, c->flops.data[at].name) == 0)
			return false;
	return true;
}

static void begin_row(struct table *t, const char *name)
{
	CLEANUP_FREE char *safe = show_name(&t->show, name);

	spaces(t, 2);
	show_cell(&t->show, safe, NAME_WIDTH - 2, false);
}

static void put_arithmetic(struct table *t)
{
	static const char *const columns[] = { "double", "single" };
	const struct ceilings *c = t->view->ceilings;

	heading(t, "GFLOP/s", columns, 2);
	for (size_t i = 0; i < c->flops.len; i++) {
		const char *name = c->flops.data[i].name;
		if (!is_first_of_its_name(c, i))
			continue;
		begin_row(t, name);
		for (int all = 0; all < sides(t); all++) {
			spaces(t, all ? GAP_WIDTH : 0);
			for (int single = 0; single < 2; single++) {
				const struct ceiling_flops *f = find_flops(c, name, !single);
				cell(t, f ? ceiling_flops_rate(f, all) : NULL);
			}
		}
		end_row(t);
	}
	put(t, "\n");
}

static const struct ceiling_bandwidth *find_bandwidth(const struct ceilings *c, const char *place,
						      const char *what)
{
	for (size_t i = 0; i < c->bandwidth.len; i++)
		if (strcmp(c->bandwidth.data[i].place, place) == 0 &&
		    strcmp(c->bandwidth.data[i].what, what) == 0)
			return &c->bandwidth.data[i];
	return NULL;
}

/* behind: what the columns' kernels have behind their names. */
static void bandwidth_row(struct table *t, const char *place, const char *label, const char *behind)
{
	static const char *const kinds[] = { "load", "copy", "triad" };

	begin_row(t, label);
	for (int all = 0; all < sides(t); all++) {
		spaces(t, all ? GAP_WIDTH : 0);
		for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
			char what[40];
			snprintf(what, sizeof(what), "%s%s", kinds[i], behind);
			const struct ceiling_bandwidth *b =
				find_bandwidth(t->view->ceilings, place, what);
			cell(t, b ? ceiling_bandwidth_rate(b, all) : NULL);
		}
	}
	end_row(t);
}

static void put_bandwidth(struct table *t)
{
	static const char *const columns[] = { "load", "copy", "triad" };
	const struct ceilings *c = t->view->ceilings;

	heading(t, "GB/s", columns, 3);
	for (size_t i = 0; i < c->bandwidth.len; i++) {
		const char *place = c->bandwidth.data[i].place;
		char label[48];
		if (i > 0 && strcmp(place, c->bandwidth.data[i - 1].place) == 0)
			continue;
		bandwidth_row(t, place, place, "");
		if (!find_bandwidth(c, place, "copy, streaming"))
			continue;
		snprintf(label, sizeof(label), "%s, streaming", place);
		bandwidth_row(t, place, label, ", streaming");
	}
	put(t, "\n");
}

static void all_of(struct table *t, const char *name, const struct ceiling_rate *r,
		   const char *unit)
{
	char best[48], median[48], least[48], line[256];

	if (r->best <= 0)
		return;
	snprintf(line, sizeof(line), "  %-40s best %s, median %s, least %s\n", name,
		 roofline_rate(best, sizeof(best), r->best, unit),
		 roofline_rate(median, sizeof(median), r->median, unit),
		 roofline_rate(least, sizeof(least), r->least, unit));
	put(t, line);
}

static void put_rounds(struct table *t)
{
	const struct ceilings *c = t->view->ceilings;
	char name[128], cores[64];

	for (int all = 0; all < sides(t); all++) {
		roofline_cores(cores, sizeof(cores), c, all);
		for (size_t i = 0; i < c->flops.len; i++) {
			const struct ceiling_flops *f = &c->flops.data[i];
			snprintf(name, sizeof(name), "%s, %s, %s", f->name,
				 f->is_double ? "double" : "single", cores);
			all_of(t, name, ceiling_flops_rate(f, all), "FLOP/s");
		}
		for (size_t i = 0; i < c->bandwidth.len; i++) {
			const struct ceiling_bandwidth *b = &c->bandwidth.data[i];
			snprintf(name, sizeof(name), "%s, %s, %s", b->place, b->what, cores);
			all_of(t, name, ceiling_bandwidth_rate(b, all), "B/s");
		}
	}
	put(t, "\n");
}

static void put_head(struct table *t)
{
	const struct ceilings *c = t->view->ceilings;
	struct bytes machine = { 0 };
	char time[32], line[160];

	roofline_machine(&machine, c);
	bytes_u8(&machine, '\0');
	CLEANUP_FREE char *safe = show_name(&t->show, (const char *)machine.data);
	show_begin(&t->show, SHOW_BOLD);
	put(t, "Ceilings of ");
	put(t, safe);
	show_end(&t->show, SHOW_BOLD);
	snprintf(line, sizeof(line), "\nthe best of %u rounds in %s\n\n", c->rounds,
		 text_duration(time, sizeof(time), c->elapsed_ns));
	put(t, line);
	bytes_release(&machine);
}

/* Each line of text as a paragraph. */
static void put_lines(struct table *t, const struct bytes *text)
{
	const char *s = (const char *)text->data;

	for (size_t left = text->len; left > 0;) {
		const char *end = memchr(s, '\n', left);
		size_t len = end ? (size_t)(end - s) : left, step = end ? len + 1 : len;
		CLEANUP_FREE char *line = xasprintf("%.*s", (int)len, s);
		CLEANUP_FREE char *safe = show_name(&t->show, line);
		show_paragraph(&t->show, safe);
		s += step;
		left -= step;
	}
}

static void put_cautions(struct table *t)
{
	struct bytes text = { 0 };

	if (t->any_noisy)
		bytes_printf(&text, "~ the median of the rounds is more than 10 %% below the best, "
				    "which is shown\n");
	roofline_cautions(&text, t->view->ceilings);
	put_lines(t, &text);
	bytes_release(&text);
}

static void put_point(struct table *t, const struct roofline_point *p)
{
	CLEANUP_FREE char *name = show_name(&t->show, p->name);
	struct bytes text = { 0 };

	put(t, "\n");
	show_begin(&t->show, SHOW_BOLD);
	put(t, name);
	show_end(&t->show, SHOW_BOLD);
	put(t, "\n");
	roofline_verdict(&text, t->view->ceilings, p);
	put_lines(t, &text);
	bytes_release(&text);
}

void output_roofline_text(struct bytes *out, const struct roofline_view *v)
{
	struct table t = {
		.show = { .out = out, .width = 100, .colour = v->colour, .unicode = v->unicode },
		.view = v
	};

	put_head(&t);
	put_arithmetic(&t);
	put_bandwidth(&t);
	if (v->verbose)
		put_rounds(&t);
	put_cautions(&t);
	for (size_t i = 0; i < v->point_count; i++)
		put_point(&t, &v->points[i]);
	if (v->not_placed) {
		struct bytes text = { 0 };
		bytes_printf(&text, "%s\n", v->not_placed);
		put(&t, "\n");
		put_lines(&t, &text);
		bytes_release(&text);
	}
}
