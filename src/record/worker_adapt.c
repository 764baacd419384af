/* What the worker changes while it records: the copy of the stack, the moment of the samples. */
#include "record/worker_parts.h"

#include "base/log.h"
#include <stdio.h>

#define GROW_MIN       100 /* stacks before the cut share is judged */
#define GROW_ONE_IN    500 /* cut, and more are cut than the larger copy is worth */
#define GROW_ELSEWHERE 3   /* stacks that go on on another one: that does not happen by chance */
#define JITTER_NS      1000000000ull
#define JITTER_LEAST   1000 /* samples */

static void say_growth(struct worker *w, const struct pipeline_stats *s)
{
	char text[200];
	double all = (double)s->stacks;
	unsigned kb = (w->plan->stack_bytes[1] + 8) >> 10;
	if (s->has_go)
		snprintf(text, sizeof(text),
			 "Go runs on many stacks: following frame pointers too, and copying %u kB, "
			 "from now on",
			 kb);
	else if (s->truncated >= s->elsewhere)
		snprintf(text, sizeof(text),
			 "%.1f%% of stacks were cut at %u kB: copying %u kB from now on",
			 100.0 * (double)s->truncated / all, w->plan->stack_bytes[0] >> 10, kb);
	else
		snprintf(text, sizeof(text),
			 "%.1f%% of stacks go on on another stack: following frame pointers too, "
			 "and copying %u kB, from now on",
			 100.0 * (double)s->elsewhere / all, kb);
	pipeline_note(w->pipeline, text);
	log_message(s->has_go ? LOG_INFO : LOG_NOTICE, "%s", text);
}

void worker_grow_stacks(struct worker *w)
{
	struct pipeline_stats s;
	if (w->tried_to_grow || pipeline_is_wide(w->pipeline) ||
	    w->plan->stack_mode != STACK_COPY || !w->plan->stack_bytes[1])
		return;
	pipeline_get_stats(w->pipeline, &s);
	if (!s.has_go && ((s.stacks < GROW_MIN && s.elsewhere < GROW_ELSEWHERE) ||
			  (s.truncated + s.elsewhere) * GROW_ONE_IN < s.stacks))
		return;
	w->tried_to_grow = true;
	w->grown = rings_grow(&w->rings);
	if (w->grown)
		say_growth(w, &s);
}

void worker_jitter(struct worker *w, uint64_t now_ns)
{
	struct pipeline_stats s;
	pipeline_get_stats(w->pipeline, &s);
	bool wanted = !w->plan->options->period && s.samples - w->jittered_samples >= JITTER_LEAST;
	w->jitter_due_ns = now_ns + JITTER_NS;
	if (!wanted)
		return;
	rings_jitter(&w->rings, &w->random_state);
	w->jittered_samples = s.samples;
}
