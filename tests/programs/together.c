/* MS: two threads, aaa and bbb, burn MS each, wait for each other and end together. Truth: the CPU
 * time of each. */
#include <pthread.h>

#include "burn.h"

static pthread_barrier_t both;
static uint64_t ms_ns;

struct burner {
	const char *name;
	uint64_t used_ns;
};

static void *burn(void *arg)
{
	struct burner *b = arg;

	pthread_setname_np(pthread_self(), b->name);
	BURN_NS(ms_ns);
	b->used_ns = cpu_ns();
	pthread_barrier_wait(&both);
	return NULL;
}

int main(int argc, char **argv)
{
	struct burner burners[] = { { "aaa", 0 }, { "bbb", 0 } };
	pthread_t threads[2];

	ms_ns = ms_argument(argc, argv, 100);
	pthread_barrier_init(&both, NULL, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, burn, &burners[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 2; i++)
		state_truth(burners[i].name, burners[i].used_ns);
	return 0;
}
