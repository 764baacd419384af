/* The source around the hottest lines of what is selected, as far as the recording has it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/percent.h"
#include "base/text.h"
#include "output/show.h"
#include "tui/draw.h"

#define AROUND	    3u /* lines around a sampled one */
#define NUMBERS	    14u
#define TAB_COLUMNS 4u
#define LONGEST	    ((size_t)400)

struct shown_line {
	uint32_t line;
	uint64_t weight;
};

struct lines {
	VEC(struct shown_line) items;
};

static void add_line(struct lines *l, uint32_t line, uint64_t weight)
{
	vec_push(&l->items, ((struct shown_line){ line, weight }));
}

static int compare_lines(const void *a, const void *b)
{
	const struct shown_line *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->weight > y->weight ? -1 : x->weight < y->weight;
}

/* Sampled lines of the function in the file of its hottest, those around them, each once. */
static void collect(struct lines *l, const struct model *m, const struct source_line *hottest,
		    uint32_t name)
{
	const struct hot_lines *hot = &m->view.lines;
	size_t len;

	for (size_t i = 0; i < hot->rows.len && l->items.len < 4096; i++) {
		const struct hot_line *row = &hot->rows.data[i];
		if (row->file != hottest->file || m->line_names.data[i] != name)
			continue;
		add_line(l, row->line, row->weight);
		for (uint32_t by = 1; by <= AROUND; by++) {
			if (row->line > by &&
			    source_texts_line(&m->texts, row->file, row->line - by, &len))
				add_line(l, row->line - by, 0);
			if (source_texts_line(&m->texts, row->file, row->line + by, &len))
				add_line(l, row->line + by, 0);
		}
	}
	if (l->items.len == 0)
		add_line(l, hottest->line, 0);
	qsort(l->items.data, l->items.len, sizeof(*l->items.data), compare_lines);
	size_t kept = 0;
	for (size_t i = 0; i < l->items.len; i++)
		if (kept == 0 || l->items.data[kept - 1].line != l->items.data[i].line)
			l->items.data[kept++] = l->items.data[i];
	l->items.len = kept;
}

static char *plain_text(const struct model *m, uint32_t file, uint32_t line)
{
	size_t len = 0;
	const char *text = source_texts_line(&m->texts, file, line, &len);
	struct show show = { .unicode = m->in->unicode };
	struct bytes out = { 0 };

	for (size_t i = 0; text && i < len && i < LONGEST; i++) {
		if (text[i] == '\t')
			bytes_printf(&out, "%*s", (int)(TAB_COLUMNS - out.len % TAB_COLUMNS), "");
		else if (text[i])
			bytes_u8(&out, (uint8_t)text[i]);
	}
	bytes_u8(&out, '\0');
	char *shown = show_name(&show, (const char *)out.data);
	bytes_release(&out);
	return shown;
}

static void draw_line(const struct model *m, const struct grid_area *a, unsigned y, uint32_t file,
		      const struct shown_line *line)
{
	struct bytes share = { 0 };
	struct grid_style style = STYLE(GRID_PLAIN, line->weight ? GRID_BOLD : 0);
	char number[16];

	if (line->weight && m->view.lines.total) {
		percent_append(&share, line->weight, m->view.lines.total);
		bytes_printf(&share, "%%");
	}
	bytes_u8(&share, '\0');
	grid_text_left_of(a, 6, y, (const char *)share.data, style);
	bytes_release(&share);
	snprintf(number, sizeof(number), "%" PRIu32, line->line);
	grid_text_left_of(a, NUMBERS - 2, y, number, STYLE(GRID_PLAIN, GRID_DIM));
	CLEANUP_FREE char *text = plain_text(m, file, line->line);
	if (a->width > NUMBERS)
		draw_start(m, a, NUMBERS, y, a->width - NUMBERS, text, style);
}

/* The hottest line is in the middle. */
static size_t first_shown(const struct lines *l, uint32_t hottest, unsigned room)
{
	size_t at = 0;

	while (at < l->items.len && l->items.data[at].line != hottest)
		at++;
	if (l->items.len <= room || at < room / 2)
		return 0;
	return at - room / 2 < l->items.len - room ? at - room / 2 : l->items.len - room;
}

static void draw_head(const struct model *m, const struct grid_area *a, const char *text)
{
	grid_fill(a, 0, 0, a->width, STYLE(GRID_PLAIN, GRID_UNDERLINE));
	draw_start(m, a, 0, 0, a->width, text, STYLE(GRID_PLAIN, GRID_UNDERLINE | GRID_DIM));
}

void draw_source(const struct model *m, const struct grid_area *a)
{
	const struct source_line *at = &m->source;
	struct show show = { .unicode = m->in->unicode };
	struct lines lines = { 0 };

	if (!at->file || !at->line) {
		draw_head(m, a, "SOURCE  not known of this (a: source and instructions)");
		return;
	}
	const char *path = profile_str(m->in->profile, at->file), *slash = strrchr(path, '/');
	CLEANUP_FREE char *file = show_name(&show, slash && slash[1] ? slash + 1 : path);
	size_t len;
	bool has_text = source_texts_line(&m->texts, at->file, at->line, &len);
	CLEANUP_FREE char *head = xasprintf("SOURCE  %s:%" PRIu32 "%s", file, at->line,
					    !at->weight ? "  no samples in its own lines"
					    : has_text	? ""
							: "  text not recorded");
	draw_head(m, a, head);
	collect(&lines, m, at, m->source_name);
	size_t first = first_shown(&lines, at->line, a->height - 1);
	for (unsigned y = 1; y < a->height && first + y - 1 < lines.items.len; y++)
		draw_line(m, a, y, at->file, &lines.items.data[first + y - 1]);
	vec_release(&lines.items);
}
