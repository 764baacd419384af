/* Code that only the debug file's .debug_frame describes, in a function without a way back: nothing else tells its
 * caller. Truth: main;middle;forever, whole. */
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "burn.h"

static void on_time(int sig)
{
	(void)sig;
	_exit(0);
}

static NOINLINE void forever(volatile char *room)
{
	for (;;)
		room[0]++;
}

static NOINLINE void middle(void)
{
	volatile char room[200];

	room[0] = 0;
	forever(room);
	OPAQUE();
}

int main(int argc, char **argv)
{
	uint64_t us = ms_argument(argc, argv, 400) / 1000;
	struct itimerval when = { .it_value = { (time_t)(us / 1000000), (suseconds_t)(us % 1000000) } };

	signal(SIGPROF, on_time);
	setitimer(ITIMER_PROF, &when, NULL);
	middle();
	return 1;
}
