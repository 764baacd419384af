/*
 * Programs that spend their time on what prof report has findings for: 0.5 s of CPU time, or
 * so many.
 *
 * usage: habits MODE [SECONDS]
 *   syscalls   reads a byte at a time
 *   faults     touches new memory page by page, and gives it back
 *   locks      threads that take the same mutex
 *   malloc     allocates and frees
 *   copy       copies megabytes
 *   compute    none of it
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3
#define BLOCK	((size_t)4 << 20)
#define PAGE	4096u

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long counter;
static double cpu_s = 0.5;

static double cpu_seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void read_bytes(void)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	char byte;

	for (int i = 0; i < 1000; i++)
		counter += (unsigned long)read(fd, &byte, 1);
	close(fd);
}

static void touch_memory(void)
{
	char *p = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	madvise(p, BLOCK, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < BLOCK; i += PAGE)
		p[i] = 1;
	munmap(p, BLOCK);
}

static void lock_and_unlock(void)
{
	for (int i = 0; i < 10000; i++) {
		pthread_mutex_lock(&mutex);
		counter++;
		pthread_mutex_unlock(&mutex);
	}
}

static void allocate(void)
{
	for (size_t i = 0; i < 10000; i++) {
		void *volatile p = malloc(16 + i % 64);
		free(p);
	}
}

static void copy_memory(void)
{
	static char from[BLOCK], to[BLOCK];

	from[counter % BLOCK]++;
	memcpy(to, from, BLOCK);
	counter += (unsigned char)to[counter % BLOCK];
}

static void compute(void)
{
	for (unsigned long i = 0; i < 1000000; i++)
		counter += i;
}

static const struct mode {
	const char *name;
	void (*work)(void);
	int threads;
} modes[] = {
	{ "syscalls", read_bytes, 1 },
	{ "faults", touch_memory, 1 },
	{ "locks", lock_and_unlock, THREADS },
	{ "malloc", allocate, 1 },
	{ "copy", copy_memory, 1 },
	{ "compute", compute, 1 },
};

static void *run(void *arg)
{
	const struct mode *m = arg;
	double end = cpu_s / m->threads;

	while (cpu_seconds(CLOCK_THREAD_CPUTIME_ID) < end)
		m->work();
	return NULL;
}

static int start(const struct mode *m)
{
	pthread_t threads[THREADS];

	for (int i = 1; i < m->threads; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)(size_t)m) != 0)
			return 1;
	run((void *)(size_t)m);
	for (int i = 1; i < m->threads; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3)
		cpu_s = strtod(argv[2], NULL);
	for (size_t i = 0; argc >= 2 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(argv[1], modes[i].name) == 0)
			return start(&modes[i]);
	return 2;
}
