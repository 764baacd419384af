/* prof stat as CSV: a row for each counter and metric, of each interval, thread, CPU… */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "output/stat_parts.h"

struct csv {
	struct bytes *out;
	const char *separator;
	bool fresh; /* nothing in this row yet */
};

static void separate(struct csv *c)
{
	if (!c->fresh)
		bytes_append(c->out, c->separator, strlen(c->separator));
	c->fresh = false;
}

/* In quotes where its own characters would be taken for something else (RFC 4180). */
static void put_text(struct csv *c, const char *text)
{
	struct bytes safe = { 0 };

	separate(c);
	text_append_printable(&safe, text, strlen(text));
	bool quoted = strstr(text, c->separator) || strpbrk(text, ",\"") || *text == ' ';
	if (quoted)
		bytes_u8(c->out, '"');
	for (size_t i = 0; i < safe.len; i++) {
		if (safe.data[i] == '"')
			bytes_u8(c->out, '"');
		bytes_u8(c->out, safe.data[i]);
	}
	if (quoted)
		bytes_u8(c->out, '"');
	bytes_release(&safe);
}

/* Empty when it is no number. */
static void put_number(struct csv *c, double value)
{
	separate(c);
	if (value >= 0 && value < 9e15 && floor(value) >= value)
		bytes_printf(c->out, "%" PRIu64, (uint64_t)value);
	else if (isfinite(value))
		bytes_printf(c->out, "%.9g", value);
}

static void end_row(struct csv *c)
{
	bytes_append(c->out, "\r\n", 2);
	c->fresh = true;
}

static void put_heading(struct csv *c)
{
	static const char *const names[] = { "seconds", "row",	 "kind",   "name",
					     "type",	"state", "value",  "unit",
					     "low",	"high",	 "spread", "running_percent" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		put_text(c, names[i]);
	end_row(c);
}

struct row {
	double seconds;
	const char *row, *kind, *name, *type, *state, *unit;
	double value, low, high, spread, running_percent;
};

static void put_row(struct csv *c, const struct row *r)
{
	put_number(c, r->seconds);
	put_text(c, r->row);
	put_text(c, r->kind);
	put_text(c, r->name);
	put_text(c, r->type ? r->type : "");
	put_text(c, r->state);
	put_number(c, r->value);
	put_text(c, r->unit);
	put_number(c, r->low);
	put_number(c, r->high);
	put_number(c, r->spread);
	put_number(c, r->running_percent);
	end_row(c);
}

static void put_sheet(struct csv *c, const struct stat_sheet *s, double seconds, const char *label)
{
	for (size_t i = 0; i < s->table.events.len; i++) {
		const struct counter_event *e = &s->table.events.data[i];
		const struct counter_reading *reading = counter_table_at(&s->table, 0, i);
		double scale = e->scale > 0 ? e->scale : 1;
		double value = counter_reading_scaled(reading) * scale;
		struct row r = { seconds,
				 label,
				 "counter",
				 e->name,
				 e->type,
				 counter_state_text(reading->state),
				 e->unit,
				 value,
				 value - s->widths[i] * scale,
				 value + s->widths[i] * scale,
				 NAN,
				 100 * counter_reading_running(reading) };
		put_row(c, &r);
	}
	for (size_t i = 0; i < s->metrics.len; i++) {
		const struct stat_metric *m = &s->metrics.data[i];
		double value = m->value.state == METRIC_KNOWN ? m->value.value : NAN;
		struct row r = { seconds,
				 label,
				 "metric",
				 m->row->name,
				 m->type,
				 metric_state_text(m->value.state),
				 m->row->unit,
				 value,
				 value - m->value.half_width,
				 value + m->value.half_width,
				 NAN,
				 NAN };
		put_row(c, &r);
	}
}

static void put_usage(struct csv *c, const struct counter_run *run)
{
	const struct counter_usage *u = &run->usage;
	const struct row rows[] = {
		{ .name = "wall", .unit = "ns", .value = (double)run->wall_ns },
		{ .name = "user", .unit = "ns", .value = (double)u->user_ns },
		{ .name = "system", .unit = "ns", .value = (double)u->system_ns },
		{ .name = "max-resident", .unit = "bytes", .value = (double)u->max_rss_bytes },
		{ .name = "voluntary-switches",
		  .unit = "",
		  .value = (double)u->voluntary_switches },
		{ .name = "involuntary-switches",
		  .unit = "",
		  .value = (double)u->involuntary_switches },
	};

	for (size_t i = 0; i < (u->known ? ARRAY_LEN(rows) : 1); i++) {
		struct row r = rows[i];
		r.seconds = r.low = r.high = r.spread = r.running_percent = NAN;
		r.row = "";
		r.kind = "usage";
		r.state = "known";
		put_row(c, &r);
	}
}

static void put_run(struct csv *c, const struct stat_view *v, const struct counter_run *run)
{
	struct stat_sheet sheet;

	put_usage(c, run);
	for (size_t i = 0; stat_has_rows(run) && i < run->total.rows.len; i++) {
		const struct counter_row *row = &run->total.rows.data[i];
		CLEANUP_FREE char *label = row->kind == COUNTER_ROW_THREAD
						   ? xasprintf("%s %u", row->label, row->id)
						   : xstrdup(row->label);
		stat_sheet_of_row(&sheet, v, run, i);
		put_sheet(c, &sheet, NAN, label);
		stat_sheet_release(&sheet);
	}
	stat_sheet_of_run(&sheet, v, run);
	put_sheet(c, &sheet, NAN, "");
	stat_sheet_release(&sheet);
}

static void put_lines(struct csv *c, const char *kind, const struct stat_line *lines, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct stat_line *l = &lines[i];
		double scale = l->event && l->event->scale > 0 ? l->event->scale : 1;
		const char *known = l->repeat.count ? "known" : "not known";
		struct row r = { NAN,
				 "",
				 kind,
				 l->name,
				 l->event ? l->event->type : "",
				 l->event ? counter_state_text(l->state) : known,
				 l->event ? l->event->unit : l->unit,
				 l->repeat.median * scale,
				 l->repeat.low * scale,
				 l->repeat.high * scale,
				 l->repeat.spread * scale,
				 NAN };
		put_row(c, &r);
	}
}

void output_stat_csv(struct bytes *out, const struct stat_view *v, const char *separator,
		     bool begins)
{
	struct csv c = { .out = out, .separator = separator, .fresh = true };
	struct stat_lines l;

	if (begins)
		put_heading(&c);
	if (v->run_count == 1)
		put_run(&c, v, v->runs);
	if (v->run_count <= 1)
		return;
	stat_lines_of(&l, v);
	put_lines(&c, "usage", l.wall.data, l.wall.len);
	put_lines(&c, "usage", l.usage.data, l.usage.len);
	put_lines(&c, "counter", l.counters.data, l.counters.len);
	put_lines(&c, "metric", l.metrics.data, l.metrics.len);
	stat_lines_release(&l);
}

void output_stat_csv_interval(struct bytes *out, const struct stat_view *v,
			      const struct counter_table *t, uint64_t since_begin_ns,
			      const char *separator, bool begins)
{
	struct csv c = { .out = out, .separator = separator, .fresh = true };
	struct stat_sheet sheet;

	if (begins)
		put_heading(&c);
	stat_sheet_of_interval(&sheet, v, t);
	put_sheet(&c, &sheet, (double)since_begin_ns / 1e9, "");
	stat_sheet_release(&sheet);
}
