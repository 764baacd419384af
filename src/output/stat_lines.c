/* Several runs as lines: each number with its median, spread and interval. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/stat_parts.h"

/* What the kernel accounts to a command, as rows. */
static const struct usage_row {
	const char *name, *title, *unit;
	size_t offset;
} usage_rows[] = {
	{ "user", "CPU time in user mode", "ns", offsetof(struct counter_usage, user_ns) },
	{ "system", "CPU time in the kernel", "ns", offsetof(struct counter_usage, system_ns) },
	{ "max-resident", "resident memory at most", "bytes",
	  offsetof(struct counter_usage, max_rss_bytes) },
	{ "voluntary-switches", "switches because it waited", "",
	  offsetof(struct counter_usage, voluntary_switches) },
	{ "involuntary-switches", "switches because others had their turn", "",
	  offsetof(struct counter_usage, involuntary_switches) },
};

static double usage_value(const struct counter_usage *u, const struct usage_row *row)
{
	uint64_t value;

	memcpy(&value, (const char *)u + row->offset, sizeof(value));
	return u->known ? (double)value : NAN;
}

static struct stat_line new_line(const char *name, size_t runs)
{
	return (struct stat_line){
		.name = xstrdup(name),
		.title = "",
		.unit = "",
		.state = COUNTER_COUNTED,
		.values = xcalloc(runs + 1, sizeof(double)),
	};
}

static void finish(struct stat_line *line, size_t runs)
{
	line->repeat = counter_repeat_of(line->values, runs);
}

static void add_wall(struct stat_lines *l, const struct stat_view *v)
{
	struct stat_line line = new_line("wall", v->run_count);

	line.title = "from exec to its end";
	line.unit = "ns";
	for (size_t i = 0; i < v->run_count; i++)
		line.values[i] = (double)v->runs[i].wall_ns;
	finish(&line, v->run_count);
	vec_push(&l->wall, line);
}

static void add_usage(struct stat_lines *l, const struct stat_view *v)
{
	for (size_t k = 0; k < ARRAY_LEN(usage_rows); k++) {
		struct stat_line line = new_line(usage_rows[k].name, v->run_count);
		line.title = usage_rows[k].title;
		line.is_count = true;
		line.unit = usage_rows[k].unit;
		for (size_t i = 0; i < v->run_count; i++)
			line.values[i] = usage_value(&v->runs[i].usage, &usage_rows[k]);
		finish(&line, v->run_count);
		vec_push(&l->usage, line);
	}
}

/* Runs may differ in what could be counted; the first one's events are shown. */
static void add_counters(struct stat_lines *l, const struct stat_view *v)
{
	const struct counter_table *first = &l->sheets[0].table;

	for (size_t e = 0; e < first->events.len; e++) {
		const struct counter_event *event = &first->events.data[e];
		struct stat_line line = new_line(event->name, v->run_count);
		line.event = event;
		line.state = COUNTER_NOT_COUNTED;
		for (size_t i = 0; i < v->run_count; i++) {
			const struct counter_table *t = &l->sheets[i].table;
			ptrdiff_t at = counter_table_find(t, event->name, event->type);
			line.values[i] = NAN;
			if (at < 0)
				continue;
			const struct counter_reading *r = counter_table_at(t, 0, (size_t)at);
			line.values[i] = counter_reading_scaled(r);
			line.state = r->state > line.state ? r->state : line.state;
		}
		finish(&line, v->run_count);
		vec_push(&l->counters, line);
	}
}

static double metric_in(const struct stat_sheet *sheet, const struct stat_metric *wanted)
{
	for (size_t i = 0; i < sheet->metrics.len; i++) {
		const struct stat_metric *m = &sheet->metrics.data[i];
		bool same_type = m->type && wanted->type ? strcmp(m->type, wanted->type) == 0
							 : m->type == wanted->type;
		if (m->row == wanted->row && same_type)
			return m->value.state == METRIC_KNOWN ? m->value.value : NAN;
	}
	return NAN;
}

static void add_metrics(struct stat_lines *l, const struct stat_view *v)
{
	for (size_t m = 0; m < l->sheets[0].metrics.len; m++) {
		const struct stat_metric *wanted = &l->sheets[0].metrics.data[m];
		CLEANUP_FREE char *name =
			xasprintf(wanted->type ? "%s [%s]" : "%s", wanted->row->name, wanted->type);
		struct stat_line line = new_line(name, v->run_count);
		line.title = wanted->row->title;
		line.unit = wanted->row->unit;
		for (size_t i = 0; i < v->run_count; i++)
			line.values[i] = metric_in(&l->sheets[i], wanted);
		finish(&line, v->run_count);
		vec_push(&l->metrics, line);
	}
}

void stat_lines_of(struct stat_lines *l, const struct stat_view *v)
{
	*l = (struct stat_lines){ .sheet_count = v->run_count };
	l->sheets = xcalloc(v->run_count + 1, sizeof(*l->sheets));
	for (size_t i = 0; i < v->run_count; i++)
		stat_sheet_of_run(&l->sheets[i], v, &v->runs[i]);
	add_wall(l, v);
	add_usage(l, v);
	if (v->run_count) {
		add_counters(l, v);
		add_metrics(l, v);
	}
}

static void release(struct stat_line *lines, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(lines[i].name);
		free(lines[i].values);
	}
	free(lines);
}

void stat_lines_release(struct stat_lines *l)
{
	for (size_t i = 0; i < l->sheet_count; i++)
		stat_sheet_release(&l->sheets[i]);
	free(l->sheets);
	release(l->wall.data, l->wall.len);
	release(l->usage.data, l->usage.len);
	release(l->counters.data, l->counters.len);
	release(l->metrics.data, l->metrics.len);
	*l = (struct stat_lines){ 0 };
}
