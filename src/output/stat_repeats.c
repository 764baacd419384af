/* prof stat -r for people: a line for each number, with its median over the runs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "output/show.h"
#include "output/stat_parts.h"

#define NAME_WIDTH_MIN 20
#define VALUE_WIDTH    15
#define SPREAD_WIDTH   10
#define RANGE_WIDTH    32

static void put(struct show *s, const char *text)
{
	stat_put(s, text);
}

static const char *value_text(const struct stat_line *line, double value, char *buf, size_t size)
{
	char number[64];

	if (line->event)
		return stat_value_text(buf, size, line->event, value);
	if (isnan(value))
		snprintf(buf, size, "?");
	else if (strcmp(line->unit, "ns") == 0)
		text_duration(buf, size, (uint64_t)value);
	else if (strcmp(line->unit, "bytes") == 0)
		text_bytes(buf, size, (uint64_t)value);
	else if (line->is_count && value >= 0 && floor(value) >= value)
		text_count(buf, size, (uint64_t)value);
	else
		snprintf(buf, size, "%s", stat_number_text(number, sizeof(number), value));
	return buf;
}

/* The interval, or where it is not known the smallest and largest value. */
static void put_range(struct show *s, const struct stat_line *line)
{
	const struct counter_repeat *r = &line->repeat;
	bool known = !isnan(r->low);
	char low[64], high[64], text[160];

	if (r->count == 0)
		return;
	value_text(line, known ? r->low : r->least, low, sizeof(low));
	value_text(line, known ? r->high : r->most, high, sizeof(high));
	snprintf(text, sizeof(text), "%s to %s", low, high);
	show_cell(s, text, RANGE_WIDTH, true);
}

static void put_line(struct show *s, const struct stat_line *line, size_t name_width)
{
	CLEANUP_FREE char *whole = line->event && *line->event->type
					   ? xasprintf("%s [%s]", line->name, line->event->type)
					   : xstrdup(line->name);
	CLEANUP_FREE char *name = show_name(s, whole);
	char value[64], spread[32];

	put(s, "  ");
	show_cell(s, name, name_width, false);
	if (line->repeat.count == 0) {
		show_cell(s, line->event ? counter_state_text(line->state) : "not known",
			  VALUE_WIDTH, true);
		put(s, "\n");
		return;
	}
	show_cell(s, value_text(line, line->repeat.median, value, sizeof(value)), VALUE_WIDTH,
		  true);
	double share = line->repeat.median > 0 ? line->repeat.spread / line->repeat.median : 0;
	stat_cell(s, stat_spread_text(spread, sizeof(spread), share), SPREAD_WIDTH, true);
	put_range(s, line);
	if (!line->event && *line->title) {
		bool shown = strcmp(line->unit, "ns") == 0 || strcmp(line->unit, "bytes") == 0;
		put(s, "   ");
		stat_put_title(s, shown ? "" : line->unit, line->title, 0);
	}
	put(s, "\n");
}

static size_t widest(const struct stat_line *lines, size_t count, size_t width)
{
	for (size_t i = 0; i < count; i++) {
		size_t type = lines[i].event ? strlen(lines[i].event->type) : 0;
		size_t own = strlen(lines[i].name) + (type ? type + 3 : 0);
		width = own > width ? own : width;
	}
	return width;
}

static void put_lines(struct show *s, const struct stat_line *lines, size_t count, size_t width)
{
	for (size_t i = 0; i < count; i++)
		if (lines[i].event || lines[i].repeat.count)
			put_line(s, &lines[i], width);
	if (count)
		put(s, "\n");
}

static void put_head(struct show *s, const struct stat_view *v)
{
	CLEANUP_FREE char *title = show_name(s, v->title);
	size_t failed = 0;
	char text[200];

	for (size_t i = 0; i < v->run_count; i++)
		failed += v->runs[i].exit_status || v->runs[i].exit_signal;
	show_begin(s, SHOW_BOLD);
	put(s, title);
	show_end(s, SHOW_BOLD);
	snprintf(text, sizeof(text), " (%zu runs", v->run_count);
	put(s, text);
	if (v->warmups) {
		snprintf(text, sizeof(text), " after %u to warm up", v->warmups);
		put(s, text);
	}
	if (failed) {
		snprintf(text, sizeof(text), ", %zu of them failed", failed);
		put(s, text);
	}
	put(s, ")\n\n");
}

static void put_heading(struct show *s, const struct stat_view *v, size_t name_width)
{
	bool known = v->run_count >= COUNTER_REPEAT_LEAST;

	put(s, "  ");
	show_cell(s, "", name_width, false);
	show_cell(s, "median", VALUE_WIDTH, true);
	show_cell(s, "spread", SPREAD_WIDTH, true);
	show_cell(s, known ? "95 % interval" : "least to most", RANGE_WIDTH, true);
	put(s, "\n");
}

static void put_explanation(struct show *s, const struct stat_view *v)
{
	char text[200];

	put(s, "  spread: half of the runs are nearer to the median than this (MAD)\n");
	if (v->run_count >= COUNTER_REPEAT_LEAST)
		return;
	snprintf(text, sizeof(text),
		 "  the median's 95 %% interval is not known from fewer than %d runs\n",
		 COUNTER_REPEAT_LEAST);
	put(s, text);
}

static void put_notes(struct show *s, const struct stat_view *v)
{
	for (size_t i = 0; i < v->note_count; i++) {
		CLEANUP_FREE char *note = show_name(s, v->notes[i]);
		stat_put_remark(s, note);
	}
}

void stat_text_repeats(struct show *s, const struct stat_view *v)
{
	struct stat_lines l;

	stat_lines_of(&l, v);
	size_t width = widest(l.counters.data, l.counters.len,
			      widest(l.usage.data, l.usage.len, NAME_WIDTH_MIN));
	width = widest(l.metrics.data, l.metrics.len, width);
	put_head(s, v);
	put_heading(s, v, width);
	put_line(s, &l.wall.data[0], width);
	put_lines(s, l.usage.data, l.usage.len, width);
	put_lines(s, l.counters.data, l.counters.len, width);
	put_lines(s, l.metrics.data, l.metrics.len, width);
	put_explanation(s, v);
	put_notes(s, v);
	stat_lines_release(&l);
}
