/* The worker's life: rings, messages, draining, growth of the stack copy, the end. */
#include "record/worker_parts.h"

#include "base/io.h"
#include "base/log.h"
#include "record/confine.h"
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define POLL_MS	      50
#define CLOCK_NS      1000000000ull
#define NAMING_CPU_NS (120 * CLOCK_NS) /* of one module, when everything else is done */

static int send_plain(struct worker *w, enum control_kind kind, struct error *err)
{
	struct control_plain m = { .kind = kind };
	return control_send(w->sockets->control, &m, sizeof(m), NULL, 0, err);
}

static void send_failed(struct worker *w, const struct error *why)
{
	struct control_failed m = { .kind = CONTROL_FAILED, .error = *why };
	if (control_send(w->sockets->control, &m, sizeof(m), NULL, 0, NULL) < 0)
		w->broker_gone = true;
}

/* Where running out of memory has no other way to it; the worker's alone. */
static int exhausted_socket = -1;

/* What has been flushed stays, and is told to be all there is. */
static void end_without_memory(void)
{
	static struct control_failed m = { .kind = CONTROL_FAILED };
	error_set(&m.error, ERROR_NO_MEMORY, "out of memory");
	control_send(exhausted_socket, &m, sizeof(m), NULL, 0, NULL);
	_exit(1);
}

/* ---- set-up ---- */

static void ignore_terminal_signals(void)
{
	static const int ignored[] = { SIGINT,	SIGQUIT, SIGTERM, SIGHUP,
				       SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE };
	for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
		signal(ignored[i], SIG_IGN);
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void close_what_is_not_ours(const struct worker_sockets *s)
{
	const int keep[] = { s->control, s->files, s->name_files };
	confine_descriptors(keep, ARRAY_LEN(keep));
}

/* Mapping the rings needs the user's rights to locked memory; nothing after it needs any. */
static void give_up_rights(void)
{
	struct error err = { 0 };
	bool is_root = geteuid() == 0;
	if (confine_process(&err) < 0)
		log_message(is_root ? LOG_NOTICE : LOG_INFO,
			    "the recording process keeps rights that it does not need: %s",
			    err.text);
}

static int tell_rings(struct worker *w, struct error *err)
{
	struct control_rings m = {
		.kind = CONTROL_RINGS,
		.cpu_count = w->plan->cpu_count,
		.ring_bytes = w->rings.ring_bytes,
		.asked_bytes = w->plan->ring_pages * (uint64_t)sysconf(_SC_PAGESIZE),
	};
	plan_fit_stacks(w->plan, w->rings.ring_bytes);
	return control_send(w->sockets->control, &m, sizeof(m), NULL, 0, err);
}

static void widen(struct worker *w)
{
	static const char text[] =
		"many tasks are shorter than a sampling period: sampling whole CPUs for them "
		"from now on, other processes left out";
	rings_switch(&w->rings, SIZE_FIRST, RINGS_DISABLE);
	rings_switch(&w->rings, SIZE_LARGER, RINGS_DISABLE);
	pipeline_widen(w->pipeline);
	pipeline_note(w->pipeline, text);
	log_message(LOG_NOTICE, "%s", text);
}

static int add_events(struct worker *w, const struct control_events *m, const int *fds,
		      struct error *err)
{
	int result = 0;
	for (uint32_t i = 0; i < m->count; i++) {
		if (rings_add(&w->rings, fds[i], &m->fds[i], result ? NULL : err) < 0)
			result = -1;
	}
	if (result == 0 && m->count && m->fds[0].size_class == SIZE_WIDE)
		widen(w);
	return result;
}

static void describe_events(struct worker *w, struct pipeline_event *out)
{
	for (size_t i = 0; i < w->plan->events.items.len; i++) {
		const struct event_spec *e = &w->plan->events.items.data[i];
		bool is_member = plan_leader(w->plan, i) != i;
		uint64_t period = is_member ? 0 : plan_period(w->plan, i);
		bool no_kernel = !w->plan->kernel || e->exclude_kernel;
		bool is_grouped = plan_leader(w->plan, i) != i || plan_leads(w->plan, i);
		out[i] = (struct pipeline_event){
			.name = e->name,
			.group = is_grouped ? 1 + (uint32_t)plan_leader(w->plan, i) : 0,
			.type = e->type,
			.config = e->config,
			.period = period,
			.frequency =
				w->plan->options->period || is_member ? 0 : w->plan->requested_hz,
			.unit = e->is_clock ? UNIT_NS : UNIT_COUNT,
			.flags = (uint8_t)((no_kernel ? EVENT_EXCLUDES_KERNEL : 0) |
					   (e->exclude_user ? EVENT_EXCLUDES_USER : 0) |
					   (w->plan->system_wide ? EVENT_SYSTEM_WIDE : 0)),
		};
	}
}

static uint8_t counters_of(enum plan_counters way)
{
	return way == COUNTERS_PER_CPU	    ? COUNTERS_OF_CPUS
	       : way == COUNTERS_PER_THREAD ? COUNTERS_OF_SOME_THREADS
					    : COUNTERS_OF_THREADS;
}

static void new_pipeline(struct worker *w)
{
	size_t count = w->plan->events.items.len;
	struct pipeline_event *events = xcalloc(count, sizeof(*events));
	describe_events(w, events);
	struct pipeline_config config = {
		.files = w->files,
		.name_files = w->name_files,
		.events = events,
		.event_count = (uint32_t)count,
		.arch = describe_arch(),
		.check_every = w->plan->options->check_stacks,
		.counters = counters_of(w->plan->counters),
		.account = !w->plan->system_wide,
		.naming_cpu_ns = NAMING_CPU_NS,
		.inner_pidns = w->about.inner_pidns,
		.run = { .start_ns = clock_monotonic_ns(),
			 .start_realtime_ns = clock_realtime_ns(),
			 .exit_status = -1 },
		.machine = { .cpu_count = w->about.cpu_count },
		.command = w->about.command,
		.clock = "monotonic",
		.tool = describe_tool(),
		.hostname = w->about.uts.nodename,
		.architecture = w->about.uts.machine,
		.cpu_model = w->about.cpu_model,
		.kernel_release = w->about.uts.release,
		.boot_id = w->about.boot_id,
		.requested_hz = plan_period(w->plan, 0) && !w->plan->events.items.data[0].is_clock
					? 0
					: w->plan->requested_hz,
	};
	cpu_times_read(&w->cpu_times, w->files);
	w->pipeline = pipeline_new(&config, w->writer);
	free(events);
	for (size_t i = 0; i < w->plan->notes.len; i++)
		pipeline_note(w->pipeline, w->plan->notes.data[i]);
}

/* Processes that run already: their threads and mappings. What the rings say later wins. */
static void read_running(struct worker *w)
{
	struct task_table *tasks = pipeline_tasks(w->pipeline);
	struct bytes pids = { 0 };
	for (uint32_t i = 0; i < w->begin.attach_count; i++)
		task_read_proc(tasks, w->begin.attach_pids[i], true, 0, NULL);
	if (w->begin.read_all &&
	    files_read_proc(w->files, FILES_PROC_PIDS, 0, 0, &pids, NULL) == 0) {
		for (size_t i = 0; i + 4 <= pids.len; i += 4) {
			uint32_t pid;
			memcpy(&pid, pids.data + i, 4);
			task_read_proc(tasks, pid, false, 0, NULL);
			rings_drain(&w->rings);
		}
	}
	bytes_release(&pids);
	pipeline_only_known(w->pipeline);
}

static int begin(struct worker *w, const struct control_begin *m, int output, struct error *err)
{
	struct profile_writer_options options = { .fd = output };
	w->output = output;
	w->begin = *m;
	if (profile_writer_new(&w->writer, &options, err) < 0)
		return -1;
	w->plan->system_wide |= m->filtered != 0;
	plan_lower_rate(w->plan, m->rate_hz);
	new_pipeline(w);
	if (m->filtered)
		pipeline_only(w->pipeline, m->attach_pids, m->attach_count);
	if (m->launched_pid)
		pipeline_launched(w->pipeline, m->launched_pid);
	w->begun = true;
	w->rings.watch_forks = false;
	return 0;
}

/* ---- while recording ---- */

void worker_process_ready(struct worker *w)
{
	struct record r;
	if (w->pipeline)
		pipeline_look(w->pipeline, clock_monotonic_ns());
	while (w->pipeline && rings_next(&w->rings, &r)) {
		bool wide = r.event != UINT32_MAX && (r.event & RINGS_WIDE);
		if (wide)
			r.event &= ~RINGS_WIDE;
		pipeline_record(w->pipeline, &r, wide);
	}
}

/*
 * Events of tasks start every task with a full period, so tasks shorter than that are
 * hardly ever sampled. Events on whole CPUs do not care; where they are permitted the
 * broker answers with them.
 */
static void ask_to_widen(struct worker *w)
{
	/* Counters stay with the tasks. */
	if (w->asked_to_widen || w->plan->system_wide || w->plan->counters != COUNTERS_NONE ||
	    !pipeline_wants_widening(w->pipeline))
		return;
	w->asked_to_widen = true;
	if (send_plain(w, CONTROL_WIDEN, NULL) < 0)
		w->broker_gone = true;
}

static uint64_t now_on(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

void worker_note_clocks(struct worker *w)
{
	struct profile_clock c = { .monotonic_ns = now_on(CLOCK_MONOTONIC),
				   .boottime_ns = now_on(CLOCK_BOOTTIME),
				   .realtime_ns = now_on(CLOCK_REALTIME) };
	pipeline_clock(w->pipeline, &c);
}

static void tick(struct worker *w)
{
	uint64_t now_ns = clock_monotonic_ns();
	if (now_ns >= w->clock_due_ns) {
		worker_note_clocks(w);
		w->clock_due_ns = now_ns + CLOCK_NS;
	}
	if (now_ns >= w->jitter_due_ns)
		worker_jitter(w, now_ns);
	worker_grow_stacks(w);
	ask_to_widen(w);
	if (pipeline_tick(w->pipeline, now_ns, &w->write_error) < 0 &&
	    w->write_error.code == ERROR_NONE)
		error_set(&w->write_error, ERROR_SYSTEM, "cannot write the profile");
}

static int answer_tids(struct worker *w, const struct control_tids *m, struct error *err)
{
	struct control_tids answer = { .kind = CONTROL_UNKNOWN_TIDS };
	rings_drain(&w->rings);
	for (uint32_t i = 0; i < m->count; i++) {
		if (!rings_saw_fork(&w->rings, m->tids[i]))
			answer.tids[answer.count++] = m->tids[i];
	}
	return control_send(w->sockets->control, &answer, sizeof(answer), NULL, 0, err);
}

static void fill_summary(struct worker *w, struct control_summary *m)
{
	struct pipeline_stats s;
	struct profile_writer_stats bytes;
	pipeline_get_stats(w->pipeline, &s);
	profile_writer_get_stats(w->writer, &bytes);
	m->samples = s.samples_first;
	m->other_samples = s.samples - s.samples_first;
	m->lost = s.health.lost_kernel + s.health.lost_own;
	m->due = s.health.due;
	m->known = s.known;
	m->whole = s.whole;
	m->file_bytes = bytes.total_bytes;
	m->outliving = w->outliving;
	m->outliving_pid = w->outliving_pid;
	m->write_failed =
		w->write_error.code ? (w->write_error.errnum ? w->write_error.errnum : EIO) : 0;
}

static int send_summary(struct worker *w, enum control_kind kind, struct error *err)
{
	struct control_summary m = { .kind = kind };
	if (w->pipeline)
		fill_summary(w, &m);
	return control_send(w->sockets->control, &m, sizeof(m), NULL, 0, err);
}

static int flush(struct worker *w, struct error *err)
{
	rings_drain(&w->rings);
	worker_process_ready(w);
	if (w->pipeline && pipeline_flush(w->pipeline, &w->write_error) < 0)
		log_message(LOG_INFO, "%s", w->write_error.text);
	return send_summary(w, CONTROL_FLUSHED, err);
}

static int on_message(struct worker *w, const union control_message *m, const int *fds,
		      struct error *err)
{
	switch (m->kind) {
	case CONTROL_EVENTS:
		return add_events(w, &m->events, fds, err) < 0 ? -1
							       : send_plain(w, CONTROL_OK, err);
	case CONTROL_TIDS:
		return answer_tids(w, &m->tids, err);
	case CONTROL_BEGIN:
		if (begin(w, &m->begin, fds[0], err) < 0 || send_plain(w, CONTROL_OK, err) < 0)
			return -1;
		read_running(w);
		return 0;
	case CONTROL_ENABLE:
		rings_switch(&w->rings, SIZE_COUNT, RINGS_ENABLE);
		rings_switch(&w->rings, SIZE_FIRST, RINGS_ENABLE);
		return 0;
	case CONTROL_FLUSH:
		return flush(w, err);
	case CONTROL_STOP:
		w->stop = m->stop;
		w->stopping = true;
		return 0;
	default:
		return error_set(err, ERROR_FORMAT, "an unexpected message");
	}
}

static void receive(struct worker *w)
{
	union control_message m;
	int fds[CONTROL_MAX_FDS];
	size_t fd_count = 0;
	struct error err = { 0 };
	if (control_receive(w->sockets->control, &m, fds, &fd_count, &err) == 0 &&
	    on_message(w, &m, fds, &err) == 0)
		return;
	if (err.code == ERROR_CLOSED)
		w->broker_gone = true;
	else
		send_failed(w, &err);
}

static void release(struct worker *w)
{
	pipeline_free(w->pipeline);
	profile_writer_free(w->writer);
	rings_close(&w->rings);
	files_free(w->files);
	files_free(w->name_files);
	describe_release(&w->about);
	cpu_times_release(&w->cpu_times);
}

static void record(struct worker *w)
{
	while (!w->stopping && !w->broker_gone) {
		bool message;
		rings_wait(&w->rings, w->sockets->control, POLL_MS, &message);
		if (message)
			receive(w);
		if (w->begun)
			rings_look(&w->rings);
		else
			rings_drain(&w->rings); /* while attaching, until there is a pipeline */
		worker_process_ready(w);
		if (w->begun)
			tick(w);
	}
}

/* A file system may take its time to answer, or never do. */
static void keep_up(void *ctx)
{
	struct worker *w = ctx;
	rings_keep_up(&w->rings);
}

#define LARGE_ALLOCATION (256 << 10)

int worker_main(const struct worker_sockets *sockets, struct plan *plan)
{
	struct worker w = {
		.sockets = sockets, .plan = plan, .output = -1, .random_state = (uint64_t)getpid()
	};
	struct error err = { 0 };
	plan->silent = true;
	exhausted_socket = sockets->control;
	memory_when_exhausted(end_without_memory);
	prctl(PR_SET_NAME, "prof-worker");
#ifdef M_ARENA_MAX
	/* The C library's further arenas open a file of /proc when they shrink, which the filter
	 * forbids. */
	mallopt(M_ARENA_MAX, 1);
#endif
#ifdef M_MMAP_THRESHOLD
	/* Else the threshold grows with what is freed, and large tables would come from the heap,
	 * which keeps them. */
	mallopt(M_MMAP_THRESHOLD, LARGE_ALLOCATION);
#endif
	ignore_terminal_signals();
	close_what_is_not_ours(sockets);
	w.files = files_remote_new(sockets->files);
	w.name_files = files_remote_new(sockets->name_files);
	describe_init(&w.about, plan);
	if (rings_open(&w.rings, w.plan, &err) < 0) {
		send_failed(&w, &err);
		return 1;
	}
	files_remote_on_wait(w.files, keep_up, &w);
	give_up_rights();
	if (tell_rings(&w, &err) < 0)
		return 1;
	record(&w);
	if (w.begun) {
		worker_finish(&w);
		if (!w.broker_gone && send_summary(&w, CONTROL_DONE, NULL) < 0)
			w.broker_gone = true;
	}
	if (!w.pipeline || !pipeline_gave_up(w.pipeline))
		release(&w);
	return 0;
}
