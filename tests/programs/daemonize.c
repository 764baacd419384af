/* MS DAEMON_MS: burns MS/2 in front_burn, then leaves a daemon (all descriptors closed, own
 * session, forked twice) that burns DAEMON_MS in daemon_burn after the first process has ended with
 * status 0. Prints "truth daemon PID". */
#include <fcntl.h>
#include <unistd.h>

#include "burn.h"

static NOINLINE void daemon_burn(uint64_t ns)
{
	BURN_NS(ns);
	OPAQUE();
}

static NOINLINE void front_burn(uint64_t ns)
{
	BURN_NS(ns);
	OPAQUE();
}

int main(int argc, char **argv)
{
	uint64_t ns = ms_argument(argc, argv, 300);

	int started[2];
	char byte;

	front_burn(ns / 2);
	if (pipe(started) < 0)
		return 1;
	if (fork()) {
		/* Like a good daemon's starter, it ends when the daemon is there. */
		close(started[1]);
		(void)!read(started[0], &byte, 1);
		_exit(0);
	}
	setsid();
	if (fork())
		_exit(0);
	state_truth("daemon", (uint64_t)getpid());
	for (int fd = 0; fd < 1024; fd++)
		close(fd);
	daemon_burn((argc > 2 ? strtoull(argv[2], NULL, 10) : 300) * 1000000u);
	return 0;
}
