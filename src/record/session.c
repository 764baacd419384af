/* One recording: the two processes, the order of their start, the message at the end. */
#include "record/session.h"

#include "base/io.h"
#include "base/log.h"
#include "base/text.h"
#include "files/files.h"
#include "launch/watch.h"
#include "record/broker.h"
#include "record/verbose.h"
#include "record/worker.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNSEEN_PERIODS 20 /* of CPU time without a sample are no chance */

/* ---- set-up ---- */

/* Rings are only as large as the time between two looks at them: where it is permitted, prof's turn
 * comes early. */
static void raise_priority(void)
{
	if (geteuid() == 0)
		setpriority(PRIO_PROCESS, 0, -15);
}

static int start_worker(struct broker *b, struct error *err)
{
	int pairs[3][2];
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pairs[i]) != 0)
			return error_set_errno(err, errno, "cannot create a socket pair");
	}
	b->worker = fork();
	if (b->worker < 0)
		return error_set_errno(err, errno, "cannot start a process");
	int own = b->worker ? 0 : 1;
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
		close(pairs[i][1 - own]);
	if (b->worker == 0) {
		struct worker_sockets sockets = { pairs[0][1], pairs[1][1], pairs[2][1] };
		close(b->signals);
		_exit(worker_main(&sockets, b->plan));
	}
	b->control = pairs[0][0];
	openers_init(&b->openers, (const int[OPENERS]){ pairs[1][0], pairs[2][0] });
	return 0;
}

static int wait_for_rings(struct broker *b, struct error *err)
{
	union control_message m;
	char got[32], asked[32];
	if (broker_wait_for(b, CONTROL_RINGS, &m, err) < 0)
		return -1;
	if (m.rings.ring_bytes < m.rings.asked_bytes)
		log_message(b->plan->ring_fixed ? LOG_NOTICE : LOG_INFO,
			    "ring of %s per CPU instead of %s: the locked-memory budget ends there",
			    text_bytes(got, sizeof(got), m.rings.ring_bytes),
			    text_bytes(asked, sizeof(asked), m.rings.asked_bytes));
	plan_fit_stacks(b->plan, m.rings.ring_bytes);
	verbose_plan(b->plan, m.rings.ring_bytes);
	return 0;
}

static void fill_begin(const struct broker *b, struct control_begin *m)
{
	*m = (struct control_begin){
		.kind = CONTROL_BEGIN,
		.launched_pid = b->launched ? (uint32_t)b->launch.pid : 0,
		.read_all = b->plan->system_wide && !b->filtered,
		.rate_hz = b->plan->requested_hz,
		.filtered = b->filtered,
	};
	for (size_t i = 0; i < b->pids.len && m->attach_count < CONTROL_MAX_TIDS; i++)
		m->attach_pids[m->attach_count++] = (uint32_t)b->pids.data[i];
}

/* From now on the worker may ask for files. */
static int start_openers(struct broker *b, struct error *err)
{
	if (b->plan->system_wide && !b->filtered)
		openers_follow_all(&b->openers);
	if (b->launched)
		openers_follow(&b->openers, b->launch.pid);
	for (size_t i = 0; i < b->pids.len; i++)
		openers_follow(&b->openers, b->pids.data[i]);
	return openers_start(&b->openers, err);
}

static int begin_writing(struct broker *b, struct error *err)
{
	struct control_begin m;
	union control_message answer;
	fill_begin(b, &m);
	if (start_openers(b, err) < 0)
		return -1;
	if (control_send(b->control, &m, sizeof(m), &b->output.fd, 1, err) < 0)
		return -1;
	return broker_wait_for(b, CONTROL_OK, &answer, err);
}

static void start_clocks(struct broker *b)
{
	uint64_t now_ns = clock_monotonic_ns();
	if (b->options->delay_ns && b->launched)
		b->enable_at_ns = now_ns + b->options->delay_ns;
	if (b->options->duration_ns)
		b->stop_at_ns =
			now_ns + b->options->duration_ns + (b->launched ? b->options->delay_ns : 0);
}

/* A set-uid or unreadable program: the kernel takes the events away when it is executed. */
static void notice_detached(struct broker *b)
{
	b->detached = launch_changed_rights(b->launch.pid);
	if (b->detached)
		log_message(
			LOG_NOTICE,
			"%s is set-uid or unreadable: the kernel does not let it be profiled by an ordinary user; "
			"it runs on unprofiled (record as root)",
			b->options->command[0]);
}

static int open_whole_task(struct broker *b, pid_t task, struct error *err)
{
	return broker_open_task(b, task, err) < 0 ? -1 : broker_flush_events(b, err);
}

/* The file's beginning is written before the command is executed, and takes its place only
 * afterwards: a full disk is found out before anything runs, and a command that cannot run leaves a
 * former file alone. */
static int execute(struct broker *b, struct error *err)
{
	if (open_whole_task(b, b->plan->system_wide ? -1 : b->launch.pid, err) < 0 ||
	    begin_writing(b, err) < 0) {
		launch_abandon(&b->launch);
		return -1;
	}
	return launch_go(&b->launch, b->options->command[0], err);
}

static int launch(struct broker *b, struct error *err)
{
	if (launch_prepare(&b->launch, b->options->command, &b->saved, err) < 0)
		return -1;
	b->launched = true;
	if (execute(b, err) < 0) {
		b->launched = false;
		return -1;
	}
	notice_detached(b);
	return 0;
}

/* A signal ends the wait; the loop will see to it. */
static void wait_delay(const struct broker *b)
{
	struct pollfd p = { .fd = b->signals, .events = POLLIN };
	if (b->options->delay_ns)
		poll(&p, 1, (int)(b->options->delay_ns / 1000000));
}

static int attach(struct broker *b, struct error *err)
{
	wait_delay(b);
	bool all = b->plan->system_wide && !b->filtered;
	int result = all ? open_whole_task(b, -1, err) : broker_attach(b, err);
	return result < 0 ? -1 : begin_writing(b, err);
}

static int start_target(struct broker *b, struct error *err)
{
	int result = b->options->command ? launch(b, err) : attach(b, err);
	if (result == 0 && output_file_publish(&b->output, err) < 0) {
		log_message(LOG_ERROR, "%s",
			    err->text); /* what is recorded stays where it is written */
		error_clear(err);
	}
	return result;
}

/* ---- the end ---- */

/* ", 99.7% of stacks whole", of those due as the report counts; nothing where it cannot be known.
 */
static void whole_text(const struct broker *b, char *buf, size_t size)
{
	const struct control_summary *s = &b->summary;
	bool all_known = s->known == s->samples;
	uint64_t stacks = all_known && s->due > s->samples ? s->due : s->known;
	buf[0] = '\0';
	if (s->known * 2 > s->samples)
		snprintf(buf, size, ", %.1f%% of stacks whole",
			 100.0 * (double)s->whole / (double)stacks);
}

static void say_early_end(const struct broker *b, const char *path)
{
	const char *why = b->worker_error.code ? b->worker_error.text : "";
	if (b->worker_signal)
		why = strsignal(b->worker_signal);
	log_message(LOG_ERROR,
		    "the recording process ended early%s%s; what it had written is in %s",
		    *why ? ": " : "", why, path);
}

static void say_outliving(const struct control_summary *s)
{
	char count[32];
	if (s->outliving == 1)
		log_message(
			LOG_NOTICE,
			"a process of the command runs on after it, unrecorded: pid %u (prof record -p %u)",
			s->outliving_pid, s->outliving_pid);
	else if (s->outliving)
		log_message(
			LOG_NOTICE,
			"%s processes of the command run on after it, unrecorded: pid %u among them",
			text_count(count, sizeof(count), s->outliving), s->outliving_pid);
}

/* " (8.19 kB)": what is in the file, which is less than what was to be written where that failed.
 */
static void size_text(const struct broker *b, char *buf, size_t size)
{
	char bytes[32];
	struct stat st;
	const struct control_summary *s = &b->summary;
	bool is_file = fstat(b->output.fd, &st) == 0 && S_ISREG(st.st_mode);
	if (!s->write_failed)
		snprintf(buf, size, " (%s)", text_bytes(bytes, sizeof(bytes), s->file_bytes));
	else if (is_file)
		snprintf(buf, size, " (cut short after %s)",
			 text_bytes(bytes, sizeof(bytes), (uint64_t)st.st_size));
	else
		snprintf(buf, size, " (cut short)");
}

/* Why, as far as it can be known. */
static void say_no_samples(const struct broker *b, const char *to, const char *path)
{
	const struct event_spec *e = &b->plan->events.items.data[0];
	uint64_t period_ns = plan_period(b->plan, 0);
	char cpu[32], why[256];
	if (b->detached)
		snprintf(why, sizeof(why), "%s ran unprofiled", b->options->command[0]);
	else if (!e->is_clock && plan_period(b->plan, 0))
		snprintf(why, sizeof(why),
			 "%s did not happen, or not as often as one sample takes (-c)", e->name);
	else if (period_ns && b->child_cpu_ns / UNSEEN_PERIODS > period_ns)
		snprintf(
			why, sizeof(why),
			"%s of CPU went to processes shorter than a sampling period, or to programs that "
			"are set-uid or unreadable (record as root)",
			text_duration(cpu, sizeof(cpu), b->child_cpu_ns));
	else
		snprintf(why, sizeof(why),
			 "no task used as much CPU time on one CPU as one sampling period lasts, "
			 "or none at all (%s)",
			 b->options->period ? "a shorter one: -c" : "a higher rate: -F");
	log_message(LOG_NOTICE, "no samples: %s %s %s", why, to, path);
}

/* Events with samples of their own besides the first: how many, and one of them. */
static size_t count_others(const struct plan *p, const char **name)
{
	size_t count = 0;
	for (size_t i = 1; i < p->events.items.len; i++) {
		if (plan_leader(p, i) != i)
			continue;
		*name = p->events.items.data[i].name;
		count++;
	}
	return count;
}

/* ", 312 of other events": the first one's samples are told apart. */
static void others_text(const struct broker *b, char *buf, size_t size)
{
	const char *name = "";
	size_t others = count_others(b->plan, &name);
	char count[32];
	buf[0] = '\0';
	if (others)
		snprintf(buf, size, ", %s of %.100s",
			 text_count(count, sizeof(count), b->summary.other_samples),
			 others == 1 ? name : "other events");
}

static void say_summary(const struct broker *b)
{
	const struct control_summary *s = &b->summary;
	char size[64], count[32], due[32], lost[32], whole[64], others[160];
	const char *to = text_is_unicode() ? "→" : "->";
	const char *path = b->output.path ? b->output.path : "standard output";
	if (!b->done) {
		say_early_end(b, path);
		return;
	}
	say_outliving(s);
	if (s->write_failed)
		log_message(LOG_ERROR, "%s: %s; what was written before stays readable", path,
			    strerror(s->write_failed));
	uint64_t samples = s->samples + s->other_samples;
	if (samples == 0 && s->lost) {
		log_message(LOG_NOTICE,
			    "all %s samples were lost: the ring is too small (-m) %s %s",
			    text_count(lost, sizeof(lost), s->lost), to, path);
		return;
	}
	if (samples == 0) {
		say_no_samples(b, to, path);
		return;
	}
	text_count(due, sizeof(due), s->due);
	whole_text(b, whole, sizeof(whole));
	size_text(b, size, sizeof(size));
	others_text(b, others, sizeof(others));
	log_message(LOG_NOTICE, "%s sample%s%s%s%s%s, %s lost%s %s %s%s",
		    text_count(count, sizeof(count), s->samples),
		    s->samples == 1 && !s->due ? "" : "s", s->due ? " of " : "", s->due ? due : "",
		    s->due ? " due" : "", others, text_count(lost, sizeof(lost), s->lost), whole,
		    to, path, size);
}

static int exit_status(const struct broker *b, int *die_by_signal)
{
	if (!b->launched)
		return b->done && !b->summary.write_failed && !b->openers.gave_up ? 0 : 1;
	if (WIFSIGNALED(b->wait_status)) {
		*die_by_signal = WTERMSIG(b->wait_status);
		return 128 + *die_by_signal;
	}
	return WEXITSTATUS(b->wait_status);
}

static void close_control(struct broker *b)
{
	if (b->control >= 0)
		close(b->control);
	b->control = -1;
	openers_release(&b->openers);
}

/* Its sockets are closed a moment before its end can be asked for. */
static void wait_for_worker(struct broker *b)
{
	int status = 0;
	close_control(b); /* whatever it waits for does not come any more */
	if (b->worker <= 0)
		return;
	while (waitpid(b->worker, &status, 0) < 0 && errno == EINTR)
		;
	b->worker = 0;
	b->worker_signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void release(struct broker *b)
{
	wait_for_worker(b);
	openers_reap(&b->openers);
	if (b->signals >= 0)
		close(b->signals);
	for (size_t i = 0; i < b->pid_fds.len; i++) {
		if (b->pid_fds.data[i] >= 0)
			close(b->pid_fds.data[i]);
	}
	files_free(b->direct);
	vec_release(&b->pid_fds);
	vec_release(&b->pids);
	broker_drop_events(b);
	output_file_close(&b->output);
	setpriority(PRIO_PROCESS, 0, b->saved.priority);
	sigprocmask(SIG_SETMASK, &b->saved.mask, NULL);
}

/* A chroot, or a container that shows the processes of another one: recording goes on without. */
static void say_proc_is_missing(void)
{
	char self[32] = "";
	ssize_t n = readlink("/proc/self", self, sizeof(self) - 1);
	if (n > 0 && strtol(self, NULL, 10) == getpid())
		return;
	log_message(LOG_NOTICE,
		    "%s: stacks are cut and names are missing (mount -t proc proc /proc)",
		    n > 0 ? "/proc is that of another PID namespace" : "/proc is not mounted");
}

static int run(struct broker *b, int *die_by_signal, struct error *err)
{
	b->started_ns = clock_monotonic_ns();
	if (output_file_open(&b->output, b->options->output, err) < 0 || (b->signals = launch_watch_signals(err)) < 0 ||
	    output_file_create(&b->output, err) < 0)
		return -1;
	launch_raise_descriptors();
	raise_priority();
	say_proc_is_missing();
	b->direct = files_direct_new();
	if (start_worker(b, err) < 0 || wait_for_rings(b, err) < 0 || start_target(b, err) < 0)
		return -1;
	start_clocks(b);
	b->begun_ns = clock_monotonic_ns();
	broker_loop(b);
	if (!b->done)
		wait_for_worker(b);
	verbose_phases(b);
	say_summary(b);
	return exit_status(b, die_by_signal);
}

int record_run(const struct record_options *options, int *die_by_signal, struct error *err)
{
	struct plan plan;
	struct broker b = { .plan = &plan,
			    .options = options,
			    .control = -1,
			    .openers = { .all = { { .socket = -1 }, { .socket = -1 } } },
			    .signals = -1,
			    .output = { .fd = -1 } };
	*die_by_signal = 0;
	launch_save_state(&b.saved, options->closed_descriptors);
	if (options->command && options->output && !strcmp(options->output, "-"))
		return error_set(
			err, ERROR_USAGE,
			"-o -: standard output belongs to the command (name a file with -o)");
	int result = plan_make(&plan, options, err);
	b.filtered = plan.filtered;
	if (result == 0)
		result = run(&b, die_by_signal, err);
	release(&b);
	plan_release(&plan);
	return result;
}
