/* MS COUNT: COUNT threads that live 2 ms of CPU time each, fifty at a time. Truth: their CPU time together. */
#include <pthread.h>

#include "burn.h"

enum { AT_ONCE = 50 };

static NOINLINE void tiny_thread(void)
{
	uint64_t end = cpu_ns() + 2000000;

	while (cpu_ns() < end)
		SPIN(10000);
	OPAQUE();
}

static void *thread(void *unused)
{
	(void)unused;
	tiny_thread();
	OPAQUE();
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[2]) : 300;
	pthread_t threads[AT_ONCE];

	for (int i = 0; i < count; i += AT_ONCE) {
		for (int k = 0; k < AT_ONCE; k++)
			pthread_create(&threads[k], NULL, thread, NULL);
		for (int k = 0; k < AT_ONCE; k++)
			pthread_join(threads[k], NULL);
	}
	state_truth("threads", (uint64_t)count * 2000000);
	return 0;
}
