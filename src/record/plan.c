/* Deciding what to open. */
#include "record/plan.h"

#include "base/log.h"
#include "base/text.h"
#include "record/control.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_HZ     997
#define SMALL_STACK    16384u
#define NORMAL_STACK   32768u
#define LARGEST_STACK  65528u
#define READER_DELAY_S 0.1 /* what a busy machine may make the reader late by */

void plan_note(struct plan *p, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	vec_push(&p->notes, xstrdup(text));
	if (!p->silent)
		log_message(LOG_NOTICE, "%s", text);
}

/* "3" or "0-2"; the whole text. */
static bool parse_range(const char *text, unsigned long *from, unsigned long *to)
{
	char *end;
	if (*text < '0' || *text > '9')
		return false;
	*from = *to = strtoul(text, &end, 10);
	if (*end == '-' && end[1] >= '0' && end[1] <= '9')
		*to = strtoul(end + 1, &end, 10);
	return *end == '\0' && *from <= *to && *to <= UINT16_MAX;
}

static int add_cpu_range(struct plan *p, const char *range, const uint32_t *online, int count,
			 struct error *err)
{
	unsigned long from, to;
	if (!parse_range(range, &from, &to))
		return error_set(err, ERROR_USAGE, "-C %s: not a CPU list (such as 0,2-3)",
				 p->options->cpus);
	for (unsigned long cpu = from; cpu <= to && p->cpu_count < PLAN_MAX_CPUS; cpu++) {
		bool is_online = false;
		for (int i = 0; i < count; i++)
			is_online |= online[i] == cpu;
		if (!is_online)
			return error_set(err, ERROR_USAGE, "-C %s: CPU %lu is not online",
					 p->options->cpus, cpu);
		p->cpus[p->cpu_count++] = (uint32_t)cpu;
	}
	return 0;
}

static int choose_cpus(struct plan *p, struct error *err)
{
	uint32_t online[PLAN_MAX_CPUS];
	int count = event_online_cpus(online, PLAN_MAX_CPUS);
	if (count <= 0)
		return error_set(err, ERROR_SYSTEM,
				 "cannot read which CPUs are online (is /sys mounted?)");
	if (!p->options->cpus) {
		memcpy(p->cpus, online, (size_t)count * sizeof(online[0]));
		p->cpu_count = (uint32_t)count;
		return 0;
	}
	char *list = xstrdup(p->options->cpus), *state = NULL;
	int result = 0;
	for (char *part = strtok_r(list, ",", &state); part && !result;
	     part = strtok_r(NULL, ",", &state))
		result = add_cpu_range(p, part, online, count, err);
	free(list);
	if (!result && !p->cpu_count)
		return error_set(err, ERROR_USAGE, "-C %s: not a CPU list (such as 0,2-3)",
				 p->options->cpus);
	return result;
}

static int refuse_uncountable(const struct event_list *events, struct error *err)
{
	for (size_t i = 0; i < events->items.len; i++) {
		const struct event_spec *e = &events->items.data[i];
		if (e->no_task)
			return error_set(
				err, ERROR_USAGE,
				"%s counts CPUs, not what runs on them: it cannot be sampled; "
				"count it with `prof stat -a`",
				e->name);
	}
	return 0;
}

/* The name that is recorded says how precise the samples are. */
static void settle_precise(struct plan *p, struct event_spec *e)
{
	int level = e->precise ? event_precise_level(e, p->system_wide) : -1;
	if (level < 0 || (unsigned)level >= e->precise)
		return;
	plan_note(p, "%s: precise level %d instead of %u, which this processor cannot do%s",
		  e->name, level, e->precise,
		  level ? "" : ": samples are taken behind the instruction that caused them");
	event_spec_set_precise(e, (unsigned)level);
}

/* The clock that stands for an event where there are no counters; it samples whose code that
 * would have. */
static int replace_by_clock(struct plan *p, struct event_spec *e, struct error *err)
{
	struct event_list clock = { 0 };
	if (event_parse(&clock, p->system_wide ? "cpu-clock" : "task-clock", err) < 0) {
		event_list_release(&clock);
		return -1;
	}
	struct event_spec *c = &clock.items.data[0];
	plan_note(p, "no hardware counters here: %s instead of %s", c->name, e->name);
	c->exclude_user = e->exclude_user;
	c->exclude_kernel = e->exclude_kernel;
	c->group = e->group;
	c->asked = e->asked;
	event_spec_release(e);
	*e = *c;
	vec_release(&clock.items); /* what it held is e's now */
	return 0;
}

static int choose_events(struct plan *p, struct error *err)
{
	if (!p->options->events || !p->options->events[0]) {
		const char *clock = p->system_wide ? "cpu-clock" : "task-clock";
		return event_parse(&p->events, p->limits.has_hardware ? "cycles" : clock, err);
	}
	for (const char *const *text = p->options->events; *text; text++)
		if (event_parse(&p->events, *text, err) < 0)
			return -1;
	if (refuse_uncountable(&p->events, err) < 0)
		return -1;
	for (size_t i = 0; i < p->events.items.len; i++) {
		struct event_spec *e = &p->events.items.data[i];
		/* Virtual machines mostly have no counters. */
		if (!p->limits.has_hardware && strncmp(e->name, "cycles", 6) == 0 && !e->is_clock &&
		    replace_by_clock(p, e, err) < 0)
			return -1;
		settle_precise(p, e);
	}
	return 0;
}

static int choose_kernel(struct plan *p, struct error *err)
{
	switch (p->options->kernel) {
	case RECORD_KERNEL_NO:
		p->kernel = false;
		return 0;
	case RECORD_KERNEL_YES:
		if (!p->limits.may_kernel)
			return error_set(
				err, ERROR_PERMISSION,
				"kernel samples are not permitted: sudo sysctl kernel.perf_event_paranoid=1 "
				"(now %d), or leave out --kernel",
				p->limits.paranoid);
		p->kernel = true;
		return 0;
	default:
		p->kernel = p->limits.may_kernel;
		p->kernel_denied = !p->kernel;
		return 0;
	}
}

static int choose_rate(struct plan *p, struct error *err)
{
	uint64_t max = p->limits.max_sample_rate ? p->limits.max_sample_rate : 100000;
	if (p->options->period)
		return 0;
	p->requested_hz = p->options->frequency ? p->options->frequency : DEFAULT_HZ;
	if (p->requested_hz == UINT64_MAX)
		p->requested_hz = max;
	if (p->requested_hz > max) {
		plan_note(p, "%llu Hz is above kernel.perf_event_max_sample_rate: %llu Hz instead",
			  (unsigned long long)p->requested_hz, (unsigned long long)max);
		p->requested_hz = max;
	}
	return p->requested_hz
		       ? 0
		       : error_set(err, ERROR_USAGE, "-F 0: a rate of at least 1 Hz is needed");
}

bool plan_lower_rate(struct plan *p, uint64_t max_hz)
{
	if (max_hz == 0 || p->requested_hz <= max_hz)
		return false;
	plan_note(p,
		  "the kernel has just lowered kernel.perf_event_max_sample_rate, since interrupts "
		  "take long: %llu Hz instead of %llu Hz",
		  (unsigned long long)max_hz, (unsigned long long)p->requested_hz);
	p->requested_hz = max_hz;
	return true;
}

static void choose_stacks(struct plan *p)
{
	switch (p->options->stacks) {
	case RECORD_STACKS_NONE:
		p->stack_mode = STACK_NONE;
		break;
	case RECORD_STACKS_FP:
		p->stack_mode = STACK_FP;
		break;
	default:
		p->stack_mode = STACK_COPY;
	}
}

static bool is_power_of_two(uint64_t n)
{
	return n && (n & (n - 1)) == 0;
}

static int choose_ring(struct plan *p, struct error *err)
{
	p->ring_fixed = p->options->ring_pages != 0;
	p->ring_pages = p->options->ring_pages;
	if (p->ring_fixed && !is_power_of_two(p->ring_pages))
		return error_set(err, ERROR_USAGE,
				 "-m %llu: the number of pages must be a power of two",
				 (unsigned long long)p->ring_pages);
	if (!p->ring_fixed) /* 8 MB a CPU holds the largest copies at the default rate for 0.12 s */
		p->ring_pages = (8u << 20) / (uint64_t)sysconf(_SC_PAGESIZE);
	if (p->stack_mode != STACK_COPY && !p->ring_fixed)
		p->ring_pages /= 16;
	return 0;
}

static int find_cpu_clock(struct plan *p, struct error *err)
{
	struct event_list clock = { 0 };
	if (event_parse(&clock, "cpu-clock", err) < 0)
		return -1;
	p->cpu_clock_config = clock.items.data[0].config;
	event_list_release(&clock);
	return 0;
}

int plan_make(struct plan *p, const struct record_options *options, struct error *err)
{
	*p = (struct plan){ .options = options };
	p->system_wide = options->system_wide || (options->cpus && !options->command &&
						  !options->pid_count && !options->tid_count);
	p->track_apart = true;
	event_read_limits(&p->limits);
	choose_stacks(p);
	if (find_cpu_clock(p, err) < 0)
		return -1;
	if (choose_cpus(p, err) < 0 || choose_events(p, err) < 0 || choose_kernel(p, err) < 0 ||
	    plan_choose_counters(p, err) < 0 || choose_rate(p, err) < 0)
		return -1;
	p->count_exits = !p->system_wide;
	return choose_ring(p, err);
}

void plan_release(struct plan *p)
{
	event_list_release(&p->events);
	for (size_t i = 0; i < p->notes.len; i++)
		free(p->notes.data[i]);
	vec_release(&p->notes);
}

void plan_fit_stacks(struct plan *p, uint64_t ring_bytes)
{
	if (p->stack_mode != STACK_COPY)
		return;
	if (p->options->stack_bytes) {
		uint32_t asked = (p->options->stack_bytes + 7) & ~7u;
		p->stack_bytes[0] = asked < LARGEST_STACK ? asked : LARGEST_STACK;
		return;
	}
	double hz = p->requested_hz ? (double)p->requested_hz : 1000;
	double budget = (double)ring_bytes / (hz * READER_DELAY_S);
	p->stack_bytes[0] = budget >= NORMAL_STACK ? NORMAL_STACK : SMALL_STACK;
	p->stack_bytes[1] = LARGEST_STACK;
	if (budget < SMALL_STACK / 4.0)
		plan_note(
			p,
			"%llu kB of ring are tight for stacks at %.0f Hz: expect lost samples (lower -F, or raise "
			"kernel.perf_event_mlock_kb)",
			(unsigned long long)(ring_bytes >> 10), hz);
}

static bool is_tracepoint(const struct event_spec *e)
{
	return e->type == 2; /* PERF_TYPE_TRACEPOINT */
}

uint64_t plan_period(const struct plan *p, size_t event)
{
	const struct event_spec *e = &p->events.items.data[event];
	if (p->options->period)
		return p->options->period;
	if (is_tracepoint(e))
		return 1;
	return e->is_clock ? 1000000000ull / p->requested_hz : 0;
}

struct event_sampling plan_tracking(const struct plan *p)
{
	bool launched = p->options->command != NULL && !p->system_wide;
	return (struct event_sampling){
		.period = 1,
		.exclude_kernel = true,
		.inherit = !p->system_wide,
		.disabled = launched,
		.enable_on_exec = launched,
		.track = true,
	};
}

/* Does it count for the thread only that it is opened on? */
static bool is_of_thread(const struct plan *p, size_t event)
{
	return p->counters == COUNTERS_PER_THREAD && plan_leads(p, event);
}

struct event_sampling plan_member(const struct plan *p, size_t event, uint32_t size_class,
				  int leader_fd)
{
	bool wide = size_class == SIZE_WIDE || p->system_wide;
	return (struct event_sampling){
		.exclude_kernel = !p->kernel,
		.inherit = !wide && p->counters != COUNTERS_PER_THREAD,
		.exclude_idle = wide && p->events.items.data[event].is_clock,
		.is_member = true,
		.leader_fd = leader_fd,
	};
}

struct event_sampling plan_sampling(const struct plan *p, size_t event, uint32_t size_class,
				    uint32_t cpu)
{
	const struct event_spec *e = &p->events.items.data[event];
	uint64_t period = plan_period(p, event);
	bool launched = p->options->command != NULL && !p->system_wide;
	bool wide = size_class == SIZE_WIDE || p->system_wide;
	bool from_start = size_class == SIZE_FIRST || size_class == SIZE_COUNT;
	bool samples_group = size_class == SIZE_FIRST || size_class == SIZE_LARGER;
	/* CPUs differ a little, so that threads are not sampled in step with each other or with the
	 * program. */
	if (e->is_clock && !p->options->period)
		period += cpu * 104729 % 1999;
	return (struct event_sampling){
		.counts_only = size_class == SIZE_COUNT,
		.period = period,
		.frequency = period ? 0 : p->requested_hz,
		.stack_mode = p->stack_mode,
		.stack_bytes = p->stack_bytes[size_class == SIZE_LARGER],
		.exclude_kernel = !p->kernel,
		.kernel_chain = p->kernel && !e->exclude_kernel,
		.user_chain = size_class == SIZE_LARGER,
		.inherit = !wide && !is_of_thread(p, event),
		.reads_group = samples_group && plan_leads(p, event),
		.enable_on_exec = launched && from_start && !p->options->delay_ns,
		.disabled = (launched && !wide) || size_class == SIZE_LARGER,
		.exclude_idle = wide && e->is_clock,
		.exact_at_exit = size_class == SIZE_COUNT,
		.track = !p->track_apart && event == 0 && size_class == SIZE_FIRST,
	};
}
