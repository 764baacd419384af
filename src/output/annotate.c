/* prof annotate: what rows are made of, and which view. */
#include "output/annotate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/annotate_counts.h"
#include "analysis/percent.h"
#include "base/text.h"
#include "output/metrics.h"

#define SHARE_WIDTH  ((size_t)6)
#define ERROR_WIDTH  ((size_t)5)
#define LINE_WIDTH   ((size_t)6)
#define TAB_COLUMNS  4u
#define LEAST_TEXT   ((size_t)4)
#define HOT_PART     ((uint64_t)10) /* a tenth of the function is marked */
#define SCREEN_LINES ((size_t)23)   /* of 24, one is left for the prompt */
#define LINES_BELOW  ((size_t)3)    /* what is left, and what next */
#define LEAST_ROWS   ((size_t)6)

static struct counted *columns_of(const struct annotate_output *o)
{
	return o->annotation->counts ? &o->annotation->counts->counted : NULL;
}

static size_t numbers_width(const struct annotate_output *o)
{
	return SHARE_WIDTH + ERROR_WIDTH + LINE_WIDTH +
	       (columns_of(o) ? metrics_width(columns_of(o)) : 0);
}

static size_t count_lines(const struct bytes *b)
{
	size_t lines = 0;

	for (size_t i = 0; i < b->len; i++)
		lines += b->data[i] == '\n';
	return lines;
}

size_t annotate_room(const struct annotate_output *o)
{
	size_t used = count_lines(o->show.out) + LINES_BELOW;

	return used + LEAST_ROWS < SCREEN_LINES ? SCREEN_LINES - used : LEAST_ROWS;
}

uint64_t annotate_least(const struct annotate_output *o)
{
	uint64_t base = annotation_base(o->annotation);
	double percent = o->options->min_percent;

	if (percent >= 100)
		return base;
	return percent > 0 ? (uint64_t)ceil(percent / 100 * (double)base) : 0;
}

char *annotate_file_name(const struct annotate_output *o, uint32_t file)
{
	const char *path = profile_str(o->annotation->profile, file), *slash = strrchr(path, '/');

	return show_name(&o->show,
			 o->options->full_paths || !slash || !slash[1] ? path : slash + 1);
}

enum show_style annotate_style(const struct annotate_output *o, const struct annotate_weight *w)
{
	if (!w || w->weight == 0)
		return SHOW_DIM;
	return w->weight >= o->annotation->all.weight / HOT_PART ? SHOW_BOLD : SHOW_PLAIN;
}

void annotate_titles(struct annotate_output *o, const char *what, const char *text)
{
	struct show *s = &o->show;
	size_t used = numbers_width(o) + 2;
	CLEANUP_FREE char *shown = show_elide(s, text, s->width > used ? s->width - used : 1);

	bytes_u8(s->out, '\n');
	show_begin(s, SHOW_DIM);
	show_cell(s, "SHARE", SHARE_WIDTH, true);
	show_cell(s, s->unicode ? "±" : "+-", ERROR_WIDTH, true);
	if (columns_of(o))
		metrics_print_titles(s, columns_of(o));
	show_cell(s, what, LINE_WIDTH, true);
	bytes_printf(s->out, "  %s", shown);
	show_end(s, SHOW_DIM);
	annotate_end_row(o);
}

static void print_metrics(struct annotate_output *o, const struct annotate_weight *w)
{
	const struct counted *c = columns_of(o);

	for (size_t i = 0; c && i < c->columns.len; i++) {
		struct counted_cell cell = annotate_metric(o->annotation, w, i);
		if (w && w->counts)
			metrics_print_cell(&o->show, c, i, &cell);
		else
			metrics_print_nothing(&o->show, c, i);
	}
}

/* Of the whole function. */
static void print_function_metrics(struct annotate_output *o)
{
	const struct counted *c = columns_of(o);

	for (size_t i = 0; c && i < c->columns.len; i++) {
		struct counted_cell cell = annotate_metric(o->annotation, &o->annotation->all, i);
		metrics_print_line(&o->show, c, i, &cell);
	}
}

void annotate_numbers(struct annotate_output *o, const struct annotate_weight *w, uint32_t line)
{
	struct bytes share = { 0 }, error = { 0 };
	char number[16] = "";

	if (w && w->weight) {
		percent_append(&share, w->weight, annotation_base(o->annotation));
		bytes_printf(&share, "%%");
		percent_append_error(&error, "",
				     show_share(w->weight, annotation_base(o->annotation)),
				     w->error);
	}
	if (line)
		snprintf(number, sizeof(number), "%" PRIu32, line);
	bytes_u8(&share, '\0');
	bytes_u8(&error, '\0');
	show_cell(&o->show, (const char *)share.data, SHARE_WIDTH, true);
	show_cell(&o->show, (const char *)error.data, ERROR_WIDTH, true);
	print_metrics(o, w);
	show_cell(&o->show, number, LINE_WIDTH, true);
	bytes_release(&share);
	bytes_release(&error);
}

void annotate_text(struct annotate_output *o, const char *text, size_t used)
{
	size_t before = numbers_width(o) + used;

	if (o->show.width < before + LEAST_TEXT)
		return;
	CLEANUP_FREE char *shown = show_start(&o->show, text, o->show.width - before);
	bytes_printf(o->show.out, "%s", shown);
}

void annotate_end_row(struct annotate_output *o)
{
	struct bytes *out = o->show.out;

	while (out->len && out->data[out->len - 1] == ' ')
		out->len--;
	bytes_u8(out, '\n');
}

/* Tabs as spaces; blanks at the end, and at the start where they mean nothing, left out. */
static char *plain_line(const char *text, size_t len, bool indented)
{
	struct bytes out = { 0 };
	size_t at = 0;

	while (len && (text[len - 1] == ' ' || text[len - 1] == '\t'))
		len--;
	while (!indented && at < len && (text[at] == ' ' || text[at] == '\t'))
		at++;
	for (; at < len; at++) {
		if (text[at] == '\t')
			bytes_printf(&out, "%*s", (int)(TAB_COLUMNS - (out.len % TAB_COLUMNS)), "");
		else if (text[at]) /* strings end there */
			bytes_u8(&out, (uint8_t)text[at]);
		else
			bytes_printf(&out, "\\x00");
	}
	bytes_u8(&out, '\0');
	return (char *)out.data;
}

void annotate_source(struct annotate_output *o, uint32_t file, uint32_t line, size_t used,
		     bool indented)
{
	size_t len = 0;
	const char *text = line ? source_texts_line(o->texts, file, line, &len) : NULL;

	if (!text || len == 0)
		return;
	CLEANUP_FREE char *plain = plain_line(text, len, indented);
	CLEANUP_FREE char *shown = show_name(&o->show, plain);
	annotate_text(o, shown, used);
}

static size_t widest_address(const struct instructions *all)
{
	uint64_t last = 0;

	for (size_t i = 0; i < all->items.len; i++)
		last |= all->items.data[i].address;
	size_t digits = 1;
	while (last >>= 4)
		digits++;
	return digits;
}

void output_annotate(struct bytes *out, const struct annotation *a,
		     const struct source_texts *texts, const struct annotate_options *options)
{
	struct annotate_output o = { .annotation = a, .texts = texts, .options = options };

	o.show.out = out;
	o.show.width = options->width ? options->width : 80;
	o.show.colour = options->colour;
	o.show.unicode = options->unicode;
	if (options->view != ANNOTATE_SOURCE)
		instructions_build(&o.instructions, a, options->att ? DISASM_ATT : DISASM_INTEL);
	o.address_width = widest_address(&o.instructions);
	if (options->json) {
		annotate_json(&o);
	} else if (options->csv) {
		annotate_csv(&o);
	} else {
		annotate_head(&o);
		print_function_metrics(&o);
		if (options->view == ANNOTATE_ASM)
			annotate_asm(&o);
		else
			annotate_lines(&o);
	}
	free(o.line_starts);
	free(o.line_items);
	instructions_release(&o.instructions);
}
