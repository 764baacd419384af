/* prof stat -I for people: a line for each interval, a column for each counter and main metric. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/show.h"
#include "output/stat_parts.h"

#define TIME_WIDTH 10
#define COLUMN_MIN 12
#define COLUMN_MAX 19

static void put(struct show *s, const char *text)
{
	stat_put(s, text);
}

/* Short names have narrow columns. */
static size_t column_width(const struct counter_event *e)
{
	size_t width = strlen(e->name) + 2;

	return width < COLUMN_MIN ? COLUMN_MIN : width > COLUMN_MAX ? COLUMN_MAX : width;
}

static bool is_shown(const struct counter_table *t, size_t event)
{
	enum counter_state state = counter_table_at(t, 0, event)->state;

	return state != COUNTER_NOT_SUPPORTED && state != COUNTER_REFUSED;
}

static void put_heading(struct show *s, const struct stat_sheet *sheet)
{
	show_cell(s, "seconds", TIME_WIDTH, true);
	for (size_t i = 0; i < sheet->table.events.len; i++) {
		if (!is_shown(&sheet->table, i))
			continue;
		const struct counter_event *e = &sheet->table.events.data[i];
		CLEANUP_FREE char *name = show_name(s, e->name);
		CLEANUP_FREE char *fitted = show_elide(s, name, column_width(e) - 1);
		show_cell(s, fitted, column_width(e), true);
	}
	put(s, "\n");
}

static void put_event(struct show *s, const struct stat_sheet *sheet, size_t event)
{
	const struct counter_event *e = &sheet->table.events.data[event];
	const struct counter_reading *r = counter_table_at(&sheet->table, 0, event);
	double value = counter_reading_scaled(r);
	char text[64];

	if (isnan(value))
		snprintf(text, sizeof(text), "%s",
			 r->state == COUNTER_NOT_COUNTED ? "-" : counter_state_text(r->state));
	else if (*e->unit)
		stat_value_text(text, sizeof(text), e, value);
	else
		stat_short_text(text, sizeof(text), value);
	show_cell(s, text, column_width(e), true);
}

void output_stat_text_interval(struct bytes *out, const struct stat_view *v,
			       const struct counter_table *t, uint64_t since_begin_ns, bool begins)
{
	struct show show = { .out = out, .width = 200, .colour = v->colour, .unicode = v->unicode };
	struct stat_sheet sheet;
	char seconds[32];

	stat_sheet_of_interval(&sheet, v, t);
	if (begins)
		put_heading(&show, &sheet);
	snprintf(seconds, sizeof(seconds), "%.3f", (double)since_begin_ns / 1e9);
	show_cell(&show, seconds, TIME_WIDTH, true);
	for (size_t i = 0; i < sheet.table.events.len; i++)
		if (is_shown(&sheet.table, i))
			put_event(&show, &sheet, i);
	put(&show, "\n");
	stat_sheet_release(&sheet);
}
