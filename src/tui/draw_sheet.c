/* Sheets over the whole screen. */
#include <stdio.h>
#include <string.h>

#include "analysis/percent.h"
#include "base/text.h"
#include "output/show.h"
#include "tui/draw.h"

static void draw_title(const struct model *m, const struct grid_area *a)
{
	const struct sheet *s = &m->sheet;
	struct grid_style style = STYLE(GRID_TITLE, GRID_BOLD | GRID_REVERSE);
	size_t room = sheet_room(m), count = sheet_is_list(s) ? s->rows.len : s->lines.len;
	char position[48] = "";

	grid_fill(a, 0, 0, a->width, style);
	if (count > room)
		snprintf(position, sizeof(position), "%zu%% ",
			 (s->top + room < count ? s->top + room : count) * 100 / count);
	grid_text_left_of(a, a->width, 0, position, style);
	draw_start(m, a, 1, 0, a->width > 8 ? a->width - 8 : 0, s->title, style);
}

static void draw_lines(const struct model *m, const struct grid_area *a)
{
	const struct sheet *s = &m->sheet;

	for (unsigned y = 1; y < a->height && s->top + y - 1 < s->lines.len; y++) {
		size_t i = s->top + y - 1, from = s->lines.data[i];
		size_t end = i + 1 < s->lines.len ? s->lines.data[i + 1] : s->text.len;
		while (end > from && s->text.data[end - 1] == '\n')
			end--;
		draw_coloured(a, y, (const char *)s->text.data + from, end - from);
	}
}

static void draw_list_row(const struct model *m, const struct grid_area *a, unsigned y,
			  const struct sheet_row *row, bool is_selected)
{
	struct show show = { .unicode = m->in->unicode };
	struct bytes share = { 0 };
	struct grid_style style = STYLE(GRID_PLAIN, is_selected ? GRID_REVERSE : 0);

	grid_fill(a, 0, y, a->width, style);
	if (row->weight != UINT64_MAX && m->sheet.total) {
		percent_append(&share, row->weight, m->sheet.total);
		bytes_printf(&share, "%%");
	}
	bytes_u8(&share, '\0');
	grid_text_left_of(a, 7, y, (const char *)share.data, style);
	bytes_release(&share);
	CLEANUP_FREE char *text = show_name(&show, row->text);
	unsigned x = row->weight == UINT64_MAX ? 2 : 9;
	draw_start(m, a, x, y, a->width > x ? a->width - x : 0, text, style);
}

void draw_sheet(const struct model *m, const struct grid_area *a)
{
	const struct sheet *s = &m->sheet;

	draw_title(m, a);
	if (!sheet_is_list(s)) {
		draw_lines(m, a);
		return;
	}
	for (unsigned y = 1; y < a->height && s->top + y - 1 < s->rows.len; y++)
		draw_list_row(m, a, y, &s->rows.data[s->top + y - 1],
			      s->top + y - 1 == s->selected);
}
