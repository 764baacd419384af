/* The threads, and how one run is timed. */
#include "peaks/crew.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/io.h"
#include "base/memory.h"
#include "peaks/machine.h"

#define GAP (PEAK_GRAIN + 1088) /* between arrays: their lines are not in the same sets */
#define PATIENCE_NS                                                                   \
	2000000u /* the others are waited for so long, spinning: they may have no CPU \
		  */
#define LARGE_PAGE ((size_t)2 << 20)

struct worker {
	pthread_t thread;
	struct crew *crew;
	size_t number;
	uint32_t cpu;
	uint8_t *memory;
	size_t memory_bytes;
	size_t walked; /* bytes into the arrays, of jobs that walk */
	int errnum;    /* why it could not begin */
	uint64_t start_ns, end_ns, cpu_ns;
};

struct crew {
	struct worker *workers;
	size_t count;
	sem_t made;			 /* once for each worker: all are there, or it is over */
	pthread_barrier_t begin, finish; /* of all workers and who directs them */
	struct crew_job job;
	bool is_over;
	atomic_size_t arrived;
};

size_t crew_memory(unsigned arrays, size_t array_bytes)
{
	return arrays * (array_bytes + GAP);
}

/* ---- a worker ---- */

static int pin(uint32_t cpu)
{
	size_t size = CPU_ALLOC_SIZE(MACHINE_CPUS_MAX);
	cpu_set_t *set = CPU_ALLOC(MACHINE_CPUS_MAX);

	if (!set)
		return ENOMEM;
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	int errnum = sched_setaffinity(0, size, set) == 0 ? 0 : errno;
	CPU_FREE(set);
	return errnum;
}

/* Doubles of 1 everywhere: what is computed with them stays a normal number. */
static void fill(uint8_t *memory, size_t bytes)
{
	const double one = 1;

	for (size_t i = 0; i + sizeof(one) <= bytes; i += sizeof(one))
		memcpy(memory + i, &one, sizeof(one));
}

static int take_memory(struct worker *w)
{
	if (w->memory_bytes == 0)
		return 0;
	w->memory = mmap(NULL, w->memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	if (w->memory == MAP_FAILED) {
		w->memory = NULL;
		return errno;
	}
	(void)madvise(w->memory, w->memory_bytes, MADV_HUGEPAGE); /* fewer misses of the TLB */
	fill(w->memory, w->memory_bytes);
	return 0;
}

/* The part of its arrays that is next for a job that walks. */
static size_t walk(struct worker *w, const struct crew_job *job, size_t *bytes)
{
	uint64_t pieces = job->array_bytes / PEAK_GRAIN;
	size_t from = w->walked;

	*bytes = (size_t)(job->repeats < pieces ? job->repeats : pieces) * PEAK_GRAIN;
	if (from + *bytes > job->array_bytes)
		from = 0;
	w->walked = from + *bytes;
	return from;
}

static struct peak_work work_of(struct worker *w, const struct crew_job *job, uint64_t repeats)
{
	unsigned arrays = peaks_arrays(job->kernel->kind);
	struct peak_work work = { .repeats = repeats, .bytes = job->array_bytes };
	uint8_t *places[3];
	size_t from = 0;

	if (job->is_walk) {
		work.repeats = 1;
		from = walk(w, job, &work.bytes);
	}
	for (unsigned i = 0; i < 3; i++)
		places[i] = w->memory + from + (i < arrays ? i * (job->array_bytes + GAP) : 0);
	/* A kernel with one array reads b. */
	work.b = places[0];
	work.a = places[arrays > 1];
	work.c = places[arrays > 2 ? 2 : 0];
	return work;
}

/* Together, unless some have no CPU. */
static void start_together(struct crew *crew)
{
	uint64_t since = clock_monotonic_ns();

	atomic_fetch_add(&crew->arrived, 1);
	while (atomic_load(&crew->arrived) < crew->job.threads &&
	       clock_monotonic_ns() - since < PATIENCE_NS)
		;
}

static void work(struct worker *w)
{
	const struct crew_job *job = &w->crew->job;
	struct peak_work timed = work_of(w, job, job->repeats);

	if (job->warm_repeats) {
		struct peak_work warm = work_of(w, job, job->warm_repeats);
		job->kernel->run(&warm);
	}
	start_together(w->crew);
	uint64_t cpu = clock_thread_cpu_ns();
	w->start_ns = clock_monotonic_ns();
	job->kernel->run(&timed);
	w->end_ns = clock_monotonic_ns();
	w->cpu_ns = clock_thread_cpu_ns() - cpu;
}

static void *run_worker(void *arg)
{
	struct worker *w = arg;
	struct crew *crew = w->crew;

	while (sem_wait(&crew->made) != 0)
		; /* interrupted */
	if (crew->is_over)
		return NULL;
	w->errnum = pin(w->cpu);
	if (!w->errnum)
		w->errnum = take_memory(w);
	pthread_barrier_wait(&crew->finish);
	while (true) {
		pthread_barrier_wait(&crew->begin);
		if (crew->is_over)
			return NULL;
		if (w->number < crew->job.threads)
			work(w);
		pthread_barrier_wait(&crew->finish);
	}
}

/* ---- who directs them ---- */

static void release(struct crew *crew)
{
	pthread_barrier_destroy(&crew->begin);
	pthread_barrier_destroy(&crew->finish);
	sem_destroy(&crew->made);
	for (size_t i = 0; i < crew->count; i++)
		if (crew->workers[i].memory)
			munmap(crew->workers[i].memory, crew->workers[i].memory_bytes);
	free(crew->workers);
	free(crew);
}

/* Signals are for the thread that the program began with. */
static int create_threads(struct crew *crew)
{
	sigset_t all, before;
	int errnum = 0;
	size_t made = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (made < crew->count && !errnum) {
		struct worker *w = &crew->workers[made];
		errnum = pthread_create(&w->thread, NULL, run_worker, w);
		made += !errnum;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	crew->is_over = errnum != 0;
	for (size_t i = 0; i < made; i++)
		sem_post(&crew->made);
	for (size_t i = 0; errnum && i < made; i++)
		pthread_join(crew->workers[i].thread, NULL);
	return errnum;
}

static int check_workers(const struct crew *crew, struct error *err)
{
	for (size_t i = 0; i < crew->count; i++) {
		const struct worker *w = &crew->workers[i];
		if (w->errnum)
			return error_set_errno(err, w->errnum,
					       "cannot measure on CPU %u: its thread", w->cpu);
	}
	return 0;
}

struct crew *crew_start(const uint32_t *cpus, size_t count, size_t first_bytes, size_t other_bytes,
			struct error *err)
{
	struct crew *crew = xcalloc(1, sizeof(*crew));

	crew->workers = xcalloc(count, sizeof(*crew->workers));
	crew->count = count;
	for (size_t i = 0; i < count; i++)
		crew->workers[i] = (struct worker){
			.crew = crew,
			.number = i,
			.cpu = cpus[i],
			.memory_bytes = ((i == 0 ? first_bytes : other_bytes) + LARGE_PAGE - 1) &
					~(LARGE_PAGE - 1),
		};
	sem_init(&crew->made, 0, 0);
	pthread_barrier_init(&crew->begin, NULL, (unsigned)count + 1);
	pthread_barrier_init(&crew->finish, NULL, (unsigned)count + 1);
	int errnum = create_threads(crew);
	if (errnum) {
		error_set_errno(err, errnum, "cannot start %zu threads", count);
		release(crew);
		return NULL;
	}
	pthread_barrier_wait(&crew->finish);
	if (check_workers(crew, err) < 0) {
		crew_end(crew);
		return NULL;
	}
	return crew;
}

struct crew_time crew_run(struct crew *crew, const struct crew_job *job)
{
	uint64_t first = UINT64_MAX, last = 0;
	struct crew_time t = { 0 };

	crew->job = *job;
	atomic_store(&crew->arrived, 0);
	pthread_barrier_wait(&crew->begin);
	pthread_barrier_wait(&crew->finish);
	for (size_t i = 0; i < job->threads; i++) {
		const struct worker *w = &crew->workers[i];
		first = w->start_ns < first ? w->start_ns : first;
		last = w->end_ns > last ? w->end_ns : last;
		t.spent_ns += w->end_ns - w->start_ns;
		t.cpu_ns += w->cpu_ns;
	}
	t.wall_ns = last > first ? last - first : 1;
	return t;
}

void crew_end(struct crew *crew)
{
	crew->is_over = true;
	pthread_barrier_wait(&crew->begin);
	for (size_t i = 0; i < crew->count; i++)
		pthread_join(crew->workers[i].thread, NULL);
	release(crew);
}
