/* Signals, between runs too. */
#include "count/watch.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "launch/watch.h"

int count_watch_begin(struct count_watch *w, unsigned closed_descriptors, struct error *err)
{
	launch_save_state(&w->saved, closed_descriptors);
	w->signals = launch_watch_signals(err);
	if (w->signals < 0)
		return -1;
	launch_raise_descriptors();
	return 0;
}

bool count_watch_was_stopped(const struct count_watch *w)
{
	struct signalfd_siginfo info;
	bool stopped = false;

	while (read(w->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		stopped |= info.ssi_signo != SIGCHLD && info.ssi_signo != SIGTSTP;
	return stopped;
}

void count_watch_end(struct count_watch *w)
{
	if (w->signals >= 0)
		close(w->signals);
	w->signals = -1;
	sigprocmask(SIG_SETMASK, &w->saved.mask, NULL);
}
