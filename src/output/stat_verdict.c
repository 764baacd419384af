/* The last lines of prof stat: what kept the program from being faster, and what to do next. */
#include <math.h>
#include <string.h>

#include "analysis/wrap.h"
#include "output/show.h"
#include "output/stat_parts.h"

#define HEADING "  verdict   "
#define INDENT	(sizeof(HEADING) - 1)

static bool counts_user_only(const struct counter_table *t)
{
	for (size_t i = 0; i < t->events.len; i++) {
		size_t len = strlen(t->events.data[i].name);
		if (len > 2 && strcmp(t->events.data[i].name + len - 2, ":u") == 0)
			return true;
	}
	return false;
}

/* Of several runs the median, as it is shown. */
static void take_metrics(struct verdict_evidence *e, const struct stat_view *v)
{
	struct stat_lines l;

	stat_lines_of(&l, v);
	for (size_t i = 0; i < l.metrics.len; i++) {
		const struct stat_metric *m = &l.sheets[0].metrics.data[i];
		struct metric_value value = { .value = l.metrics.data[i].repeat.median };
		value.state = isnan(value.value) ? METRIC_MISSING : METRIC_KNOWN;
		if (!m->type) /* core types are never taken together */
			verdict_evidence_take_metric(e, m->row, &value);
	}
	stat_lines_release(&l);
}

void stat_verdicts_of(struct verdicts *out, const struct stat_view *v)
{
	struct verdict_evidence e;

	*out = (struct verdicts){ .len = 0 };
	if (!v->again || !v->run_count)
		return;
	verdict_evidence_of_runs(&e, v->runs, v->run_count, v->cpus);
	take_metrics(&e, v);
	e.again = v->again;
	e.hides_kernel = counts_user_only(&v->runs[0].total);
	verdict_reach(out, &e);
}

/* Not cut, so that it can be copied. */
static void put_command(struct show *s, const char *command)
{
	CLEANUP_FREE char *text = show_name(s, command);

	bytes_printf(s->out, "%*s", (int)INDENT, "");
	show_begin(s, SHOW_DIM);
	show_text(s, text, strlen(text));
	show_end(s, SHOW_DIM);
	bytes_u8(s->out, '\n');
}

static void put_verdict(struct show *s, const struct verdict *verdict, const char *heading)
{
	CLEANUP_FREE char *words = xasprintf("%s: %s", verdict->name, verdict->text);
	CLEANUP_FREE char *text = show_name(s, words);
	struct bytes all = { 0 };
	struct wrap w;

	wrap_begin(&w, s->out, heading, s->width, INDENT);
	bytes_printf(&all, "%s", text);
	wrap_take_words(&w, &all);
	wrap_end(&w);
	bytes_release(&all);
	if (verdict->command)
		put_command(s, verdict->command);
}

void stat_text_verdicts(struct show *s, const struct stat_view *v)
{
	struct verdicts verdicts;

	stat_verdicts_of(&verdicts, v);
	if (verdicts.len)
		bytes_u8(s->out, '\n');
	for (size_t i = 0; i < verdicts.len; i++)
		put_verdict(s, &verdicts.items[i], i ? "            " : HEADING);
	verdicts_release(&verdicts);
}
