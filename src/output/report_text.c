/* The head of a text report: who ran, and how true it is. */
#include <inttypes.h>
#include <string.h>

#include "analysis/percent.h"
#include "analysis/wrap.h"
#include "base/text.h"
#include "output/report.h"

const char *report_by_name(enum flat_by by)
{
	static const char *const names[] = { "function", "module", "line", "thread",
					     "process",	 "cpu",	   "event" };

	return (size_t)by < ARRAY_LEN(names) ? names[by] : "function";
}

uint8_t report_row_unit(const struct report *r, const struct flat_row *row)
{
	const struct profile *p = r->profile;

	for (size_t i = 0; r->options->by == FLAT_BY_EVENT && i < p->events.len; i++) {
		if (strcmp(profile_str(p, p->events.data[i].name), row->name) == 0)
			return p->events.data[i].unit;
	}
	return r->facts.unit;
}

uint64_t report_least_weight(const struct report *r, uint64_t total, double default_percent)
{
	double percent = r->options->min_percent > 0 ? r->options->min_percent : default_percent;

	if (percent >= 100)
		return total;
	return percent > 0 ? (uint64_t)(percent / 100 * (double)total) : 0;
}

void report_append_count(struct bytes *out, uint64_t n, const char *one, const char *many)
{
	char buf[32];

	bytes_printf(out, "%s %s", text_count(buf, sizeof(buf), n), n == 1 ? one : many);
}

size_t report_count_lines(const struct bytes *text)
{
	size_t lines = 0;

	for (size_t i = 0; i < text->len; i++)
		lines += text->data[i] == '\n';
	return lines;
}

static void add_times(struct wrap *w, const struct facts *f)
{
	struct bytes part = { 0 };
	char buf[32];

	if (f->wall_ns)
		bytes_printf(&part, "%s wall", text_duration(buf, sizeof(buf), f->wall_ns));
	wrap_take(w, &part);
	if (f->cpu_ns)
		bytes_printf(&part, "%s CPU", text_duration(buf, sizeof(buf), f->cpu_ns));
	wrap_take(w, &part);
	bytes_release(&part);
}

static void add_counts(struct wrap *w, const struct facts *f)
{
	struct bytes part = { 0 };

	report_append_count(&part, f->samples, f->summed ? "stack" : "sample",
			    f->summed ? "stacks" : "samples");
	if (*f->event_name) {
		CLEANUP_FREE char *event = text_printable(f->event_name);
		bytes_printf(&part, " of %s", event);
	}
	wrap_take(w, &part);
	if (f->threads)
		report_append_count(&part, f->threads, "thread", "threads");
	wrap_take(w, &part);
	if (f->filtered)
		bytes_printf(&part, "filtered");
	wrap_take(w, &part);
	bytes_release(&part);
}

static void add_headline(struct report *r, struct bytes *out)
{
	struct wrap w;
	struct bytes part = { 0 };
	CLEANUP_FREE char *command = text_printable(facts_title(r->profile));
	CLEANUP_FREE char *shown = show_elide(&r->show, command, r->show.width / 2);

	wrap_begin(&w, out, "", r->show.width, 2);
	bytes_printf(&part, "%s", shown);
	wrap_take(&w, &part);
	add_times(&w, &r->facts);
	add_counts(&w, &r->facts);
	wrap_end(&w);
	bytes_release(&part);
}

static void say_why_empty(struct report *r)
{
	CLEANUP_FREE char *why = r->emptied_by ? xasprintf("nothing is left by %s", r->emptied_by)
					       : health_why_empty(&r->health, r->profile);
	CLEANUP_FREE char *line = xasprintf("no samples: %s", why);
	struct bytes text = { 0 };
	struct show paragraph = r->show;

	paragraph.out = &text;
	show_paragraph(&paragraph, line);
	show_text(&r->show, (const char *)text.data, text.len);
	bytes_release(&text);
}

void report_text_facts(struct report *r)
{
	struct bytes text = { 0 };

	add_headline(r, &text);
	health_format_facts(&r->health, r->profile, (uint32_t)r->show.width, &text);
	show_text(&r->show, (const char *)text.data, text.len);
	bytes_release(&text);
	if (r->health.delivered == 0)
		say_why_empty(r);
}

void report_text_head(struct report *r)
{
	struct bytes text = { 0 };

	add_headline(r, &text);
	size_t headline = text.len;
	show_begin(&r->show, SHOW_BOLD);
	show_text(&r->show, (const char *)text.data, headline - 1);
	show_end(&r->show, SHOW_BOLD);
	bytes_u8(r->show.out, '\n');
	bytes_clear(&text);
	/* On the screen the remedy is a finding. */
	if (report_is_screen(r))
		health_format_facts(&r->health, r->profile, (uint32_t)r->show.width, &text);
	else
		health_format_wrapped(&r->health, r->profile, (uint32_t)r->show.width, &text);
	show_text(&r->show, (const char *)text.data, text.len);
	bytes_release(&text);
	if (r->health.delivered == 0)
		say_why_empty(r);
	report_text_findings(r);
}
