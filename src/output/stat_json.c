/* prof stat as JSON. Names and meanings are promised in docs/counters.md. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/json.h"
#include "output/stat_parts.h"

#define NS_PER_S 1e9

static void put_text(struct json *j, const char *name, const char *text)
{
	if (text && *text)
		json_string(j, name, text);
	else
		json_null(j, name);
}

/* Whole numbers as such, however large. */
static void put_value(struct json *j, const char *name, double value)
{
	if (value >= 0 && value < 9e15 && floor(value) >= value)
		json_u64(j, name, (uint64_t)value);
	else
		json_double(j, name, value);
}

static double scale_of(const struct counter_event *e)
{
	return e->scale > 0 ? e->scale : 1;
}

static void put_counter(struct json *j, const struct stat_sheet *s, size_t event)
{
	const struct counter_event *e = &s->table.events.data[event];
	const struct counter_reading *r = counter_table_at(&s->table, 0, event);
	double value = counter_reading_scaled(r);
	bool counted = !isnan(value);

	json_open_object(j, NULL);
	json_string(j, "name", e->name);
	put_text(j, "type", e->type);
	json_string(j, "state", counter_state_text(r->state));
	put_value(j, "value", value * scale_of(e));
	json_string(j, "unit", e->unit);
	json_double(j, "half_width", counted ? s->widths[event] * scale_of(e) : NAN);
	if (counted)
		json_u64(j, "counted", r->value);
	else
		json_null(j, "counted");
	json_u64(j, "enabled_ns", r->enabled_ns);
	json_u64(j, "running_ns", r->running_ns);
	json_double(j, "running_percent", 100 * counter_reading_running(r));
	json_u64(j, "group", e->group);
	put_text(j, "reason", e->reason);
	json_close_object(j);
}

static void put_metric(struct json *j, const struct stat_metric *m)
{
	const struct metric_value *v = &m->value;

	json_open_object(j, NULL);
	json_string(j, "name", m->row->name);
	put_text(j, "type", m->type);
	json_string(j, "state", metric_state_text(v->state));
	json_double(j, "value", v->state == METRIC_KNOWN ? v->value : NAN);
	json_string(j, "unit", m->row->unit);
	json_double(j, "half_width", v->state == METRIC_KNOWN ? v->half_width : NAN);
	json_bool(j, "across_groups", v->across_groups);
	json_bool(j, "scaled", v->scaled);
	json_string(j, "title", m->row->title);
	put_text(j, "reason", v->state == METRIC_KNOWN ? NULL : v->why);
	json_close_object(j);
}

static void put_sheet(struct json *j, const struct stat_sheet *s)
{
	json_open_array(j, "counters");
	for (size_t i = 0; i < s->table.events.len; i++)
		put_counter(j, s, i);
	json_close_array(j);
	json_open_array(j, "metrics");
	for (size_t i = 0; i < s->metrics.len; i++)
		put_metric(j, &s->metrics.data[i]);
	json_close_array(j);
}

static void put_usage(struct json *j, const struct counter_usage *u)
{
	if (!u->known) {
		json_null(j, "usage");
		return;
	}
	json_open_object(j, "usage");
	json_double(j, "user_seconds", (double)u->user_ns / NS_PER_S);
	json_double(j, "system_seconds", (double)u->system_ns / NS_PER_S);
	json_u64(j, "max_resident_bytes", u->max_rss_bytes);
	json_u64(j, "minor_faults", u->minor_faults);
	json_u64(j, "major_faults", u->major_faults);
	json_u64(j, "voluntary_switches", u->voluntary_switches);
	json_u64(j, "involuntary_switches", u->involuntary_switches);
	json_close_object(j);
}

static void put_machine(struct json *j, const struct counter_machine *m)
{
	if (!m->known) {
		json_null(j, "machine");
		return;
	}
	json_open_object(j, "machine");
	json_double(j, "busy_seconds", (double)m->busy_ns / NS_PER_S);
	json_double(j, "steal_seconds", (double)m->steal_ns / NS_PER_S);
	json_close_object(j);
}

/* What the kernel said about CPU time that somebody did not get; see counters/surroundings.h. */
static void put_around(struct json *j, const struct counter_surroundings *s)
{
	if (!s->known) {
		json_null(j, "around");
		return;
	}
	json_open_object(j, "around");
	json_double(j, "allowed_cpus", s->allowed_cpus);
	json_double(j, "first_thread_ran_seconds", s->ran);
	json_double(j, "first_thread_waited_seconds", s->waited);
	json_double(j, "load_per_cpu", s->load);
	json_double(j, "throttled_seconds", s->throttled);
	json_double(j, "pressure_cpu_seconds", s->pressure_cpu);
	json_double(j, "pressure_memory_seconds", s->pressure_memory);
	json_double(j, "pressure_io_seconds", s->pressure_io);
	json_double(j, "machine_busy_seconds", s->busy);
	json_double(j, "machine_steal_seconds", s->steal);
	json_close_object(j);
}

static void put_end(struct json *j, const struct counter_run *run)
{
	if (!run->launched || !run->ended) {
		json_null(j, "exit_status");
		json_null(j, "signal");
	} else if (run->exit_signal) {
		json_null(j, "exit_status");
		json_u64(j, "signal", (uint64_t)run->exit_signal);
	} else {
		json_u64(j, "exit_status", (uint64_t)run->exit_status);
		json_null(j, "signal");
	}
}

static const char *kind_text(enum counter_row_kind kind)
{
	static const char *const texts[] = { "all", "thread", "cpu", "core", "socket", "type" };

	return (size_t)kind < ARRAY_LEN(texts) ? texts[kind] : "row";
}

static void put_row(struct json *j, const struct stat_view *v, const struct counter_run *run,
		    size_t i)
{
	const struct counter_row *row = &run->total.rows.data[i];
	struct stat_sheet sheet;

	json_open_object(j, NULL);
	json_string(j, "by", kind_text(row->kind));
	json_u64(j, "id", row->id);
	if (row->kind == COUNTER_ROW_THREAD)
		json_u64(j, "pid", row->id2);
	if (row->kind == COUNTER_ROW_CORE)
		json_u64(j, "socket", row->id2);
	json_string(j, "label", row->label);
	stat_sheet_of_row(&sheet, v, run, i);
	put_sheet(j, &sheet);
	stat_sheet_release(&sheet);
	json_close_object(j);
}

static void put_run(struct json *j, const struct stat_view *v, const struct counter_run *run)
{
	struct stat_sheet sheet;

	json_double(j, "wall_seconds", (double)run->wall_ns / NS_PER_S);
	put_end(j, run);
	put_usage(j, &run->usage);
	put_machine(j, &run->machine);
	put_around(j, &run->around);
	stat_sheet_of_run(&sheet, v, run);
	put_sheet(j, &sheet);
	stat_sheet_release(&sheet);
	if (!stat_has_rows(run))
		return;
	json_open_array(j, "rows");
	for (size_t i = 0; i < run->total.rows.len; i++)
		put_row(j, v, run, i);
	json_close_array(j);
}

/* ---- several runs ---- */

static void put_line(struct json *j, const struct stat_line *line, size_t runs)
{
	const struct counter_repeat *r = &line->repeat;
	double scale = line->event ? scale_of(line->event) : 1;

	json_open_object(j, NULL);
	json_string(j, "name", line->name);
	put_text(j, "type", line->event ? line->event->type : NULL);
	json_string(j, "unit", line->event ? line->event->unit : line->unit);
	json_string(j, "state",
		    line->event	    ? counter_state_text(line->state)
		    : r->count == 0 ? "not known"
				    : "known");
	json_u64(j, "runs", r->count);
	put_value(j, "median", r->median * scale);
	json_double(j, "spread", r->spread * scale);
	put_value(j, "interval_low", r->low * scale);
	put_value(j, "interval_high", r->high * scale);
	json_open_array(j, "values");
	for (size_t i = 0; i < runs; i++)
		put_value(j, NULL, line->values[i] * scale);
	json_close_array(j);
	json_close_object(j);
}

static void put_lines(struct json *j, const char *name, const struct stat_line *lines, size_t count,
		      size_t runs)
{
	json_open_array(j, name);
	for (size_t i = 0; i < count; i++)
		put_line(j, &lines[i], runs);
	json_close_array(j);
}

static void put_repeats(struct json *j, const struct stat_view *v)
{
	struct stat_lines l;

	json_open_array(j, "ends");
	for (size_t i = 0; i < v->run_count; i++) {
		json_open_object(j, NULL);
		put_end(j, &v->runs[i]);
		json_close_object(j);
	}
	json_close_array(j);
	stat_lines_of(&l, v);
	put_lines(j, "time", l.wall.data, l.wall.len, v->run_count);
	put_lines(j, "usage", l.usage.data, l.usage.len, v->run_count);
	put_lines(j, "counters", l.counters.data, l.counters.len, v->run_count);
	put_lines(j, "metrics", l.metrics.data, l.metrics.len, v->run_count);
	stat_lines_release(&l);
}

static void put_verdicts(struct json *j, const struct stat_view *v)
{
	struct verdicts verdicts;

	stat_verdicts_of(&verdicts, v);
	json_open_array(j, "verdicts");
	for (size_t i = 0; i < verdicts.len; i++) {
		json_open_object(j, NULL);
		json_string(j, "id", verdicts.items[i].id);
		json_string(j, "verdict", verdicts.items[i].name);
		json_string(j, "text", verdicts.items[i].text);
		put_text(j, "command", verdicts.items[i].command);
		json_close_object(j);
	}
	json_close_array(j);
	verdicts_release(&verdicts);
}

void output_stat_json(struct bytes *out, const struct stat_view *v, bool on_one_line)
{
	struct json j;

	json_begin(&j, out, on_one_line ? 0 : 2);
	json_open_object(&j, NULL);
	json_string(&j, "what", v->title);
	json_u64(&j, "runs", v->run_count);
	json_u64(&j, "warmups", v->warmups);
	json_u64(&j, "cpus", v->cpus);
	if (v->run_count > 1)
		put_repeats(&j, v);
	else if (v->run_count)
		put_run(&j, v, v->runs);
	put_verdicts(&j, v);
	json_open_array(&j, "notes");
	for (size_t i = 0; i < v->note_count; i++)
		json_string(&j, NULL, v->notes[i]);
	json_close_array(&j);
	json_close_object(&j);
	json_end(&j);
}

void output_stat_json_interval(struct bytes *out, const struct stat_view *v,
			       const struct counter_table *t, uint64_t since_begin_ns)
{
	struct stat_sheet sheet;
	struct json j;

	json_begin(&j, out, 0);
	json_open_object(&j, NULL);
	json_double(&j, "interval_end_seconds", (double)since_begin_ns / NS_PER_S);
	json_double(&j, "interval_seconds", (double)t->elapsed_ns / NS_PER_S);
	stat_sheet_of_interval(&sheet, v, t);
	put_sheet(&j, &sheet);
	stat_sheet_release(&sheet);
	json_close_object(&j);
	json_end(&j);
}
