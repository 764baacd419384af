/* The screen: what ran, the path, the parts, what is selected, and the last line. */
#include "tui/draw.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/percent.h"
#include "base/text.h"
#include "output/show.h"

#define CRUMB_WIDTH ((size_t)28)

static struct grid_area area_of(struct grid *g, const struct rect *r)
{
	struct grid_area whole = grid_whole(g);

	return grid_part(&whole, r->x, r->y, r->width, r->height);
}

void draw_start(const struct model *m, const struct grid_area *a, unsigned x, unsigned y,
		unsigned width, const char *text, struct grid_style style)
{
	struct show show = { .unicode = m->in->unicode };
	CLEANUP_FREE char *shown = show_start(&show, text, width);

	grid_text(a, x, y, width, shown, style);
}

static struct grid_style style_of_code(const char *code, size_t len, struct grid_style now)
{
	if (len == 1 && *code == '1')
		now.attributes |= GRID_BOLD;
	else if (len == 1 && *code == '2')
		now.attributes |= GRID_DIM;
	else if (len == 2 && memcmp(code, "35", 2) == 0)
		now.colour = GRID_KERNEL_TEXT;
	else if (len == 2 && memcmp(code, "33", 2) == 0)
		now.colour = GRID_WARN;
	else
		now = STYLE(GRID_PLAIN, 0);
	return now;
}

void draw_coloured(const struct grid_area *a, unsigned y, const char *text, size_t len)
{
	struct grid_style style = STYLE(GRID_PLAIN, 0);
	unsigned x = 0;

	while (len) {
		const char *escape = memchr(text, '\x1b', len);
		size_t plain = escape ? (size_t)(escape - text) : len;
		x += grid_text_n(a, x, y, a->width, text, plain, style);
		text += plain;
		len -= plain;
		const char *end = len ? memchr(text, 'm', len) : NULL;
		if (!end)
			return;
		style = style_of_code(text + 2, (size_t)(end - text) - 2, style);
		len -= (size_t)(end + 1 - text);
		text = end + 1;
	}
}

/* ---- the head and the path ---- */

static void draw_head(const struct model *m, struct grid *g)
{
	struct grid_area whole = grid_whole(g);
	const char *line = (const char *)m->head.data, *end = line + m->head.len;

	for (unsigned y = 0; y < m->places.head_lines && line < end; y++) {
		size_t len =
			(size_t)((const char *)memchr(line, '\n', (size_t)(end - line)) - line);
		CLEANUP_FREE char *text = xstrndup(line, len);
		draw_start(m, &whole, 0, y, whole.width, text,
			   y ? STYLE(GRID_PLAIN, GRID_DIM) : STYLE(GRID_TITLE, GRID_BOLD));
		line += len + 1;
	}
}

static char *view_words(const struct model *m)
{
	const struct state *s = &m->state;
	const char *what = s->by_module ? "modules" : "functions";
	struct show show = { .unicode = m->in->unicode };

	if (s->table && search_is_on(&m->search)) {
		CLEANUP_FREE char *text = show_name(&show, m->search.text);
		CLEANUP_FREE char *shown = show_elide(&show, text, SEARCH_WIDTH);
		return xasprintf("%zu of %zu %s, filtered by /%s", m->table.order.len,
				 m->view.flat.rows.len, what, shown);
	}
	if (s->table && !m->places.graph.height)
		return xasprintf("table of %s", what);
	if (s->view == VIEW_AROUND) {
		CLEANUP_FREE char *name = show_function(&show, s->around_label, CRUMB_WIDTH);
		return xasprintf("callers & callees of %s", name);
	}
	return xasprintf("%s%s%s", s->view == VIEW_UP ? "bottom-up " : "",
			 s->root_below ? "flame graph" : "icicle graph",
			 s->by_module ? " of modules" : "");
}

/* Names from the root to what is zoomed into: all, or the last ones. */
static void append_path(const struct model *m, struct bytes *out, size_t width)
{
	struct show show = { .unicode = m->in->unicode };
	const struct calltree *t = &m->view.trees[m->zoomed.tree];
	const char *joint = m->in->unicode ? " \xe2\x80\xba " : " > ";
	VEC(char *) names = { 0 };
	size_t used = 3;

	for (uint32_t n = m->zoomed.node; n; n = t->nodes.data[n].parent) {
		char *name = show_function(&show, view_name(t, n), CRUMB_WIDTH);
		size_t wide = text_width(name, strlen(name)) + 3;
		if (names.len && used + wide + 5 > width) {
			free(name);
			vec_push(&names, xstrdup(m->in->unicode ? "\xe2\x80\xa6" : ".."));
			break;
		}
		used += wide;
		vec_push(&names, name);
	}
	bytes_printf(out, "all");
	while (names.len) {
		bytes_printf(out, "%s%s", joint, names.data[--names.len]);
		free(names.data[names.len]);
	}
	vec_release(&names);
}

static void append_filters(const struct model *m, struct bytes *out)
{
	const struct filters *f = &m->state.filters;
	struct show show = { .unicode = m->in->unicode };

	for (size_t i = 0; i < f->items.len; i++) {
		const struct filter_item *item = &f->items.data[i];
		CLEANUP_FREE char *text = filter_item_text(item);
		CLEANUP_FREE char *ascii = show_name(&show, text);
		CLEANUP_FREE char *shown = show_elide(&show, ascii, CRUMB_WIDTH);
		bool less = item->kind == FILTER_IGNORE || item->kind == FILTER_HIDE;
		bytes_printf(out, " %s %s",
			     less	      ? (m->in->unicode ? "\xe2\x88\x92" : "-")
			     : m->in->unicode ? "\xe2\x88\xa9"
					      : "&",
			     shown);
	}
}

static void draw_path(const struct model *m, const struct grid_area *a)
{
	struct bytes path = { 0 };
	CLEANUP_FREE char *view = view_words(m);
	unsigned right = (unsigned)text_width(view, strlen(view)), room = a->width;

	if (right + 20 < a->width) {
		grid_text_left_of(a, a->width, 0, view, STYLE(GRID_PLAIN, GRID_DIM));
		room = a->width - right - 2;
	}
	struct bytes filters = { 0 };
	append_filters(m, &filters);
	size_t taken = text_width((const char *)filters.data, filters.len);
	append_path(m, &path, room > taken + 10 ? room - taken : 10);
	unsigned end = grid_text_n(a, 0, 0, room, (const char *)path.data, path.len,
				   STYLE(GRID_PLAIN, GRID_BOLD));
	grid_text_n(a, end, 0, room > end ? room - end : 0, (const char *)filters.data, filters.len,
		    STYLE(GRID_WARN, 0));
	bytes_release(&path);
	bytes_release(&filters);
}

/* ---- what is selected ---- */

#define LEAST_NAME ((size_t)12)

/* How much of the numbers, whole parts of them, fits into width columns; the first one at least. */
static size_t fitting_parts(const struct model *m, const char *numbers, size_t width)
{
	const char *dot = model_dot(m), *at = strstr(numbers, dot), *end = at;

	if (text_width(numbers, strlen(numbers)) <= width || !at)
		return strlen(numbers);
	while (at && text_width(numbers, (size_t)(at - numbers)) <= width) {
		end = at;
		at = strstr(at + strlen(dot), dot);
	}
	return (size_t)(end - numbers);
}

/* Name and place, and in what the name leaves the numbers from one on, which are never cut. */
static void draw_name(const struct model *m, const struct grid_area *a, const char *name,
		      const char *place, const char *numbers)
{
	struct show show = { .unicode = m->in->unicode };
	size_t taken = text_width(numbers, strlen(numbers)),
	       wide = text_width(place, strlen(place));
	size_t right = taken ? taken + 2 : 0, room = a->width > right ? a->width - right : 0;

	room = room < LEAST_NAME ? LEAST_NAME : room;
	size_t name_room = wide + 2 + LEAST_NAME <= room ? room - wide - 2 : room;
	CLEANUP_FREE char *shown = show_function(&show, name, name_room);
	unsigned end = grid_text(a, 0, 0, a->width, shown, STYLE(GRID_PLAIN, GRID_BOLD));
	if (end + 6 < room && wide)
		draw_start(m, a, end + 2, 0, (unsigned)room - end - 2, place,
			   STYLE(GRID_PLAIN, GRID_DIM));
	if (taken && wide)
		grid_text_left_of(a, a->width, 0, numbers, STYLE(GRID_PLAIN, 0));
	else if (end + 2 < a->width)
		draw_start(m, a, end + 2, 0, a->width - end - 2, numbers, STYLE(GRID_PLAIN, 0));
}

static void draw_details(const struct model *m, const struct grid_area *a)
{
	struct bytes name = { 0 }, place = { 0 }, text = { 0 };

	model_describe(m, &name, &place, &text);
	bytes_u8(&name, '\0');
	bytes_u8(&place, '\0');
	bytes_u8(&text, '\0');
	char *numbers = (char *)text.data, *rest = numbers + strlen(numbers);
	size_t room = a->height > 1	      ? a->width
		      : a->width > LEAST_NAME ? a->width - LEAST_NAME - 2
					      : 0;
	size_t fits = fitting_parts(m, numbers, room);
	if (numbers[fits]) {
		rest = numbers + fits + strlen(model_dot(m));
		numbers[fits] = '\0';
	}
	if (a->height > 1) {
		draw_name(m, a, (const char *)name.data, (const char *)place.data, rest);
		draw_start(m, a, 0, 1, a->width, numbers, STYLE(GRID_PLAIN, 0));
	} else {
		draw_name(m, a, (const char *)name.data, "", numbers);
	}
	bytes_release(&name);
	bytes_release(&place);
	bytes_release(&text);
}

void model_draw(const struct model *m, struct grid *g)
{
	const struct arrangement *p = &m->places;
	struct grid_area status = area_of(g, &p->status), whole = grid_whole(g);

	grid_clear(g);
	if (m->sheet.kind) {
		struct grid_area a = grid_part(&whole, 0, 0, whole.width,
					       whole.height > 1 ? whole.height - 1 : 0);
		draw_sheet(m, &a);
		draw_status(m, &status);
		return;
	}
	struct grid_area path = area_of(g, &p->path), graph = area_of(g, &p->graph),
			 table = area_of(g, &p->table), source = area_of(g, &p->source),
			 strip = area_of(g, &p->strip), details = area_of(g, &p->details);
	draw_head(m, g);
	if (path.height)
		draw_path(m, &path);
	if (graph.height)
		draw_graph(m, &graph);
	if (table.height)
		draw_table(m, &table);
	if (source.height)
		draw_source(m, &source);
	if (strip.height)
		draw_strip(m, &strip);
	if (details.height)
		draw_details(m, &details);
	draw_status(m, &status);
}
