/*
 * MS [threads N | forks N]: for MS ms of CPU time in each of N threads or children (else in itself)
 * 100 ms of faulty and 100 ms of steady take turns. Truth: the page faults of faulty, a few for
 * each turn of its work, its CPU time, that of steady, which has none, and how many turns there
 * were.
 */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

enum { PAGES = 64, TURN_NS = 100000000 };

struct truth {
	uint64_t faults, faulty_ns, steady_ns, turns;
};

static NOINLINE uint64_t faulty(char *pages, size_t page_bytes)
{
	uint64_t end = cpu_ns() + TURN_NS, faults = 0;

	while (cpu_ns() < end) {
		for (int i = 0; i < PAGES; i++) {
			*(volatile char *)(pages + (size_t)i * page_bytes) = 1;
			SPIN(2000);
		}
		faults += PAGES;
		madvise(pages, PAGES * page_bytes, MADV_DONTNEED);
	}
	OPAQUE();
	return faults;
}

static NOINLINE void steady(void)
{
	BURN_NS(TURN_NS);
	OPAQUE();
}

static void work(uint64_t ns, struct truth *t)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, PAGES * page_bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		exit(1);
	madvise(pages, PAGES * page_bytes, MADV_NOHUGEPAGE);
	for (uint64_t end = cpu_ns() + ns; cpu_ns() < end; t->turns++) {
		uint64_t begun = cpu_ns();
		t->faults += faulty(pages, page_bytes);
		uint64_t between = cpu_ns();
		steady();
		t->faulty_ns += between - begun;
		t->steady_ns += cpu_ns() - between;
	}
	munmap(pages, PAGES * page_bytes);
}

struct thread {
	pthread_t id;
	uint64_t ns;
	struct truth truth;
};

static void *run(void *arg)
{
	struct thread *t = arg;

	work(t->ns, &t->truth);
	return NULL;
}

static void add(struct truth *sum, const struct truth *t)
{
	sum->faults += t->faults;
	sum->faulty_ns += t->faulty_ns;
	sum->steady_ns += t->steady_ns;
	sum->turns += t->turns;
}

static void in_threads(uint64_t ns, int n, struct truth *sum)
{
	struct thread *threads = calloc((size_t)n, sizeof(*threads));

	for (int i = 0; threads && i < n; i++) {
		threads[i].ns = ns;
		if (pthread_create(&threads[i].id, NULL, run, &threads[i]) != 0)
			exit(1);
	}
	for (int i = 0; threads && i < n; i++) {
		pthread_join(threads[i].id, NULL);
		add(sum, &threads[i].truth);
	}
	free(threads);
}

static void in_children(uint64_t ns, int n, struct truth *sum)
{
	struct truth *shared = mmap(NULL, (size_t)n * sizeof(*shared), PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		exit(1);
	for (int i = 0; i < n; i++) {
		if (fork() == 0) {
			work(ns, &shared[i]);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	for (int i = 0; i < n; i++)
		add(sum, &shared[i]);
}

int main(int argc, char **argv)
{
	uint64_t ns = ms_argument(argc, argv, 1000);
	struct truth t = { 0 };
	int n = argc > 3 ? atoi(argv[3]) : 1;

	if (argc > 2 && strcmp(argv[2], "threads") == 0)
		in_threads(ns, n, &t);
	else if (argc > 2 && strcmp(argv[2], "forks") == 0)
		in_children(ns, n, &t);
	else
		work(ns, &t);
	state_truth("faults", t.faults);
	state_truth("faulty", t.faulty_ns);
	state_truth("steady", t.steady_ns);
	state_truth("turns", t.turns);
	return 0;
}
