/* The lines of a function: the hottest first, or all in their order; below each what is inlined
 * there, and its hottest instructions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/annotate.h"

#define WHOLE_LINES_MAX UINT32_C(20000) /* between those that were sampled */
#define MOST_INLINED	((size_t)3)
#define MOST_OF_FIRST	((size_t)4) /* instructions */
#define MOST_OF_OTHERS	((size_t)2)
#define INLINED_INDENT	((size_t)4)
#define NAME_WIDTH	((size_t)40)

static void print_inlined(struct annotate_output *o, const struct annotated_inlined *row)
{
	struct show *s = &o->show;
	CLEANUP_FREE char *name =
		show_function(s, annotation_name(o->annotation, row->name), NAME_WIDTH);
	CLEANUP_FREE char *file = annotate_file_name(o, row->file);
	CLEANUP_FREE char *where = row->line && row->file ? xasprintf("inlined %s %s:%" PRIu32 "  ",
								      name, file, row->line)
							  : xasprintf("inlined %s", name);

	annotate_numbers(o, &row->all, 0);
	bytes_printf(s->out, "    ");
	annotate_text(o, where, INLINED_INDENT);
	show_begin(s, SHOW_DIM);
	annotate_source(o, row->file, row->line, INLINED_INDENT + text_width(where, strlen(where)),
			false);
	show_end(s, SHOW_DIM);
	annotate_end_row(o);
}

/* Returns how many rows that took. */
static size_t print_all_inlined(struct annotate_output *o, const struct annotated_line *row,
				size_t most)
{
	const struct annotation *a = o->annotation;
	size_t shown = row->inlined_count < most ? row->inlined_count : most;

	for (uint32_t i = 0; i < shown; i++)
		print_inlined(o, &a->inlined.data[row->first_inlined + i]);
	if (shown == row->inlined_count)
		return shown;
	struct annotate_weight rest = { .error = 0.0 / 0.0 };
	for (uint32_t i = (uint32_t)shown; i < row->inlined_count; i++)
		rest.weight += a->inlined.data[row->first_inlined + i].all.weight;
	annotate_numbers(o, &rest, 0);
	bytes_printf(o->show.out, "    %zu more inlined lines\n", row->inlined_count - shown);
	return shown + 1;
}

static void print_line(struct annotate_output *o, uint32_t file, uint32_t line,
		       const struct annotate_weight *w, bool indented)
{
	enum show_style style = annotate_style(o, w);

	annotate_numbers(o, w, line);
	bytes_printf(o->show.out, "  ");
	show_begin(&o->show, style);
	if (line)
		annotate_source(o, file, line, 2, indented);
	else
		bytes_printf(o->show.out, "(no line is known)");
	show_end(&o->show, style);
	annotate_end_row(o);
}

static void print_file_name(struct annotate_output *o, uint32_t file)
{
	CLEANUP_FREE char *name = annotate_file_name(o, file);

	annotate_titles(o, "LINE", file ? name : "");
}

/* ---- the hottest first ---- */

struct ranked {
	uint32_t row;
	uint64_t weight;
};

static int compare_ranked(const void *pa, const void *pb)
{
	const struct ranked *x = pa, *y = pb;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static struct ranked *rank_lines(const struct annotation *a)
{
	struct ranked *ranked = xcalloc(a->lines.len, sizeof(*ranked));

	for (uint32_t i = 0; i < a->lines.len; i++)
		ranked[i] = (struct ranked){ i, a->lines.data[i].all.weight };
	if (a->lines.len)
		qsort(ranked, a->lines.len, sizeof(*ranked), compare_ranked);
	return ranked;
}

/* Lines of a file other than the titles' say which. */
static size_t print_other_file(struct annotate_output *o, uint32_t file, uint32_t title)
{
	if (file == title || file == 0)
		return 0;
	CLEANUP_FREE char *name = annotate_file_name(o, file);
	annotate_numbers(o, NULL, 0);
	bytes_printf(o->show.out, "  ");
	show_begin(&o->show, SHOW_DIM);
	annotate_text(o, name, 2);
	show_end(&o->show, SHOW_DIM);
	bytes_u8(o->show.out, '\n');
	return 1;
}

static size_t print_hot_line(struct annotate_output *o, uint32_t row, bool first, uint32_t title)
{
	const struct annotated_line *line = &o->annotation->lines.data[row];
	size_t used = 1 + print_other_file(o, line->file, title);

	print_line(o, line->file, line->line, &line->all, false);
	used += print_all_inlined(o, line, MOST_INLINED);
	return used + annotate_line_instructions(o, row, first ? MOST_OF_FIRST : MOST_OF_OTHERS);
}

static bool is_enough(const struct annotate_output *o, size_t lines, size_t used, size_t room)
{
	return o->options->limit ? lines >= o->options->limit : lines && used >= room;
}

static void print_hottest(struct annotate_output *o)
{
	const struct annotation *a = o->annotation;
	CLEANUP_FREE struct ranked *ranked = rank_lines(a);
	uint32_t title = a->lines.data[ranked[0].row].file;
	uint64_t least = annotate_least(o), weight = 0;
	size_t shown = 0, used = 0;

	print_file_name(o, title);
	size_t room = annotate_room(o);
	while (shown < a->lines.len && !is_enough(o, shown, used, room) &&
	       ranked[shown].weight >= least) {
		used += print_hot_line(o, ranked[shown].row, shown == 0, title);
		shown++;
	}
	for (size_t i = shown; i < a->lines.len; i++)
		weight += ranked[i].weight;
	annotate_rest(o, a->lines.len - shown, weight, "line", "lines");
}

/* ---- all lines ---- */

struct span { /* of a file: rows, and from which line on */
	uint32_t first_row, end_row, from;
};

/* The declaration is shown where it is near: the function's first line need not be sampled. */
static struct span span_at(const struct annotation *a, uint32_t row)
{
	const struct calltree_key *key = annotation_key(a, a->key);
	uint32_t file = a->lines.data[row].file;
	struct span s = { row, row, a->lines.data[row].line };

	while (s.end_row < a->lines.len && a->lines.data[s.end_row].file == file)
		s.end_row++;
	if (key->file == file && key->line && key->line < s.from &&
	    s.from - key->line < WHOLE_LINES_MAX)
		s.from = key->line;
	return s;
}

/* Lines without a sample, as far as their text is known. */
static void print_between(struct annotate_output *o, uint32_t file, uint32_t from, uint32_t to)
{
	bool gap = false;
	size_t len;

	for (uint32_t line = from; line < to; line++) {
		if (o->lines_between++ > WHOLE_LINES_MAX) {
			gap = true;
			break;
		}
		if (source_texts_line(o->texts, file, line, &len))
			print_line(o, file, line, NULL, true);
		else
			gap = true;
	}
	if (!gap)
		return;
	annotate_numbers(o, NULL, 0);
	bytes_printf(o->show.out, "  %s\n", o->show.unicode ? "…" : "...");
}

static void print_span(struct annotate_output *o, const struct span *s)
{
	const struct annotation *a = o->annotation;
	uint32_t next = s->from;

	print_file_name(o, a->lines.data[s->first_row].file);
	for (uint32_t row = s->first_row; row < s->end_row; row++) {
		const struct annotated_line *line = &a->lines.data[row];
		if (line->line > next)
			print_between(o, line->file, next, line->line);
		print_line(o, line->file, line->line, &line->all, true);
		print_all_inlined(o, line, SIZE_MAX);
		annotate_line_instructions(o, row, SIZE_MAX);
		next = line->line < UINT32_MAX ? line->line + 1 : line->line;
	}
}

void annotate_lines(struct annotate_output *o)
{
	const struct annotation *a = o->annotation;

	if (a->lines.len == 0)
		return;
	annotate_index_lines(o);
	if (!o->options->whole) {
		print_hottest(o);
		return;
	}
	for (uint32_t row = 0; row < a->lines.len;) {
		struct span s = span_at(a, row);
		print_span(o, &s);
		row = s.end_row;
	}
	annotate_rest(o, 0, 0, "", "");
}
