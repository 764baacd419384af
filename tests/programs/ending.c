/*
 * MS HOW: burns in burn_here, then ends as HOW says.
 *   exit      with status 7           ignore   ignores SIGINT, ends with 0
 *   segv      by SIGSEGV              term     by SIGTERM
 *   graceful  on SIGINT with status 5 stop     stops itself half-way, ends with 0
 *   uid       prints its user ids, ends with 7
 */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "burn.h"

static volatile sig_atomic_t interrupted;

static void on_interrupt(int sig)
{
	(void)sig;
	interrupted = 1;
}

static NOINLINE void burn_here(uint64_t ns)
{
	uint64_t end = cpu_ns() + ns;

	while (cpu_ns() < end && !interrupted)
		SPIN(100000);
	OPAQUE();
}

static void die_by(int sig)
{
	const struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	signal(sig, SIG_DFL);
	raise(sig);
}

int main(int argc, char **argv)
{
	uint64_t ns = ms_argument(argc, argv, 400);
	const char *how = argc > 2 ? argv[2] : "exit";

	if (strcmp(how, "ignore") == 0)
		signal(SIGINT, SIG_IGN);
	if (strcmp(how, "graceful") == 0)
		signal(SIGINT, on_interrupt);
	if (strcmp(how, "uid") == 0)
		printf("uid %d euid %d\n", (int)getuid(), (int)geteuid());
	fflush(stdout);
	burn_here(ns / 2);
	if (strcmp(how, "stop") == 0)
		raise(SIGSTOP);
	burn_here(ns / 2);
	if (interrupted)
		return 5;
	if (strcmp(how, "segv") == 0)
		die_by(SIGSEGV);
	if (strcmp(how, "term") == 0)
		die_by(SIGTERM);
	return strcmp(how, "exit") == 0 || strcmp(how, "uid") == 0 ? 7 : 0;
}
