/* What counted runs and metrics tell about what kept a program from being faster. */
#include <math.h>
#include <string.h>

#include "analysis/verdict.h"

#define NS    1e9
#define TICKS 100.0 /* a second; the kernel looks at least as often who runs */
#define Z95   1.96

void verdict_evidence_init(struct verdict_evidence *e)
{
	*e = (struct verdict_evidence){ .wall = NAN,
					.cpu = NAN,
					.kernel_share = NAN,
					.kernel_error = NAN,
					.cpus = NAN,
					.busy_threads = NAN,
					.voluntary = NAN,
					.involuntary = NAN,
					.minor_faults = NAN,
					.major_faults = NAN,
					.fault_share = NAN,
					.ipc = NAN,
					.cache_mpki = NAN,
					.branch_mpki = NAN,
					.frontend = NAN,
					.bad_speculation = NAN,
					.backend = NAN,
					.memory = NAN };
	counter_surroundings_init(&e->around);
}

/* Seconds in CPU time, counted without gaps; NaN. */
static double task_clock_of(const struct counter_run *run)
{
	ptrdiff_t at = counter_table_find(&run->total, "task-clock", NULL);
	double sum = 0;

	for (size_t row = 0; at >= 0 && row < run->total.rows.len; row++)
		sum += counter_reading_scaled(counter_table_at(&run->total, row, (size_t)at));
	return at >= 0 && run->total.rows.len ? sum / NS : NAN;
}

static void add_usage(struct verdict_evidence *e, const struct counter_run *run, double *kernel)
{
	const struct counter_usage *u = &run->usage;
	/* The kernel's account is of all of its life. */
	bool known = u->known && !run->delayed && !run->cut_short;

	e->cpu += known ? (double)(u->user_ns + u->system_ns) / NS : task_clock_of(run);
	*kernel += known ? (double)u->system_ns / NS : NAN;
	e->voluntary += known ? (double)u->voluntary_switches : NAN;
	e->involuntary += known ? (double)u->involuntary_switches : NAN;
	e->minor_faults += known ? (double)u->minor_faults : NAN;
	e->major_faults += known ? (double)u->major_faults : NAN;
}

static void add_around(struct counter_surroundings *sum, const struct counter_surroundings *s)
{
	sum->throttled += s->throttled;
	sum->periods += s->periods;
	sum->throttled_periods += s->throttled_periods;
	sum->pressure_cpu += s->pressure_cpu;
	sum->pressure_memory += s->pressure_memory;
	sum->pressure_io += s->pressure_io;
	sum->busy += s->busy;
	sum->steal += s->steal;
	sum->ran += s->ran;
	sum->waited += s->waited;
}

void verdict_evidence_of_runs(struct verdict_evidence *e, const struct counter_run *runs,
			      size_t run_count, double cpus)
{
	double kernel = 0;

	verdict_evidence_init(e);
	if (run_count == 0)
		return;
	e->cpus = cpus > 0 ? cpus : NAN;
	e->wall = e->cpu = e->voluntary = e->involuntary = e->minor_faults = e->major_faults = 0;
	for (size_t i = 0; i < run_count; i++) {
		e->wall += (double)runs[i].wall_ns / NS;
		add_usage(e, &runs[i], &kernel);
		if (i == 0 && runs[i].around.known)
			e->around = runs[i].around;
		else
			add_around(&e->around, &runs[i].around);
		if (runs[i].delayed || !runs[i].around.known)
			counter_surroundings_init(&e->around);
	}
	if (runs[0].around.known && runs[0].around.allowed_cpus > 0)
		e->cpus = fmin(e->cpus, runs[0].around.allowed_cpus);
	e->kernel_share = kernel / e->cpu;
	/* The kernel divides CPU time by who ran when its tick came. */
	double share = fmin(fmax(e->kernel_share, 0), 1), ticks = e->cpu * TICKS;
	e->kernel_error = Z95 * sqrt(share * (1 - share) / ticks) + 1 / ticks;
}

void verdict_evidence_take_metric(struct verdict_evidence *e, const struct metric *m,
				  const struct metric_value *v)
{
	const struct {
		const char *name;
		double *to;
	} places[] = {
		{ "ipc", &e->ipc },
		{ "mpki", &e->cache_mpki },
		{ "branch-mpki", &e->branch_mpki },
		{ "frontend-bound", &e->frontend },
		{ "bad-speculation", &e->bad_speculation },
		{ "backend-bound", &e->backend },
		{ "memory-bound", &e->memory },
	};

	if (v->state != METRIC_KNOWN || m->is_heuristic)
		return;
	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (strcmp(places[i].name, m->name) == 0)
			*places[i].to = v->value;
}
