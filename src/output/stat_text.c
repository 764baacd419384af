/*
 * prof stat for people: how long it took and what the kernel accounts to it, then a line for each
 * counter with the metrics that begin with it, then what has to be said about them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "output/show.h"
#include "output/stat_parts.h"

#define NAME_WIDTH_MIN	18
#define NAME_WIDTH_MAX	44
#define VALUE_WIDTH_MIN 14
#define METRIC_WIDTH	12
#define TITLE_WIDTH	42
#define INDENT		"  "
#define SPLIT_SURE_NS	500000000u /* see SPLIT_MIN_NS in stat_sheet.c */

struct screen {
	const struct stat_view *view;
	const struct counter_run *run;
	struct show show;
	struct stat_sheet sheet;
	size_t name_width, value_width;
	bool any_shared, any_unknown, any_mixed; /* what the lines below have to explain */
};

static void put(struct screen *s, const char *text)
{
	stat_put(&s->show, text);
}

/* ---- the head ---- */

static void put_end(struct screen *s)
{
	const struct counter_run *run = s->run;
	char text[96] = "";

	if (!run->launched)
		return;
	if (!run->ended)
		snprintf(text, sizeof(text), " (runs on)");
	else if (run->exit_signal)
		snprintf(text, sizeof(text), " (ended by signal %d, %s)", run->exit_signal,
			 strsignal(run->exit_signal));
	else if (run->exit_status)
		snprintf(text, sizeof(text), " (exit status %d)", run->exit_status);
	put(s, text);
}

static void put_machine(struct screen *s)
{
	const struct counter_machine *m = &s->run->machine;
	double wall_ns = (double)s->run->wall_ns;
	char line[160];

	if (!m->known || wall_ns <= 0 || !s->view->cpus)
		return;
	/* Told in ticks, so it may be a little more than all. */
	snprintf(line, sizeof(line), " · %.2f of %u CPUs busy",
		 fmin((double)m->busy_ns / wall_ns, s->view->cpus), s->view->cpus);
	put(s, line);
	if (m->steal_ns) {
		snprintf(line, sizeof(line), ", %.2f stolen by the hypervisor",
			 (double)m->steal_ns / wall_ns);
		put(s, line);
	}
}

static void put_time(struct screen *s)
{
	const struct counter_usage *u = &s->run->usage;
	char a[32], b[32], line[160];

	snprintf(line, sizeof(line), INDENT "time      %s wall",
		 text_duration(a, sizeof(a), s->run->wall_ns));
	put(s, line);
	if (u->known) {
		put(s, " · ");
		put(s, text_duration(a, sizeof(a), u->user_ns + u->system_ns));
		put(s, " CPU");
	}
	/* The kernel looks once a tick who runs: of a few ticks the parts are chance. */
	if (u->known && u->user_ns + u->system_ns >= SPLIT_SURE_NS) {
		snprintf(line, sizeof(line), ": %s user, %s system",
			 text_duration(a, sizeof(a), u->user_ns),
			 text_duration(b, sizeof(b), u->system_ns));
		put(s, line);
	}
	put_machine(s);
	put(s, "\n");
}

static void put_usage(struct screen *s)
{
	const struct counter_usage *u = &s->run->usage;
	char a[32], b[32], c[32], line[200];

	if (!u->known)
		return;
	snprintf(line, sizeof(line),
		 INDENT "memory    %s resident at most · %s minor faults, %s major\n",
		 text_bytes(a, sizeof(a), u->max_rss_bytes),
		 text_count(b, sizeof(b), u->minor_faults),
		 text_count(c, sizeof(c), u->major_faults));
	put(s, line);
	snprintf(line, sizeof(line), INDENT "switches  %s voluntary (it waited), %s involuntary\n",
		 text_count(a, sizeof(a), u->voluntary_switches),
		 text_count(b, sizeof(b), u->involuntary_switches));
	put(s, line);
}

static void put_head(struct screen *s)
{
	CLEANUP_FREE char *title = show_name(&s->show, s->view->title);

	show_begin(&s->show, SHOW_BOLD);
	put(s, title);
	show_end(&s->show, SHOW_BOLD);
	put_end(s);
	put(s, "\n\n");
	put_time(s);
	put_usage(s);
	put(s, "\n");
}

/* ---- a counter ---- */

static char *event_label(const struct screen *s, const struct counter_event *e)
{
	CLEANUP_FREE char *whole =
		*e->type ? xasprintf("%s [%s]", e->name, e->type) : xstrdup(e->name);

	return show_name(&s->show, whole);
}

static const char *value_of(const struct screen *s, size_t event, char *buf, size_t size)
{
	const struct counter_table *t = &s->sheet.table;
	const struct counter_reading *r = counter_table_at(t, 0, event);
	double value = counter_reading_scaled(r);

	if (isnan(value))
		snprintf(buf, size, "%s", counter_state_text(r->state));
	else
		stat_value_text(buf, size, &t->events.data[event], value);
	return buf;
}

/* "45 % ±0.3 %": how much of the time it ran, and how far the scaled value may be off. */
static void running_text(struct screen *s, size_t event, char *buf, size_t size)
{
	const struct counter_reading *r = counter_table_at(&s->sheet.table, 0, event);
	double running = counter_reading_running(r), value = counter_reading_scaled(r);
	double width = s->sheet.widths[event];
	char spread[32];

	buf[0] = '\0';
	if (isnan(running) || running >= 1)
		return;
	s->any_shared = true;
	s->any_unknown |= isnan(width);
	if (isnan(width) || value <= 0)
		snprintf(buf, size, "ran %.1f %%, ±?", 100 * running);
	else
		snprintf(buf, size, "ran %.1f %%, %s", 100 * running,
			 stat_spread_text(spread, sizeof(spread), width / value));
}

static void put_metric(struct screen *s, size_t i)
{
	const struct metric *m = s->sheet.metrics.data[i].row;
	const struct metric_value *v = &s->sheet.metrics.data[i].value;
	char number[48];

	s->any_mixed |= v->across_groups;
	show_cell(&s->show, stat_number_text(number, sizeof(number), v->value), METRIC_WIDTH, true);
	put(s, v->across_groups ? "* " : metric_is_notable(m, v) ? "! " : "  ");
	stat_put_title(&s->show, m->unit, m->title, TITLE_WIDTH);
}

/* What metrics cannot be computed is left out: their counters say why. */
static ptrdiff_t next_metric(const struct screen *s, ptrdiff_t beside, ptrdiff_t after)
{
	for (size_t i = (size_t)(after + 1); i < s->sheet.metrics.len; i++) {
		const struct stat_metric *m = &s->sheet.metrics.data[i];
		if (m->beside == beside && m->value.state == METRIC_KNOWN)
			return (ptrdiff_t)i;
	}
	return -1;
}

static void end_line(struct screen *s)
{
	struct bytes *out = s->show.out;

	while (out->len && out->data[out->len - 1] == ' ')
		out->len--;
	put(s, "\n");
}

static void put_counter(struct screen *s, size_t event)
{
	const struct counter_event *e = &s->sheet.table.events.data[event];
	CLEANUP_FREE char *label = event_label(s, e);
	CLEANUP_FREE char *fitted = show_elide(&s->show, label, s->name_width);
	ptrdiff_t metric = next_metric(s, (ptrdiff_t)event, -1);
	char value[64], running[64];

	put(s, INDENT);
	show_cell(&s->show, fitted, s->name_width, false);
	show_cell(&s->show, value_of(s, event, value, sizeof(value)), s->value_width, true);
	running_text(s, event, running, sizeof(running));
	if (metric >= 0)
		put_metric(s, (size_t)metric);
	else if (*running)
		show_cell(&s->show, "", METRIC_WIDTH + TITLE_WIDTH, false);
	put(s, running);
	end_line(s);
	while (metric >= 0 && (metric = next_metric(s, (ptrdiff_t)event, metric)) >= 0) {
		show_cell(&s->show, "", sizeof(INDENT) - 1 + s->name_width + s->value_width, false);
		put_metric(s, (size_t)metric);
		end_line(s);
	}
}

static void put_other_metrics(struct screen *s)
{
	for (ptrdiff_t i = next_metric(s, -1, -1); i >= 0; i = next_metric(s, -1, i)) {
		show_cell(&s->show, "", sizeof(INDENT) - 1 + s->name_width + s->value_width, false);
		put_metric(s, (size_t)i);
		end_line(s);
	}
}

static void measure(struct screen *s)
{
	const struct counter_table *t = &s->sheet.table;

	s->name_width = NAME_WIDTH_MIN;
	s->value_width = VALUE_WIDTH_MIN;
	for (size_t i = 0; i < t->events.len; i++) {
		CLEANUP_FREE char *label = event_label(s, &t->events.data[i]);
		char value[64];
		size_t width = text_width(label, strlen(label));
		s->name_width = width > s->name_width ? width : s->name_width;
		width = strlen(value_of(s, i, value, sizeof(value)));
		s->value_width = width + 1 > s->value_width ? width + 1 : s->value_width;
	}
	if (s->name_width > NAME_WIDTH_MAX)
		s->name_width = NAME_WIDTH_MAX;
}

/* ---- what has to be said ---- */

static void put_line(struct screen *s, const char *text)
{
	stat_put_remark(&s->show, text);
}

static void put_reasons(struct screen *s)
{
	const struct counter_table *t = &s->sheet.table;

	for (size_t i = 0; i < t->events.len; i++) {
		const struct counter_event *e = &t->events.data[i];
		if (!*e->reason)
			continue;
		CLEANUP_FREE char *label = event_label(s, e);
		CLEANUP_FREE char *reason = show_name(&s->show, e->reason);
		CLEANUP_FREE char *line = xasprintf("%s: %s", label, reason);
		put_line(s, line);
	}
}

static bool is_user_only(const struct counter_table *t)
{
	for (size_t i = 0; i < t->events.len; i++) {
		const char *name = t->events.data[i].name;
		size_t len = strlen(name);
		if (len > 2 && strcmp(name + len - 2, ":u") == 0)
			return true;
	}
	return false;
}

/* What a state means, once for all events in it, where no event has a reason of its own. */
static void put_states(struct screen *s)
{
	static const struct {
		enum counter_state state;
		const char *text;
	} rows[] = {
		{ COUNTER_NOT_COUNTED,
		  "not counted: the processor never had a counter free for it" },
		{ COUNTER_WRAPPED,
		  "went backwards: it showed less than before, so nothing is known" },
		{ COUNTER_IMPOSSIBLE,
		  "impossible: it ran for longer than it was due, or counted without running" },
	};
	const struct counter_table *t = &s->sheet.table;

	if (s->run && s->run->delayed && !s->run->total.elapsed_ns)
		return; /* a note says why */
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		bool found = false;
		for (size_t e = 0; e < t->events.len; e++)
			found |= counter_table_at(t, 0, e)->state == rows[i].state &&
				 !*t->events.data[e].reason;
		if (found)
			put_line(s, rows[i].text);
	}
}

static void put_notable(struct screen *s)
{
	for (size_t i = 0; i < s->sheet.metrics.len; i++) {
		const struct stat_metric *m = &s->sheet.metrics.data[i];
		if (m->value.state != METRIC_KNOWN ||
		    !(s->view->verbose || metric_is_notable(m->row, &m->value)))
			continue;
		CLEANUP_FREE char *line = xasprintf(
			"%s%s: %s%s%s", metric_is_notable(m->row, &m->value) ? "! " : "",
			m->row->title, m->row->explanation ? m->row->explanation : "",
			m->row->condition ? "; " : "", m->row->condition ? m->row->condition : "");
		put_line(s, line);
	}
}

static void put_remarks(struct screen *s)
{
	size_t before = s->show.out->len;

	put(s, "\n");
	put_notable(s);
	if (s->any_mixed)
		put_line(s, "* of counters that did not run at the same time: true as far as the "
			    "program is steady");
	if (s->any_shared)
		put_line(s, "ran: the share of the time that the counter was on the processor; the "
			    "value is scaled up from it, ± is its 95 % uncertainty");
	if (s->any_unknown)
		put_line(s, "±?: counted for too short a time to know");
	put_states(s);
	if (is_user_only(&s->sheet.table))
		put_line(s, ":u counts user mode only");
	put_reasons(s);
	for (size_t i = 0; i < s->view->note_count; i++) {
		CLEANUP_FREE char *note = show_name(&s->show, s->view->notes[i]);
		put_line(s, note);
	}
	if (s->show.out->len == before + 1)
		s->show.out->len = before;
}

static void show_run(struct bytes *out, const struct stat_view *v, const struct counter_run *run)
{
	struct screen s = {
		.view = v,
		.run = run,
		.show = { .out = out,
			  .width = stat_width(v),
			  .colour = v->colour,
			  .unicode = v->unicode },
	};

	stat_sheet_of_run(&s.sheet, v, run);
	measure(&s);
	put_head(&s);
	if (stat_has_rows(run))
		stat_text_rows(&s.show, v, run);
	for (size_t i = 0; i < s.sheet.table.events.len; i++)
		put_counter(&s, i);
	put_other_metrics(&s);
	put_remarks(&s);
	stat_sheet_release(&s.sheet);
}

void output_stat_text(struct bytes *out, const struct stat_view *v)
{
	struct show show = {
		.out = out, .width = stat_width(v), .colour = v->colour, .unicode = v->unicode
	};

	if (v->run_count > 1)
		stat_text_repeats(&show, v);
	else if (v->run_count)
		show_run(out, v, v->runs);
	stat_text_verdicts(&show, v);
}
