/* MS COUNT MICROSECONDS: COUNT children one after the other, each burning so long in short_work.
 * Truth: the CPU time of all children together, as the kernel accounts it. */
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static NOINLINE void short_work(uint64_t ns)
{
	uint64_t end = cpu_ns() + ns;

	while (cpu_ns() < end)
		SPIN(10000);
	OPAQUE();
}

static uint64_t in_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[2]) : 400;
	uint64_t ns = (argc > 3 ? strtoull(argv[3], NULL, 10) : 1000) * 1000;
	struct rusage usage;

	for (int i = 0; i < count; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			short_work(ns);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	getrusage(RUSAGE_CHILDREN, &usage);
	state_truth("children", in_ns(usage.ru_utime) + in_ns(usage.ru_stime));
	getrusage(RUSAGE_SELF, &usage);
	state_truth("parent", in_ns(usage.ru_utime) + in_ns(usage.ru_stime));
	return 0;
}
