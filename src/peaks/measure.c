/*
 * A job is one number: a kernel, on one core or all, on data of one size. Every job runs once in
 * each round, so that what disturbs the machine for a moment does not meet all the runs of one
 * number.
 */
#include "peaks/measure.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/io.h"
#include "peaks/crew.h"
#include "peaks/kernels.h"
#include "peaks/load.h"
#include "peaks/sizes.h"

#define BUDGET_NS	((uint64_t)8000000000u)
#define BUDGET_QUICK_NS ((uint64_t)1500000000u)
#define MEMORY		((uint64_t)4 << 30) /* taken at most; it is 4 times the caches that there are */
#define MEMORY_QUICK	((uint64_t)1 << 30)
#define MEMORY_GUESSED	4 /* part of these, where nobody tells how much one cache has */
#define MEMORY_PART	8 /* of what is free */
#define ROUNDS_MOST	200
#define ROUNDS_LEAST	5
#define SLICE_NS	2000000u /* short, so that most runs come through between two others' turns */
#define SLICE_QUICK_NS	1000000u

#define PLACE_MEMORY "memory"

struct job {
	struct crew_job run;
	double amount; /* FLOP or bytes of one repeat of one thread */
	uint64_t repeats_most;
	bool is_bandwidth, is_all;
	size_t row; /* of the ceilings' flops or bandwidth */
	double rates[ROUNDS_MOST];
	size_t rounds;
};

struct measurement {
	const struct machine *machine;
	const struct peaks_options *options;
	struct ceilings *ceilings;
	size_t threads;
	uint64_t memory_bytes;	/* that all threads may take together */
	uint64_t memory_needed; /* of the largest working set of one thread when alone… */
	uint64_t memory_each;	/* …and when all work */
	struct crew *crew;
	VEC(struct job) jobs;
	uint64_t start_ns, slice_ns;
	uint64_t spent_ns, cpu_ns; /* of all timed runs, over the threads */
};

/* ---- what is to be measured ---- */

static void plan_arithmetic(struct measurement *m)
{
	size_t count;
	const struct peak_kernel *table = peaks_kernels(&count);

	for (size_t i = 0; i < count; i++) {
		const struct peak_kernel *k = &table[i];
		if (k->kind != PEAK_FLOPS || !k->is_usable())
			continue;
		struct ceiling_flops row = { .is_double = k->is_double,
					     .is_vector = k->is_vector,
					     .is_fma = k->is_fma };
		snprintf(row.name, sizeof(row.name), "%s", k->name);
		vec_push(&m->ceilings->flops, row);
		for (int all = 0; all < 2; all++) {
			struct job job = { .run = { .kernel = k, .threads = all ? m->threads : 1 },
					   .amount = (double)peaks_flops(k),
					   .repeats_most = UINT64_MAX,
					   .is_all = all,
					   .row = m->ceilings->flops.len - 1 };
			vec_push(&m->jobs, job);
		}
	}
}

static size_t array_bytes(const struct peak_kernel *k, uint64_t working_set)
{
	return (size_t)(working_set / peaks_arrays(k->kind)) & ~(size_t)(PEAK_GRAIN - 1);
}

static void need_memory(struct measurement *m, const struct job *job)
{
	uint64_t bytes = crew_memory(peaks_arrays(job->run.kernel->kind), job->run.array_bytes);
	uint64_t *most = job->is_all ? &m->memory_each : &m->memory_needed;

	*most = bytes > *most ? bytes : *most;
}

static void plan_mover(struct measurement *m, const char *place, const uint64_t working_set[2],
		       enum peak_kind kind, bool is_streaming)
{
	const struct peak_kernel *k = peaks_mover(kind, is_streaming);
	bool is_memory = strcmp(place, PLACE_MEMORY) == 0;
	struct ceiling_bandwidth row = { .one_bytes = working_set[0], .all_bytes = working_set[1] };

	if (!k)
		return;
	snprintf(row.place, sizeof(row.place), "%s", place);
	snprintf(row.what, sizeof(row.what), "%s%s", peaks_kind_name(kind),
		 is_streaming ? ", streaming" : "");
	vec_push(&m->ceilings->bandwidth, row);
	for (int all = 0; all < 2; all++) {
		struct job job = { .run = { .kernel = k, .threads = all ? m->threads : 1 },
				   .is_bandwidth = true,
				   .is_all = all,
				   .row = m->ceilings->bandwidth.len - 1 };
		job.run.array_bytes = array_bytes(k, working_set[all]);
		if (job.run.array_bytes == 0)
			continue;
		job.run.is_walk = is_memory;
		job.repeats_most = is_memory ? job.run.array_bytes / PEAK_GRAIN : UINT64_MAX;
		job.amount =
			(double)(is_memory ? PEAK_GRAIN : job.run.array_bytes) * peaks_arrays(kind);
		need_memory(m, &job);
		vec_push(&m->jobs, job);
	}
}

static void plan_place(struct measurement *m, const char *place, const uint64_t working_set[2])
{
	if (working_set[0] == 0 && working_set[1] == 0)
		return;
	for (enum peak_kind kind = PEAK_LOAD; kind <= PEAK_TRIAD; kind++)
		plan_mover(m, place, working_set, kind, false);
}

static void plan_caches(struct measurement *m)
{
	for (unsigned level = 1; level <= MACHINE_LEVELS; level++) {
		const struct machine_cache *cache = &m->machine->caches[level];
		char place[16];
		if (!cache->bytes)
			continue;
		uint64_t working_set[2] = { sizes_cache(m->machine, level, 1),
					    sizes_cache(m->machine, level, m->threads) };
		vec_push(&m->ceilings->caches,
			 ((struct ceiling_cache){ level, cache->shared_by, cache->bytes }));
		snprintf(place, sizeof(place), "L%u", level);
		plan_place(m, place, working_set);
	}
}

static void plan_memory(struct measurement *m)
{
	bool is_small[2];
	uint64_t working_set[2] = {
		sizes_memory(m->machine, 1, m->memory_bytes / 2, &is_small[0]),
		sizes_memory(m->machine, m->threads, m->memory_bytes / 2, &is_small[1]),
	};

	plan_place(m, PLACE_MEMORY, working_set);
	if (working_set[0] == 0 && working_set[1] == 0)
		return;
	plan_mover(m, PLACE_MEMORY, working_set, PEAK_COPY, true);
	plan_mover(m, PLACE_MEMORY, working_set, PEAK_TRIAD, true);
	m->ceilings->memory_is_small = is_small[0] || is_small[1];
}

/* ---- measuring ---- */

static struct crew_time run(struct measurement *m, struct job *job)
{
	/* What is walked through is cold by intent. */
	job->run.warm_repeats = job->run.is_walk ? 0 : (job->run.repeats + 15) / 16;
	return crew_run(m->crew, &job->run);
}

/* About 50 us. */
static uint64_t first_guess(const struct job *job)
{
	uint64_t bytes = (uint64_t)1 << 20;

	if (!job->is_bandwidth)
		return 5000;
	uint64_t repeats = (uint64_t)((double)bytes / job->amount);
	return repeats ? repeats : 1;
}

/* How many repeats a slice takes, by the CPU time that they took: others may be running. */
static void calibrate(struct measurement *m, struct job *job)
{
	uint64_t cpu_ns, enough_ns = m->slice_ns / 64;

	job->run.repeats = first_guess(job);
	while (true) {
		struct crew_time t = run(m, job);
		cpu_ns = t.cpu_ns / job->run.threads;
		if (cpu_ns >= enough_ns || job->run.repeats >= job->repeats_most)
			break;
		job->run.repeats *= 8;
	}
	double more = (double)m->slice_ns / (double)(cpu_ns ? cpu_ns : 1);
	uint64_t repeats = (uint64_t)((double)job->run.repeats * more);
	repeats = repeats < job->repeats_most ? repeats : job->repeats_most;
	job->run.repeats = repeats ? repeats : 1;
}

static void run_job(struct measurement *m, struct job *job)
{
	struct crew_time t = run(m, job);

	job->rates[job->rounds++] = job->amount * (double)job->run.repeats *
				    (double)job->run.threads * 1e9 / (double)t.wall_ns;
	m->spent_ns += t.spent_ns;
	m->cpu_ns += t.cpu_ns;
}

static void show_progress(const struct measurement *m, uint64_t budget)
{
	if (m->options->progress)
		progress_update(m->options->progress, clock_monotonic_ns() - m->start_ns, budget);
}

/* Until the time is over, but everything a few times. */
static void run_rounds(struct measurement *m)
{
	uint64_t budget = m->options->is_quick ? BUDGET_QUICK_NS : BUDGET_NS;

	m->slice_ns = m->options->is_quick ? SLICE_QUICK_NS : SLICE_NS;
	for (size_t i = 0; i < m->jobs.len; i++) {
		calibrate(m, &m->jobs.data[i]);
		show_progress(m, budget);
	}
	for (size_t n = 0; n < ROUNDS_MOST; n++) {
		for (size_t i = 0; i < m->jobs.len; i++) {
			if (n >= ROUNDS_LEAST && clock_monotonic_ns() - m->start_ns > budget)
				return;
			run_job(m, &m->jobs.data[i]);
			show_progress(m, budget);
		}
	}
}

/* ---- what came of it ---- */

static void collect(struct measurement *m)
{
	struct ceilings *c = m->ceilings;

	for (size_t i = 0; i < m->jobs.len; i++) {
		struct job *job = &m->jobs.data[i];
		struct ceiling_rate rate = ceiling_rate_of(job->rates, job->rounds);
		if (job->is_bandwidth)
			*(job->is_all ? &c->bandwidth.data[job->row].all
				      : &c->bandwidth.data[job->row].one) = rate;
		else
			*(job->is_all ? &c->flops.data[job->row].all
				      : &c->flops.data[job->row].one) = rate;
		if (c->rounds == 0 || job->rounds < c->rounds)
			c->rounds = (uint32_t)job->rounds;
	}
}

static void describe(struct measurement *m)
{
	struct ceilings *c = m->ceilings;
	struct utsname name;

	snprintf(c->processor, sizeof(c->processor), "%s", m->machine->name);
	if (uname(&name) == 0)
		snprintf(c->architecture, sizeof(c->architecture), "%.23s", name.machine);
	c->is_virtual = m->machine->is_virtual;
	c->is_quick = m->options->is_quick;
	c->caches_are_guessed = m->machine->caches_from == CACHES_FROM_LIBC;
	c->threads = (uint32_t)m->threads;
	c->cores = (uint32_t)machine_cores(m->machine, m->threads);
}

static int start_crew(struct measurement *m, struct error *err)
{
	VEC(uint32_t) cpus = { 0 };
	uint64_t first = m->memory_needed > m->memory_each ? m->memory_needed : m->memory_each;

	for (size_t i = 0; i < m->threads; i++)
		vec_push(&cpus, m->machine->cpus.data[i].cpu);
	m->crew = crew_start(cpus.data, cpus.len, (size_t)first, (size_t)m->memory_each, err);
	vec_release(&cpus);
	return m->crew ? 0 : -1;
}

static void measure(struct measurement *m)
{
	struct load before = load_read(""), after;

	run_rounds(m);
	after = load_read("");
	m->ceilings->steal = load_steal(&before, &after);
	m->ceilings->others = load_others(&before, &after);
	m->ceilings->held_up =
		m->cpu_ns < m->spent_ns ? 1 - (double)m->cpu_ns / (double)m->spent_ns : 0;
}

int peaks_measure(struct ceilings *c, const struct machine *machine,
		  const struct peaks_options *options, struct error *err)
{
	struct measurement m = { .machine = machine, .options = options, .ceilings = c };

	*c = (struct ceilings){ 0 };
	m.threads = machine->cpus.len;
	m.start_ns = clock_monotonic_ns();
	m.memory_bytes = options->is_quick ? MEMORY_QUICK : MEMORY;
	if (machine->caches_from != CACHES_FROM_SYSFS)
		m.memory_bytes /= MEMORY_GUESSED;
	if (machine->memory_bytes && machine->memory_bytes / MEMORY_PART < m.memory_bytes)
		m.memory_bytes = machine->memory_bytes / MEMORY_PART;
	describe(&m);
	plan_arithmetic(&m);
	plan_caches(&m);
	plan_memory(&m);
	int rc = -1;
	if (m.jobs.len == 0)
		error_set(
			err, ERROR_UNSUPPORTED,
			"there are no kernels for this architecture (%s): only x86-64 and aarch64",
			c->architecture);
	else
		rc = start_crew(&m, err);
	if (rc == 0) {
		measure(&m);
		collect(&m);
		crew_end(m.crew);
	}
	c->elapsed_ns = clock_monotonic_ns() - m.start_ns;
	vec_release(&m.jobs);
	return rc;
}
