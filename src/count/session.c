/* The session: start of the command, the loop until its end, readings on an absolute schedule. */
#include "count/session.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "count/around.h"
#include "count/perf_source.h"
#include "count/places.h"
#include "count/schedule.h"
#include "counters/series.h"
#include "event/count.h"
#include "files/cpu_times.h"
#include "files/files.h"
#include "launch/launch.h"
#include "launch/watch.h"

#define GRACE_NS 3000000000ull
#define KB	 1024u

/* Slices for the uncertainty of what shares the PMU: rarely as long as nothing does. */
#define DRAIN_NS     20000000ull
#define SLICE_NS     100000000ull
#define SLICE_MAX_NS 1600000000ull

struct count_session {
	const struct count_options *options;
	struct launch launch;
	bool launched, child_ended, stopping, by_signal;
	unsigned interrupts;
	int wait_status, stop_signal;
	uint64_t kill_at_ns, begin_ns, child_end_ns;
	struct rusage rusage;
	struct count_places places;
	uint64_t switches_then; /* of running tasks, when counting began */
	bool knows_switches;
	struct around around;
	VEC(int) pid_fds;
	struct perf_source *perf;
	struct counter_source source;
	struct counter_series series;
	struct cpu_times cpu_times; /* when counting began; of whole CPUs */
	struct schedule enable, stop, interval, slice, drain;
	VEC(char *) notes;
};

static void note(struct count_session *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void note(struct count_session *s, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	vec_push(&s->notes, xstrdup(text));
}

/* ---- start ---- */

static bool has_whole_cpus(const struct count_session *s)
{
	return s->places.items.len && s->places.items.data[0].pid < 0;
}

/* A thread inherits its counters, unless it was begun by one that had none yet; which of both is
 * not told, and to count it once more would count it twice. */
static void note_began(struct count_session *s)
{
	const struct count_options *o = s->options;
	size_t began = o->pid_count && !o->no_inherit ? count_places_began(&s->places) : 0;

	if (began)
		note(s,
		     "%zu thread%s began while the counters were being opened: %s may not be "
		     "counted",
		     began, began > 1 ? "s" : "", began > 1 ? "some of them" : "it");
}

static int open_counters(struct count_session *s, struct error *err)
{
	const struct count_options *o = s->options;
	struct perf_how how = {
		.inherit = !o->no_inherit && !o->system_wide,
		.enable_on_exec = s->launched && !o->delay_ns && !o->system_wide,
		.threads_of = s->launched && o->by == COUNTER_ROW_THREAD ? s->launch.pid : 0,
	};

	if (count_places_find(&s->places, o, s->launched ? s->launch.pid : 0, err) < 0)
		return -1;
	if (has_whole_cpus(s))
		how.inherit = how.enable_on_exec = false;
	s->perf = perf_source_open(o, &s->places, &how, &s->series.now, err);
	if (!s->perf)
		return -1;
	s->source = perf_source_interface(s->perf);
	char *const *notes;
	size_t count = perf_source_notes(s->perf, &notes);
	for (size_t i = 0; i < count; i++)
		note(s, "%s", notes[i]);
	note_began(s);
	if (!s->launched)
		s->knows_switches = count_places_switches(&s->places, &s->switches_then);
	return 0;
}

/* Software never shares anything. */
static bool may_share(const struct counter_table *t)
{
	for (size_t i = 0; i < t->events.len; i++)
		if (!t->events.data[i].is_software && !*t->events.data[i].reason)
			return true;
	return false;
}

static bool is_enabled_by_exec(const struct count_session *s)
{
	return s->launched && !s->options->delay_ns && !s->options->system_wide;
}

static bool tells_threads_apart(const struct count_session *s)
{
	return s->launched && s->options->by == COUNTER_ROW_THREAD;
}

static void read_cpu_times(const struct count_session *s, struct cpu_times *t)
{
	struct files *files = files_direct_new();
	const struct event_cpus *only = s->options->cpus;
	size_t kept = 0;

	cpu_times_read(t, files);
	files_free(files);
	for (size_t i = 0; i < t->cpus.len; i++)
		if (!only || event_cpus_have(only, (uint32_t)t->cpus.data[i].cpu))
			t->cpus.data[kept++] = t->cpus.data[i];
	t->cpus.len = kept;
}

static int begin_counting(struct count_session *s, uint64_t now_ns, struct error *err)
{
	if (has_whole_cpus(s))
		read_cpu_times(s, &s->cpu_times);
	counter_series_begin(&s->series, now_ns);
	schedule_every(&s->interval, now_ns, s->options->interval_ns);
	if (tells_threads_apart(s))
		schedule_every(&s->drain, now_ns, DRAIN_NS);
	if (may_share(&s->series.now))
		schedule_every(&s->slice, now_ns, SLICE_NS);
	if (s->options->duration_ns)
		schedule_once(&s->stop, now_ns + s->options->duration_ns);
	return is_enabled_by_exec(s) ? 0 : s->source.enable(s->source.ctx, err);
}

static int execute(struct count_session *s, struct error *err)
{
	uint64_t delay_ns = s->options->delay_ns;

	around_begin(&s->around, s->launch.pid);
	if (open_counters(s, err) < 0) {
		launch_abandon(&s->launch);
		return -1;
	}
	s->begin_ns = clock_monotonic_ns();
	if (delay_ns)
		schedule_once(&s->enable, s->begin_ns + delay_ns);
	else if (begin_counting(s, s->begin_ns, err) < 0) {
		launch_abandon(&s->launch);
		return -1;
	}
	return launch_go(&s->launch, s->options->command[0], err);
}

static int launch_command(struct count_session *s, struct error *err)
{
	if (launch_prepare(&s->launch, s->options->command, &s->options->watch->saved, err) < 0)
		return -1;
	s->launched = true;
	if (execute(s, err) < 0) {
		s->launched = false;
		return -1;
	}
	if (launch_changed_rights(s->launch.pid))
		note(s,
		     "%s is set-uid or unreadable: the kernel does not let an ordinary user count "
		     "it (count as root)",
		     s->options->command[0]);
	return 0;
}

/* A signal ends the wait; the loop will see to it. */
static void wait_delay(const struct count_session *s)
{
	struct pollfd p = { .fd = s->options->watch->signals, .events = POLLIN };

	uint64_t delay_ms = s->options->delay_ns / 1000000;

	if (delay_ms)
		poll(&p, 1, delay_ms < INT_MAX ? (int)delay_ms : INT_MAX);
}

static int attach(struct count_session *s, struct error *err)
{
	wait_delay(s);
	around_begin(&s->around, 0);
	if (open_counters(s, err) < 0)
		return -1;
	for (size_t i = 0; i < s->places.pids.len; i++)
		vec_push(&s->pid_fds, (int)syscall(SYS_pidfd_open, s->places.pids.data[i], 0));
	s->begin_ns = clock_monotonic_ns();
	return begin_counting(s, s->begin_ns, err);
}

struct count_session *count_start(const struct count_options *o, struct error *err)
{
	struct count_session *s = xcalloc(1, sizeof(*s));

	s->options = o;
	if ((o->command ? launch_command(s, err) : attach(s, err)) == 0)
		return s;
	count_free(s);
	return NULL;
}

/* ---- the loop ---- */

static void stop_counting(struct count_session *s)
{
	s->stopping = true;
}

/* A second interrupt, SIGTERM or SIGHUP: the command is ended too. */
static void stop_by_signal(struct count_session *s)
{
	s->by_signal = true;
	if (s->launched && !s->child_ended && !s->stop_signal)
		s->stop_signal = SIGTERM;
	if (!s->launched)
		stop_counting(s);
}

static void reap(struct count_session *s)
{
	struct rusage usage;
	int status;

	if (s->launched && !s->child_ended)
		around_see_command(&s->around);
	for (pid_t pid; (pid = wait4(-1, &status, WNOHANG | WUNTRACED, &usage)) > 0;) {
		if (!s->launched || pid != s->launch.pid)
			continue;
		if (WIFSTOPPED(status)) {
			launch_stop_with(pid);
			continue;
		}
		s->child_end_ns = clock_monotonic_ns();
		s->child_ended = true;
		s->wait_status = status;
		s->rusage = usage;
		stop_counting(s);
	}
}

static void on_signal(struct count_session *s, uint32_t number)
{
	switch (number) {
	case SIGCHLD:
		reap(s);
		break;
	case SIGINT: /* the first one is the command's, which gets it from the terminal */
		if (!s->launched || s->child_ended || s->interrupts++)
			stop_by_signal(s);
		break;
	case SIGTSTP:
		if (!s->launched)
			kill(getpid(), SIGSTOP);
		break;
	case SIGQUIT: /* the command's own: it may be asked for a dump */
		if (!s->launched)
			stop_by_signal(s);
		break;
	case SIGTERM:
	case SIGHUP:
		stop_by_signal(s);
		break;
	default:
		break;
	}
}

static void read_signals(struct count_session *s)
{
	struct signalfd_siginfo info;

	while (read(s->options->watch->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		on_signal(s, info.ssi_signo);
}

static bool target_is_alive(const struct count_session *s, size_t i)
{
	struct pollfd p = { .fd = s->pid_fds.data[i], .events = POLLIN };

	if (p.fd < 0) /* a kernel without pidfd_open, or a thread */
		return kill(s->places.pids.data[i], 0) == 0 || errno == EPERM;
	return poll(&p, 1, 0) == 0;
}

/* Attached: when every process has ended there is nothing left to count. */
static void check_targets(struct count_session *s)
{
	for (size_t i = 0; i < s->pid_fds.len; i++)
		if (target_is_alive(s, i))
			return;
	if (s->pid_fds.len)
		stop_counting(s);
}

static void end_child(struct count_session *s, uint64_t now_ns)
{
	if (!s->stop_signal || s->child_ended)
		return;
	if (!s->kill_at_ns) {
		kill(s->launch.pid, s->stop_signal);
		kill(s->launch.pid, SIGCONT);
		s->kill_at_ns = now_ns + GRACE_NS;
	} else if (now_ns >= s->kill_at_ns) {
		kill(s->launch.pid, SIGKILL);
		s->kill_at_ns = now_ns + GRACE_NS;
	}
}

static void show_interval(struct count_session *s)
{
	struct counter_table t;

	counter_series_interval(&s->series, &t);
	if (s->options->interval)
		s->options->interval(s->options->ctx, &t);
	counter_table_release(&t);
}

static void take_slice(struct count_session *s)
{
	bool shared = counter_series_is_shared(&s->series);

	counter_series_slice(&s->series);
	if (shared)
		s->slice.every_ns = SLICE_NS;
	else if (s->slice.every_ns < SLICE_MAX_NS)
		s->slice.every_ns *= 2;
}

static int check_readings(struct count_session *s, uint64_t now_ns, struct error *err)
{
	bool interval = schedule_is_due(&s->interval, now_ns);
	bool slice = schedule_is_due(&s->slice, now_ns);

	if (!interval && !slice)
		return 0;
	if (counter_series_read(&s->series, &s->source, err) < 0)
		return -1;
	if (slice)
		take_slice(s);
	if (interval)
		show_interval(s);
	return 0;
}

static int check_clock(struct count_session *s, struct error *err)
{
	uint64_t now_ns = clock_monotonic_ns();
	int result = 0;

	if (schedule_is_due(&s->enable, now_ns))
		result = begin_counting(s, now_ns, err);
	if (result == 0)
		result = check_readings(s, now_ns, err);
	if (schedule_is_due(&s->drain, now_ns))
		perf_source_drain(s->perf);
	if (schedule_is_due(&s->stop, now_ns))
		stop_counting(s);
	end_child(s, now_ns);
	return result;
}

/* What ends by itself says so by SIGCHLD; of others it has to be looked. */
static uint64_t next_due(const struct count_session *s, uint64_t now_ns)
{
	uint64_t next = now_ns + (s->pid_fds.len ? 100000000ull : 3600000000000ull);

	next = schedule_earlier(&s->enable, next);
	next = schedule_earlier(&s->stop, next);
	next = schedule_earlier(&s->interval, next);
	next = schedule_earlier(&s->slice, next);
	next = schedule_earlier(&s->drain, next);
	return s->kill_at_ns && s->kill_at_ns < next ? s->kill_at_ns : next;
}

static void sleep_until_due(struct count_session *s)
{
	struct pollfd polls = { .fd = s->options->watch->signals, .events = POLLIN };
	uint64_t now_ns = clock_monotonic_ns(), next = next_due(s, now_ns);
	uint64_t left = next > now_ns ? next - now_ns : 0;
	struct timespec timeout = { .tv_sec = (time_t)(left / 1000000000u),
				    .tv_nsec = (long)(left % 1000000000u) };

	if (ppoll(&polls, 1, &timeout, NULL) > 0)
		read_signals(s);
}

static int loop(struct count_session *s, struct error *err)
{
	int result = 0;

	reap(s);
	while (!s->stopping && result == 0) {
		sleep_until_due(s);
		check_targets(s);
		result = check_clock(s, err);
	}
	return result;
}

/* ---- the end ---- */

static uint64_t time_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

static uint64_t less(uint64_t all, uint64_t part)
{
	return all > part ? all - part : 0;
}

/* Without what the process did as a part of prof, before its exec. */
static uint64_t own_count(long all, long before)
{
	return all > before ? (uint64_t)(all - before) : 0;
}

static void fill_usage(const struct count_session *s, struct counter_usage *u)
{
	const struct rusage *r = &s->rusage, *own = &s->launch.own;

	*u = (struct counter_usage){
		.known = true,
		.user_ns = less(time_ns(r->ru_utime), time_ns(own->ru_utime)),
		.system_ns = less(time_ns(r->ru_stime), time_ns(own->ru_stime)),
		.max_rss_bytes = own_count(r->ru_maxrss, 0) * KB,
		.minor_faults = own_count(r->ru_minflt, own->ru_minflt),
		.major_faults = own_count(r->ru_majflt, own->ru_majflt),
		.voluntary_switches = own_count(r->ru_nvcsw, own->ru_nvcsw),
		.involuntary_switches = own_count(r->ru_nivcsw, own->ru_nivcsw),
	};
}

static void fill_end(const struct count_session *s, struct counter_run *run)
{
	run->ended = s->child_ended;
	if (!s->child_ended)
		return;
	if (!run->cut_short)
		fill_usage(s, &run->usage);
	if (WIFSIGNALED(s->wait_status))
		run->exit_signal = WTERMSIG(s->wait_status);
	else
		run->exit_status = WEXITSTATUS(s->wait_status);
}

/* Of tasks that were there from the beginning to the end, and of no others. */
static bool accounted_switches(const struct count_session *s, const struct counter_run *run,
			       uint64_t *switches)
{
	*switches = run->usage.voluntary_switches + run->usage.involuntary_switches;
	if (run->usage.known)
		return true;
	if (!s->knows_switches || !count_places_switches(&s->places, switches) ||
	    (s->options->pid_count && count_places_began(&s->places)))
		return false;
	*switches = less(*switches, s->switches_then);
	return true;
}

/* Where switches may not be counted, the kernel's accounting of the command tells them. */
static void use_accounting(const struct count_session *s, struct counter_run *run)
{
	ptrdiff_t at = counter_table_find(&run->total, "context-switches", NULL);

	uint64_t switches;

	if (at < 0 || run->delayed || run->total.rows.len != 1 || s->options->no_inherit ||
	    s->options->cpus || s->options->system_wide)
		return;
	struct counter_event *event = &run->total.events.data[at];
	struct counter_reading *r = counter_table_at(&run->total, 0, (size_t)at);
	if (r->state != COUNTER_REFUSED || !accounted_switches(s, run, &switches))
		return;
	*r = (struct counter_reading){
		.value = switches,
		.enabled_ns = run->wall_ns,
		.running_ns = run->wall_ns,
		.state = COUNTER_COUNTED,
	};
	free(event->reason);
	event->reason = xstrdup(
		s->launched ? "as the kernel accounts to the command"
			    : "as the kernel accounts to its threads, without what they started");
	event->is_software = true;
}

static void fill_machine(const struct count_session *s, struct counter_machine *m)
{
	struct cpu_times now = { 0 };
	long ticks = sysconf(_SC_CLK_TCK);

	if (!has_whole_cpus(s))
		return;
	read_cpu_times(s, &now);
	m->known = cpu_times_between(&s->cpu_times, &now, ticks > 0 ? (uint64_t)ticks : 0,
				     &m->busy_ns, &m->steal_ns);
	cpu_times_release(&now);
}

static void note_incomplete(struct count_session *s)
{
	uint64_t count = perf_source_incomplete(s->perf);

	if (count)
		note(s,
		     "of %llu thread%s the kernel's records are not complete: a part of "
		     "what was counted is in the first thread's row",
		     (unsigned long long)count, count > 1 ? "s" : "");
}

/* Page faults, if each cost as much as on the slowest machines. */
static bool may_matter(const struct counter_usage *u)
{
	return u->known && u->minor_faults * 50000 > (u->user_ns + u->system_ns) / 5 &&
	       u->user_ns + u->system_ns > 10000000;
}

/* It ended while the counting was still to begin. */
static void never_counted(struct count_session *s)
{
	struct counter_table *t = &s->series.now;

	for (size_t i = 0; i < t->readings.len; i++)
		if (t->readings.data[i].state == COUNTER_COUNTED)
			t->readings.data[i].state = COUNTER_NOT_COUNTED;
	note(s, "it ended before the delay (-D) was over: nothing was counted");
}

int count_wait(struct count_session *s, struct counter_run *run, struct error *err)
{
	*run = (struct counter_run){ 0 };
	if (loop(s, err) < 0 || counter_series_read(&s->series, &s->source, err) < 0)
		return -1;
	note_incomplete(s);
	if (counter_series_is_shared(&s->series))
		counter_series_slice(&s->series);
	if (s->options->interval_ns && !s->enable.at_ns)
		show_interval(s); /* what is left of the last one */
	if (!s->series.begin_ns)
		never_counted(s);
	uint64_t end_ns = s->child_ended ? s->child_end_ns : s->series.now.time_ns;
	run->launched = s->launched;
	run->delayed = s->launched && s->options->delay_ns;
	run->cut_short = s->launched && !s->child_ended;
	uint64_t from_ns = s->launched ? s->begin_ns : s->series.begin_ns;
	run->wall_ns = end_ns > from_ns ? end_ns - from_ns : 0;
	fill_machine(s, &run->machine);
	run->total = s->series.now;
	run->slices = s->series.slices;
	s->series.now = (struct counter_table){ 0 };
	s->series.slices = (struct counter_slices){ 0 };
	run->total.elapsed_ns =
		s->series.begin_ns && end_ns > s->series.begin_ns ? end_ns - s->series.begin_ns : 0;
	fill_end(s, run);
	use_accounting(s, run);
	around_end(&s->around, may_matter(&run->usage), &run->around);
	return 0;
}

void count_end(struct count_session *s, struct counter_run *run)
{
	while (s->launched && !s->child_ended) {
		end_child(s, clock_monotonic_ns());
		sleep_until_due(s);
	}
	fill_end(s, run);
}

size_t count_notes(const struct count_session *s, char *const **notes)
{
	*notes = s->notes.data;
	return s->notes.len;
}

bool count_was_stopped(const struct count_session *s)
{
	return s->by_signal;
}

void count_free(struct count_session *s)
{
	if (s->source.release)
		s->source.release(s->source.ctx);
	for (size_t i = 0; i < s->pid_fds.len; i++)
		if (s->pid_fds.data[i] >= 0)
			close(s->pid_fds.data[i]);
	for (size_t i = 0; i < s->notes.len; i++)
		free(s->notes.data[i]);
	cpu_times_release(&s->cpu_times);
	vec_release(&s->pid_fds);
	vec_release(&s->notes);
	counter_series_release(&s->series);
	count_places_release(&s->places);
	free(s);
}
