/* The source around the hottest line of what is selected: its file, where it is here, else what the
 * recording has. */
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

/* ---- which rows ---- */

/* Rows of what is shown: lines of a file that is here, else those that were collected. */
struct pane {
	struct lines lines;
	size_t count, middle; /* middle: the row of the hottest line */
	bool is_whole;	      /* row i is line i + 1; lines is empty */
};

static void pane_init(struct pane *p, const struct model *m)
{
	const struct source_line *at = &m->source;

	memset(p, 0, sizeof(*p));
	p->count = source_texts_line_count(&m->texts, at->file);
	p->is_whole = at->line <= p->count;
	p->middle = at->line - 1;
	if (p->is_whole)
		return;
	collect(&p->lines, m, at, m->source_name);
	p->count = p->lines.items.len;
	p->middle = 0;
	while (p->middle < p->count && p->lines.items.data[p->middle].line != at->line)
		p->middle++;
}

static size_t first_row(const struct pane *p, size_t room, int scroll)
{
	size_t most = p->count > room ? p->count - room : 0;
	ptrdiff_t first = (ptrdiff_t)p->middle - (ptrdiff_t)(room / 2) + scroll;

	return first < 0 ? 0 : (size_t)first < most ? (size_t)first : most;
}

/* The rows on the screen, with what was sampled in each. */
static void take_rows(struct pane *p, const struct model *m, size_t first, size_t room)
{
	const struct hot_lines *hot = &m->view.lines;

	for (size_t i = first; i < first + room && i < p->count; i++)
		add_line(&p->lines, (uint32_t)i + 1, 0);
	for (size_t i = 0; i < hot->rows.len; i++) {
		const struct hot_line *row = &hot->rows.data[i];
		if (row->file == m->source.file && row->line > first &&
		    row->line - first <= p->lines.items.len)
			p->lines.items.data[row->line - first - 1].weight += row->weight;
	}
}

static size_t room_of(const struct model *m)
{
	return m->places.source.height > 1 ? m->places.source.height - 1 : 0;
}

void model_scroll_source(struct model *m, int by)
{
	struct pane p;
	size_t room = room_of(m);

	if (room == 0) {
		model_say(m, false, "no source pane here: a shows the source");
		return;
	}
	if (!m->source.file || !m->source.line)
		return;
	pane_init(&p, m);
	size_t first = first_row(&p, room, m->source_scroll);
	size_t next = by < 0 && first < (size_t)-by ? 0 : first + (size_t)by;
	size_t most = p.count > room ? p.count - room : 0;
	next = next < most ? next : most;
	m->source_scroll = (int)((ptrdiff_t)next - (ptrdiff_t)p.middle + (ptrdiff_t)(room / 2));
	vec_release(&p.lines.items);
}

static void draw_head(const struct model *m, const struct grid_area *a, const char *text)
{
	grid_fill(a, 0, 0, a->width, STYLE(GRID_PLAIN, GRID_UNDERLINE));
	draw_start(m, a, 0, 0, a->width, text, STYLE(GRID_PLAIN, GRID_UNDERLINE | GRID_DIM));
}

static const char *state_words(const struct model *m)
{
	const struct source_line *at = &m->source;
	enum source_state state = source_texts_state(&m->texts, at->file);
	size_t len;

	if (!source_texts_line(&m->texts, at->file, at->line, &len))
		return "  its text is not here";
	if (state == SOURCE_CHANGED)
		return "  as recorded: the file here is another";
	if (state == SOURCE_NEWER)
		return "  newer than the program: lines may have moved";
	return at->weight ? "" : "  no samples in its own lines";
}

/* What the selected frame has in code that is inlined into it: its lines are those of other
 * functions, often of other files. */
static uint64_t inlined_weight(const struct model *m)
{
	const struct calltree *t = &m->view.trees[m->selected.tree];
	uint64_t sum = 0;

	if (m->state.table || m->state.view == VIEW_UP || m->selected.tree == 1)
		return 0;
	for (uint32_t c = t->nodes.data[m->selected.node].first_child; c != PROFILE_NONE;
	     c = t->nodes.data[c].next_sibling)
		sum += t->nodes.data[c].kind == CODE_INLINED ? t->nodes.data[c].total : 0;
	return sum;
}

static char *inlined_words(const struct model *m)
{
	uint64_t weight = inlined_weight(m);
	struct bytes share = { 0 };

	if (weight && view_total(&m->view)) {
		bytes_printf(&share, "  + ");
		percent_append(&share, weight, view_total(&m->view));
		bytes_printf(&share, "%% inlined, at own lines");
	}
	bytes_u8(&share, '\0');
	return (char *)share.data;
}

void draw_source(const struct model *m, const struct grid_area *a)
{
	const struct source_line *at = &m->source;
	struct show show = { .unicode = m->in->unicode };
	size_t room = room_of(m);
	struct pane p;

	if (!at->file || !at->line) {
		draw_head(m, a, "SOURCE  not known of this (a: source and instructions)");
		return;
	}
	const char *path = profile_str(m->in->profile, at->file), *slash = strrchr(path, '/');
	CLEANUP_FREE char *file = show_name(&show, slash && slash[1] ? slash + 1 : path);
	CLEANUP_FREE char *inlined = inlined_words(m);
	CLEANUP_FREE char *head =
		xasprintf("SOURCE  %s:%" PRIu32 "%s%s", file, at->line, state_words(m), inlined);
	draw_head(m, a, head);
	pane_init(&p, m);
	size_t first = first_row(&p, room, m->source_scroll);
	if (p.is_whole) {
		take_rows(&p, m, first, room);
		first = 0;
	}
	for (unsigned y = 1; y < a->height && first + y - 1 < p.lines.items.len; y++)
		draw_line(m, a, y, at->file, &p.lines.items.data[first + y - 1]);
	vec_release(&p.lines.items);
}
