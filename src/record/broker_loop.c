/* The broker while the recording runs: messages, signals, the end of the command. */
#include "base/io.h"
#include "base/log.h"
#include "files/files.h"
#include "launch/watch.h"
#include "record/broker.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE_NS 3000000000ull
#define WATCH_MS 100

static void worker_lost(struct broker *b)
{
	b->worker_gone = true;
	openers_release(&b->openers);
}

static int receive_message(struct broker *b, union control_message *m, struct error *err)
{
	int fds[CONTROL_MAX_FDS];
	size_t fd_count = 0;
	if (control_receive(b->control, m, fds, &fd_count, err) < 0) {
		worker_lost(b);
		return -1;
	}
	for (size_t i = 0; i < fd_count; i++)
		close(fds[i]);
	if (m->kind == CONTROL_FAILED) {
		m->failed.error.text[sizeof(m->failed.error.text) - 1] = '\0';
		if (err)
			*err = m->failed.error;
		return -1;
	}
	return 0;
}

int broker_receive(struct broker *b, int timeout_ms, union control_message *m, bool *got_message,
		   struct error *err)
{
	struct pollfd control = { .fd = b->worker_gone ? -1 : b->control, .events = POLLIN };
	*got_message = false;
	if (poll(&control, 1, timeout_ms) <= 0)
		return 0;
	if (receive_message(b, m, err) < 0)
		return -1;
	*got_message = true;
	return 0;
}

int broker_wait_for(struct broker *b, enum control_kind kind, union control_message *m,
		    struct error *err)
{
	bool got;
	while (!b->worker_gone) {
		if (broker_receive(b, WATCH_MS, m, &got, err) < 0)
			return -1;
		openers_watch(&b->openers);
		if (got && m->kind == (uint32_t)kind)
			return 0;
	}
	return error_set(err, ERROR_CLOSED, "the recording process has ended");
}

static void send_plain(struct broker *b, enum control_kind kind)
{
	struct control_plain m = { .kind = kind };
	if (!b->worker_gone && control_send(b->control, &m, sizeof(m), NULL, 0, NULL) < 0)
		worker_lost(b);
}

static uint64_t cpu_ns(const struct rusage *u)
{
	return (uint64_t)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1000000000ull +
	       (uint64_t)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) * 1000ull;
}

static void stop_recording(struct broker *b)
{
	struct rusage own;
	if (b->stopping)
		return;
	b->stopping = true;
	b->stopped_ns = clock_monotonic_ns();
	getrusage(RUSAGE_SELF, &own);
	/* Events see it all only when they count from its start, and on every CPU. */
	bool is_all = b->child_ended && !b->options->delay_ns && !b->options->cpus;
	struct control_stop m = {
		.kind = CONTROL_STOP,
		.wait_status = b->child_ended ? b->wait_status : -1,
		.rusage_ns = is_all ? b->child_cpu_ns : 0,
		.broker_cpu_ns = cpu_ns(&own) + openers_cpu_ns(&b->openers),
		.openers_killed = b->openers.killed,
		.openers_gone = b->openers.gave_up,
		.detached = b->detached,
	};
	if (!b->worker_gone && control_send(b->control, &m, sizeof(m), NULL, 0, NULL) < 0)
		worker_lost(b);
}

static void reap_children(struct broker *b)
{
	int status;
	struct rusage usage;
	for (pid_t pid; (pid = wait4(-1, &status, WNOHANG | WUNTRACED, &usage)) > 0;) {
		if (pid == b->worker) {
			if (WIFSTOPPED(status))
				continue;
			b->worker = 0; /* its end shows on the control socket */
			b->worker_signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		} else if (!WIFSTOPPED(status) && openers_ended(&b->openers, pid, status)) {
			continue;
		} else if (b->launched && pid == b->launch.pid) {
			if (WIFSTOPPED(status)) {
				launch_stop_with(b->launch.pid);
				continue;
			}
			b->child_ended = true;
			b->wait_status = status;
			uint64_t used_ns = cpu_ns(&usage), own_ns = b->launch.own_cpu_ns;
			b->child_cpu_ns = used_ns > own_ns ? used_ns - own_ns : 0;
			stop_recording(b);
		}
	}
}

static void first_interrupt(struct broker *b)
{
	send_plain(b, CONTROL_FLUSH);
	log_message(
		LOG_NOTICE,
		"interrupted: what was recorded is being written; recording goes on until the command "
		"ends (interrupt again to stop)");
}

/* Recording is over, and writing takes longer than somebody cares to wait. */
static void hurry(struct broker *b)
{
	if (b->worker <= 0)
		return;
	if (b->hurried++ == 0)
		log_message(LOG_NOTICE,
			    "names are still being looked up; interrupt again to end without");
	else
		kill(b->worker, SIGKILL); /* what it has flushed stays */
}

/* A second interrupt, SIGTERM or SIGHUP: stop, write, end the command. */
static void stop_by_signal(struct broker *b)
{
	if (b->launched && !b->child_ended && !b->stop_signal) {
		b->stop_signal = SIGTERM;
		log_message(LOG_NOTICE,
			    "stopping: the command gets SIGTERM, and SIGKILL after %d s",
			    (int)(GRACE_NS / 1000000000));
	} else if (b->stopping && !b->done) {
		hurry(b);
	}
	stop_recording(b);
}

static void on_signal(struct broker *b, const struct signalfd_siginfo *s)
{
	switch (s->ssi_signo) {
	case SIGCHLD:
		reap_children(b);
		break;
	case SIGINT:
		if (b->launched && !b->child_ended && b->interrupts++ == 0)
			first_interrupt(b);
		else
			stop_by_signal(b);
		break;
	case SIGTSTP:
		if (!b->launched)
			kill(getpid(), SIGSTOP);
		break;
	case SIGQUIT: /* the command's own: it may be asked for a dump */
		if (!b->launched)
			stop_by_signal(b);
		break;
	case SIGTERM:
	case SIGHUP:
		stop_by_signal(b);
		break;
	default:
		break;
	}
}

static void read_signals(struct broker *b)
{
	struct signalfd_siginfo s;
	while (read(b->signals, &s, sizeof(s)) == (ssize_t)sizeof(s))
		on_signal(b, &s);
}

static bool target_is_alive(const struct broker *b, size_t i)
{
	struct pollfd p = { .fd = b->pid_fds.data[i], .events = POLLIN };
	if (p.fd < 0) /* a kernel without pidfd_open */
		return kill(b->pids.data[i], 0) == 0;
	return poll(&p, 1, 0) == 0;
}

/* Attached: when every process has ended there is nothing left to record. */
static void check_targets(struct broker *b)
{
	for (size_t i = 0; i < b->pid_fds.len; i++) {
		if (target_is_alive(b, i))
			return;
	}
	if (b->pid_fds.len)
		stop_recording(b);
}

static void end_child(struct broker *b, uint64_t now_ns)
{
	if (!b->stop_signal || b->child_ended)
		return;
	if (!b->kill_at_ns) {
		kill(b->launch.pid, b->stop_signal);
		kill(b->launch.pid, SIGCONT);
		b->kill_at_ns = now_ns + GRACE_NS;
	} else if (now_ns >= b->kill_at_ns) {
		kill(b->launch.pid, SIGKILL);
		b->kill_at_ns = now_ns + GRACE_NS;
	}
}

static void check_clock(struct broker *b)
{
	uint64_t now_ns = clock_monotonic_ns();
	if (b->enable_at_ns && now_ns >= b->enable_at_ns) {
		send_plain(b, CONTROL_ENABLE);
		b->enable_at_ns = 0;
	}
	if (b->stop_at_ns && now_ns >= b->stop_at_ns && !b->stopping) {
		b->duration_over = true;
		stop_recording(b);
	}
	/* The profile is written first, then the command is ended. */
	if (b->done || b->worker_gone)
		end_child(b, now_ns);
}

static int next_timeout_ms(const struct broker *b)
{
	uint64_t now_ns = clock_monotonic_ns(), next = now_ns + 100000000ull;
	if (b->enable_at_ns && b->enable_at_ns < next)
		next = b->enable_at_ns;
	if (b->stop_at_ns && !b->stopping && b->stop_at_ns < next)
		next = b->stop_at_ns;
	return next > now_ns ? (int)((next - now_ns) / 1000000) + 1 : 0;
}

static void on_message(struct broker *b, const union control_message *m)
{
	if (m->kind == CONTROL_WIDEN)
		broker_widen(b);
	if (m->kind == CONTROL_DONE) {
		b->summary = m->summary;
		b->done = true;
		if (b->duration_over && b->launched && !b->child_ended)
			log_message(LOG_NOTICE, "recording has ended; the command runs on");
	}
}

static bool is_over(const struct broker *b)
{
	bool child_done = !b->launched || b->child_ended;
	return child_done && (b->done || b->worker_gone);
}

void broker_loop(struct broker *b)
{
	reap_children(b);
	while (!is_over(b)) {
		struct pollfd polls[2] = {
			{ .fd = b->signals, .events = POLLIN },
			{ .fd = b->worker_gone ? -1 : b->control, .events = POLLIN },
		};
		union control_message m;
		bool got;
		poll(polls, 2, next_timeout_ms(b));
		if (polls[0].revents)
			read_signals(b);
		if (broker_receive(b, 0, &m, &got, &b->worker_error) == 0 && got)
			on_message(b, &m);
		else if (b->worker_error.code && !b->worker_gone)
			worker_lost(b);
		openers_watch(&b->openers);
		check_targets(b);
		check_clock(b);
	}
}
