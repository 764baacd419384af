/* A second thread: its stack begins in the C library's clone. */
#include <pthread.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone))

NOINLINE void work(int n)
{
	for (volatile int i = 0; i < n; i++)
		;
}

static void *run(void *arg)
{
	work(3);
	return arg;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	return 0;
}
