/* Threads with awkward names, each renamed half-way. Truth: every name is a command of its own with MS/12, and
 * "renamed" has half of the time. */
#include <pthread.h>
#include <sys/prctl.h>

#include "burn.h"

static uint64_t part;
static char names[][16] = { "a;b c 7", "nl\nx", "q\"<&>'", "\xd0\xbf\xd0\xbe\xd1\x82\xd0\xbe\xd0\xba\xff", "", "  lead" };

static void *thread(void *name)
{
	prctl(PR_SET_NAME, name);
	BURN_NS(part);
	prctl(PR_SET_NAME, "renamed");
	BURN_NS(part);
	return NULL;
}

int main(int argc, char **argv)
{
	part = ms_argument(argc, argv, 1200) / 12;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		pthread_t t;
		pthread_create(&t, NULL, thread, names[i]);
		pthread_join(t, NULL);
	}
	return 0;
}
