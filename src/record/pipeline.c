/* Records in, profile out: what each kind of record does, and the epochs of the file. */
#include "record/pipeline.h"

#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "record/accounts.h"
#include "record/codes.h"
#include "record/kernel_code.h"
#include "record/names.h"
#include "record/rows.h"
#include "record/stacks.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define KSYMBOL_BPF	   1 /* PERF_RECORD_KSYMBOL_TYPE_BPF */
#define KSYMBOL_UNREGISTER 1 /* PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER */
#define FLUSH_NS	   400000000ull
#define NAMES_NS	   3000000000ull
#define WIDEN_PERIODS	   100 /* this much must be missing, and this share of all: */
#define WIDEN_PER_EXIT	   3
#define WIDEN_SHARE	   5
#define EPOCH_MIN_NS	   20000000000ull
#define EPOCH_BYTES	   (4u << 20)
#define EPOCH_MAX_NS	   120000000000ull

struct event_state {
	uint32_t row; /* in the current epoch */
	struct accounts *accounts;
	uint64_t exact_total, total; /* total: of all rows */
	uint64_t throttled_since_ns;
};

struct pipeline {
	struct pipeline_config config;
	VEC(struct pipeline_event) events;
	VEC(struct event_state) states;
	struct profile_writer *writer;
	struct rows rows;
	struct task_table *tasks;
	struct codes *codes;
	struct kernel_code *kernel_code;
	struct names *names;
	struct stacks *stacks;
	VEC(char *) notes;
	uint32_t run_row, machine_row;
	uint64_t flush_due_ns, names_due_ns, epoch_start_ns;
	struct hmap only; /* living threads that are recorded, with has_only; numbers are reused */
	bool has_only;
	bool wide; /* pipeline_widen was called */
	uint32_t launched_pid;
	struct pipeline_stats stats;
	uint64_t stack_bytes;
};

static uint32_t str(struct pipeline *p, const char *s)
{
	return profile_writer_add_str(p->writer, s ? s : "");
}

static struct profile_run run_row(struct pipeline *p)
{
	struct profile_run row = p->config.run;
	row.command = str(p, p->config.command);
	row.clock = str(p, p->config.clock);
	row.tool = str(p, p->config.tool);
	row.machine = p->machine_row;
	return row;
}

/* A sample that does not say its period has the fixed one. */
static uint64_t weight_of(const struct pipeline *p, const struct record *r)
{
	uint64_t period = r->u.sample.period ? r->u.sample.period : p->events.data[r->event].period;

	return period ? period : 1;
}

static struct profile_event event_row(struct pipeline *p, size_t i)
{
	const struct pipeline_event *e = &p->events.data[i];
	return (struct profile_event){
		.name = str(p, e->name),
		.type = e->type,
		.config = e->config,
		.period = e->period,
		.frequency = e->frequency,
		.exact_total = p->states.data[i].exact_total,
		.unit = e->unit,
		.flags = e->flags,
	};
}

/* Rows every epoch begins with. Event ids are their order, so that samples need no look-up. */
static void write_header_rows(struct pipeline *p)
{
	struct profile_machine m = p->config.machine;
	m.hostname = str(p, p->config.hostname);
	m.architecture = str(p, p->config.architecture);
	m.cpu_model = str(p, p->config.cpu_model);
	m.kernel_release = str(p, p->config.kernel_release);
	m.boot_id = str(p, p->config.boot_id);
	p->machine_row = profile_writer_add_machine(p->writer, &m);
	struct profile_run run = run_row(p);
	p->run_row = profile_writer_add_run(p->writer, &run);
	for (size_t i = 0; i < p->events.len; i++) {
		struct profile_event e = event_row(p, i);
		p->states.data[i].row = profile_writer_add_event(p->writer, &e);
	}
	for (size_t i = 0; i < p->notes.len; i++)
		profile_writer_add_note(p->writer, p->notes.data[i]);
}

static void on_thread_end(void *ctx, const struct task_thread *t, uint64_t time_ns)
{
	rows_thread_end(&((struct pipeline *)ctx)->rows, t, time_ns);
}

static void on_module_close(void *ctx, struct task_module *m)
{
	struct pipeline *p = ctx;
	if (p->stacks)
		stacks_close_module(p->stacks, m);
}

static void on_mapping_start(void *ctx, const struct task_space *s, const struct task_mapping *m)
{
	struct pipeline *p = ctx;
	if (p->codes)
		codes_mapping(p->codes, s, m);
}

static void on_space_end(void *ctx, const struct task_space *s, uint64_t time_ns)
{
	struct pipeline *p = ctx;
	(void)time_ns;
	if (p->codes)
		codes_space_end(p->codes, s);
}

static struct codes *new_codes(struct pipeline *p)
{
	struct codes_config c = {
		.files = p->config.files,
		.rows = &p->rows,
		.tasks = p->tasks,
		.imported = p->config.imported,
		.is_monotonic = p->config.clock && !strcmp(p->config.clock, "monotonic"),
	};
	return codes_new(&c);
}

struct pipeline *pipeline_new(const struct pipeline_config *config, struct profile_writer *writer)
{
	struct pipeline *p = xcalloc(1, sizeof(*p));
	p->config = *config;
	p->writer = writer;
	for (uint32_t i = 0; i < config->event_count; i++) {
		vec_push(&p->events, config->events[i]);
		vec_push(&p->states, (struct event_state){ 0 });
	}
	rows_init(&p->rows, writer);
	struct task_events events = { .thread_end = on_thread_end,
				      .space_end = on_space_end,
				      .mapping_start = on_mapping_start,
				      .module_close = on_module_close,
				      .ctx = p };
	p->tasks = task_table_new(config->files, &events);
	task_set_inner_pidns(p->tasks, config->inner_pidns);
	if (config->imported)
		task_set_replay(p->tasks, config->made_realtime_ns);
	if (config->name_files) {
		p->codes = new_codes(p);
		p->kernel_code = kernel_code_new(&p->rows, p->tasks);
		p->names = names_new(config->name_files, &p->rows, p->codes, p->kernel_code,
				     config->imported);
		names_limit(p->names, config->naming_cpu_ns);
	}
	p->stacks = stacks_new(&(struct stacks_config){ .rows = &p->rows,
							.names = p->names,
							.codes = p->codes,
							.kernel_code = p->kernel_code,
							.tasks = p->tasks,
							.arch = config->arch,
							.files = config->files,
							.imported = config->imported,
							.check_every = config->check_every });
	write_header_rows(p);
	for (uint32_t i = 0; i < config->event_count && config->account; i++) {
		struct accounts_config a = { &p->rows, p->tasks, p->states.data[i].row,
					     config->events[i].period,
					     (config->events[i].flags & EVENT_EXCLUDES_KERNEL) !=
						     0 };
		p->states.data[i].accounts = accounts_new(&a);
	}
	return p;
}

void pipeline_free(struct pipeline *p)
{
	if (!p)
		return;
	names_free(p->names);
	stacks_free(p->stacks);
	p->stacks = NULL;
	for (size_t i = 0; i < p->states.len; i++)
		accounts_free(p->states.data[i].accounts);
	task_table_free(p->tasks);
	codes_free(p->codes);
	kernel_code_free(p->kernel_code);
	rows_release(&p->rows);
	for (size_t i = 0; i < p->notes.len; i++)
		free(p->notes.data[i]);
	vec_release(&p->notes);
	vec_release(&p->events);
	vec_release(&p->states);
	hmap_release(&p->only);
	free(p);
}

struct task_table *pipeline_tasks(struct pipeline *p)
{
	return p->tasks;
}

void pipeline_note(struct pipeline *p, const char *text)
{
	for (size_t i = 0; i < p->notes.len; i++) {
		if (!strcmp(p->notes.data[i], text))
			return;
	}
	vec_push(&p->notes, xstrdup(text));
	profile_writer_add_note(p->writer, text);
}

void pipeline_only(struct pipeline *p, const uint32_t *pids, size_t count)
{
	p->has_only = true;
	for (size_t i = 0; i < count; i++)
		hmap_put(&p->only, pids[i], 1);
}

static bool is_wanted(const struct pipeline *p, uint32_t tid)
{
	return !p->has_only || hmap_get(&p->only, tid) != HMAP_NONE;
}

static void want_thread(void *ctx, struct task_thread *t)
{
	struct pipeline *p = ctx;
	if (!t->exited)
		hmap_put(&p->only, t->tid, 1);
}

static void want_thread_of_wanted(void *ctx, struct task_thread *t)
{
	struct pipeline *p = ctx;
	if (!t->exited && is_wanted(p, t->pid))
		hmap_put(&p->only, t->tid, 1);
}

void pipeline_only_known(struct pipeline *p)
{
	if (p->has_only)
		task_each_thread(p->tasks, want_thread_of_wanted, p);
}

struct listing {
	const struct pipeline *p;
	struct pipeline_living *out;
	struct hmap listed;
};

static void list_living(void *ctx, struct task_thread *t)
{
	struct listing *l = ctx;
	if (t->exited || t->is_kernel || !t->pid || !is_wanted(l->p, t->tid) ||
	    hmap_get(&l->listed, t->pid) != HMAP_NONE)
		return;
	hmap_put(&l->listed, t->pid, 1);
	vec_push(&l->out->pids, t->pid);
}

void pipeline_list_living(struct pipeline *p, struct pipeline_living *out)
{
	struct listing l = { .p = p, .out = out };
	task_each_thread(p->tasks, list_living, &l);
	hmap_release(&l.listed);
}

void pipeline_widen(struct pipeline *p)
{
	p->wide = true;
	p->has_only = true;
	task_each_thread(p->tasks, want_thread, p);
}

bool pipeline_is_wide(const struct pipeline *p)
{
	return p->wide;
}

bool pipeline_wants_widening(const struct pipeline *p)
{
	uint64_t all, missing;
	if (p->wide || !p->states.len || !p->states.data[0].accounts)
		return false;
	uint64_t exits, period = p->events.data[0].period;
	missing = accounts_shortfall(p->states.data[0].accounts, &all, &exits);
	/* What tasks miss by being short is about a period each; more than that was lost otherwise.
	 */
	if (!period || missing > WIDEN_PER_EXIT * exits * period)
		return false;
	return missing > WIDEN_PERIODS * p->events.data[0].period && missing > all / WIDEN_SHARE;
}

void pipeline_launched(struct pipeline *p, uint32_t pid)
{
	p->launched_pid = pid;
}

/* ---- one function per kind of record ---- */

/* The health is the first event's. */
static void count_first(struct pipeline *p, const struct record *r,
			const struct stacks_result *stack)
{
	if (r->event != 0)
		return;
	p->stats.samples_first++;
	p->stats.known += stack->end != END_UNKNOWN && stack->end != END_NO_STACK;
	p->stats.whole += stack->end == END_ROOT && !(stack->flags & SAMPLE_GUESSED);
}

static void on_sample(struct pipeline *p, const struct record *r)
{
	if (!is_wanted(p, r->tid) || r->event >= p->states.len)
		return;
	struct event_state *event = &p->states.data[r->event];
	struct task_thread *t = task_find(p->tasks, r->pid, r->tid, r->time_ns);
	if (r->pid && r->pid == p->launched_pid)
		t->launched = true;
	struct stacks_result stack;
	if (p->codes)
		codes_advance(p->codes, r->time_ns);
	stacks_resolve(p->stacks, t, r, &stack);
	struct profile_sample row = {
		.time_ns = r->time_ns,
		.leaf_address = stack.leaf_address,
		.weight = weight_of(p, r),
		.task = rows_thread(&p->rows, t),
		.node = stack.node,
		.leaf_module = stack.leaf_module,
		.cpu = (uint16_t)(r->cpu == UINT32_MAX ? 0 : r->cpu),
		.event = (uint16_t)event->row,
		.end = stack.end,
		.flags = stack.flags,
	};
	profile_writer_add_sample(p->writer, &row);
	if (event->accounts)
		accounts_sample(event->accounts, t, row.weight);
	p->stats.samples++;
	count_first(p, r, &stack);
	if (!p->stats.first_ns)
		p->stats.first_ns = r->time_ns;
	p->stats.last_ns = r->time_ns;
}

static void on_mmap(struct pipeline *p, const struct record *r)
{
	const struct record_mmap *m = &r->u.mmap;
	if (m->is_data || (m->has_prot && !(m->prot & 4)) || r->pid == UINT32_MAX ||
	    !is_wanted(p, r->tid))
		return;
	struct task_map_info info = {
		.start = m->start,
		.length = m->length,
		.file_offset = m->file_offset,
		.path = m->path,
		.build_id = m->build_id_len ? m->build_id : NULL,
		.build_id_len = m->build_id_len,
		.dev_major = m->maj,
		.dev_minor = m->min,
		.inode = m->ino,
		.executable = true,
	};
	task_map(p->tasks, r->pid, r->tid, &info, r->time_ns);
}

static void on_fork(struct pipeline *p, const struct record *r)
{
	if (p->has_only && is_wanted(p, r->u.fork.parent_tid))
		hmap_put(&p->only, r->tid, 1);
	task_fork(p->tasks, r->pid, r->tid, r->u.fork.parent_pid, r->u.fork.parent_tid, r->time_ns);
}

static void on_read(struct pipeline *p, const struct record *r)
{
	if (r->event >= p->states.len || !p->states.data[r->event].accounts)
		return;
	struct task_thread *t = task_find(p->tasks, r->pid, r->tid, r->time_ns);
	accounts_read(p->states.data[r->event].accounts, t, r->u.read.value, r->time_ns);
}

static void on_throttle(struct pipeline *p, const struct record *r)
{
	if (r->event >= p->states.len)
		return;
	struct event_state *e = &p->states.data[r->event];
	if (r->kind == RECORD_THROTTLE) {
		p->stats.throttle_count++;
		e->throttled_since_ns = r->time_ns;
	} else if (e->throttled_since_ns) {
		p->stats.throttled_ns += r->time_ns - e->throttled_since_ns;
		e->throttled_since_ns = 0;
	}
}

/* The kernel writes code: BPF programs, and trampolines of its own. */
static void on_kernel_symbol(struct pipeline *p, const struct record *r)
{
	char name[320];
	bool is_bpf = r->u.ksymbol.type == KSYMBOL_BPF;
	uint64_t start = r->u.ksymbol.address, size = r->u.ksymbol.length;
	if (!p->kernel_code)
		return;
	snprintf(name, sizeof(name), "%.300s%s", r->u.ksymbol.name, is_bpf ? " [bpf]" : "");
	if (!(r->u.ksymbol.flags & KSYMBOL_UNREGISTER))
		kernel_code_appears(p->kernel_code, start, size, name);
	else if (kernel_code_ends(p->kernel_code, start, size, name))
		names_kernel_code_ended(p->names, task_kernel_module(p->tasks), start, size, name);
}

/* LOST counts every kind of record; nearly all are samples of the first event. The exact number
 * comes at the end. */
static void on_lost(struct pipeline *p, uint64_t count)
{
	p->stats.lost_records += count;
	if (p->states.len && p->states.data[0].accounts)
		accounts_lost(p->states.data[0].accounts, count);
}

void pipeline_record(struct pipeline *p, const struct record *r, bool wide)
{
	if (wide != p->wide && r->kind == RECORD_SAMPLE && r->event == 0)
		return;
	switch (r->kind) {
	case RECORD_SAMPLE:
		on_sample(p, r);
		break;
	case RECORD_MMAP:
		on_mmap(p, r);
		break;
	case RECORD_COMM:
		task_comm(p->tasks, r->pid, r->tid, r->u.comm.name, r->u.comm.is_exec, r->time_ns);
		break;
	case RECORD_FORK:
		on_fork(p, r);
		break;
	case RECORD_EXIT:
		hmap_remove(&p->only, r->tid);
		task_exit(p->tasks, r->pid, r->tid, r->time_ns);
		break;
	case RECORD_READ:
		on_read(p, r);
		break;
	case RECORD_LOST:
		on_lost(p, r->u.lost.count);
		break;
	case RECORD_KSYMBOL:
		on_kernel_symbol(p, r);
		break;
	case RECORD_THROTTLE:
	case RECORD_UNTHROTTLE:
		on_throttle(p, r);
		break;
	default:
		break;
	}
}

/* ---- time passing ---- */

static bool epoch_is_due(const struct pipeline *p, uint64_t now_ns)
{
	uint64_t age = now_ns - p->epoch_start_ns;
	return age > EPOCH_MAX_NS ||
	       (age > EPOCH_MIN_NS && profile_writer_epoch_bytes(p->writer) > EPOCH_BYTES);
}

static int new_epoch(struct pipeline *p, uint64_t now_ns, struct error *err)
{
	if (p->codes)
		codes_end_epoch(p->codes);
	int result = profile_writer_begin_epoch(p->writer, err);
	rows_new_epoch(&p->rows);
	stacks_new_epoch(p->stacks);
	if (p->names) {
		names_new_epoch(p->names);
		kernel_code_new_epoch(p->kernel_code);
	}
	write_header_rows(p);
	p->epoch_start_ns = now_ns;
	return result;
}

/* Files whose names are incomplete because they are damaged. */
static void say_damage(struct pipeline *p)
{
	for (const char *text; (text = names_next_damage(p->names));) {
		pipeline_note(p, text);
		log_message(LOG_NOTICE, "%s", text);
	}
}

static int end_epoch_when_due(struct pipeline *p, uint64_t now_ns, struct error *err)
{
	if (!p->epoch_start_ns)
		p->epoch_start_ns = now_ns;
	if (!epoch_is_due(p, now_ns))
		return 0;
	/* Names belong to this epoch's ids: it lasts until the last batch is back. */
	if (p->names) {
		if (names_collect(p->names, p->tasks) == 0 && p->names_due_ns != UINT64_MAX) {
			names_submit(p->names);
			p->names_due_ns = UINT64_MAX; /* submit nothing more in this epoch */
		}
		if (names_collect(p->names, p->tasks) > 0)
			return 0;
	}
	p->names_due_ns = now_ns + NAMES_NS;
	return new_epoch(p, now_ns, err);
}

void pipeline_look(struct pipeline *p, uint64_t now_ns)
{
	if (p->codes)
		codes_look(p->codes, now_ns);
}

int pipeline_tick(struct pipeline *p, uint64_t now_ns, struct error *err)
{
	for (size_t i = 0; i < p->states.len; i++) {
		if (p->states.data[i].accounts)
			accounts_settle(p->states.data[i].accounts, p->stats.last_ns);
	}
	/* What the records since the last look want: who runs it may end before the next one. */
	if (p->codes)
		codes_copy_wanted(p->codes);
	if (p->names) {
		names_collect(p->names, p->tasks);
		say_damage(p);
		if (now_ns >= p->names_due_ns) {
			if (p->names_due_ns)
				names_submit(p->names);
			p->names_due_ns = now_ns + NAMES_NS;
		}
	}
	int result = end_epoch_when_due(p, now_ns, err);
	if (now_ns >= p->flush_due_ns) {
		p->flush_due_ns = now_ns + FLUSH_NS;
		result |= profile_writer_flush(p->writer, err);
	}
	return result;
}

int pipeline_flush(struct pipeline *p, struct error *err)
{
	return profile_writer_flush(p->writer, err);
}

void pipeline_clock(struct pipeline *p, const struct profile_clock *c)
{
	profile_writer_add_clock(p->writer, c);
}

void pipeline_get_stats(const struct pipeline *p, struct pipeline_stats *out)
{
	struct stacks_stats s;
	stacks_get_stats(p->stacks, &s);
	*out = p->stats;
	out->stacks = s.stacks;
	out->guessed = s.guessed;
	out->truncated = s.truncated;
	out->elsewhere = s.elsewhere;
	out->has_go = s.has_go;
}

/* ---- the end ---- */

static void account_event(struct pipeline *p, size_t i, const struct pipeline_end *end)
{
	struct event_state *e = &p->states.data[i];
	e->exact_total = end->exact_totals ? end->exact_totals[i] : 0;
	struct accounts_end a = {
		.exact_total = e->exact_total,
		.lost_samples = i == 0 ? end->lost_samples : 0,
		.throttled_ns = i == 0 ? p->stats.throttled_ns : 0,
		.rusage_ns = p->events.data[i].unit == UNIT_NS ? end->rusage_ns : 0,
		.roots = end->roots,
		.root_count = end->root_count,
		.root_event = (uint32_t)i,
		.time_ns = end->end_ns,
	};
	if (e->accounts)
		e->total = accounts_finish(e->accounts, &a);
	struct profile_event row = event_row(p, i);
	profile_writer_update_event(p->writer, e->row, &row);
}

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_usec * 1000ull;
}

/* Samples of the first event, with those that the rows of what was not sampled stand for; 0: not
 * known. */
static uint64_t samples_due(const struct pipeline *p)
{
	if (!p->states.len || !p->states.data[0].accounts || !p->events.data[0].period)
		return 0;
	const struct event_state *e = &p->states.data[0];
	uint64_t sampled = accounts_sampled(e->accounts);
	/* Counts of tracepoints may miss what fires while a task is switched away. */
	if (!e->exact_total || (p->events.data[0].unit != UNIT_NS && e->exact_total < sampled))
		return 0;
	return p->stats.samples_first + (e->total - sampled) / p->events.data[0].period;
}

static void write_health(struct pipeline *p, const struct pipeline_end *end)
{
	struct stacks_stats s;
	struct rusage own;
	getrusage(RUSAGE_SELF, &own);
	stacks_get_stats(p->stacks, &s);
	bool is_counted = end->exact_totals && p->states.len && p->states.data[0].exact_total;
	uint64_t exact = is_counted ? p->states.data[0].total : 0;
	uint64_t span = p->stats.last_ns - p->stats.first_ns;
	bool is_clock = p->events.len && p->events.data[0].unit == UNIT_NS;
	struct profile_health h = {
		.due = samples_due(p),
		.lost_kernel = end->lost_samples,
		.lost_own = end->lost_own,
		.lost_records = end->lost_records,
		.throttled_ns = p->stats.throttled_ns,
		.throttle_count = p->stats.throttle_count,
		.requested_rate = p->config.requested_hz,
		.effective_rate_mhz =
			is_clock && exact
				? (uint64_t)((double)p->stats.samples_first * 1e12 / (double)exact)
			: span ? (uint64_t)((double)p->stats.samples_first * 1e12 / (double)span)
			       : 0,
		.prof_cpu_ns =
			end->other_cpu_ns + timeval_ns(own.ru_utime) + timeval_ns(own.ru_stime),
		.prof_max_rss_bytes = (uint64_t)own.ru_maxrss * 1024,
		.target_cpu_ns = is_clock ? exact : 0,
		.out_of_order = end->out_of_order,
		.ring_bytes = end->ring_bytes,
		.stack_bytes = end->stack_bytes,
		.openers_killed = end->openers_killed,
		.detached = end->detached,
		.stacks_checked = s.checked,
		.stacks_agreed = s.agreed,
		.complete = !end->is_cut,
	};
	p->stats.health = h;
	profile_writer_set_health(p->writer, &h);
	if (end->is_cut)
		profile_writer_set_incomplete(p->writer);
}

static void note_gave_up(struct pipeline *p)
{
	char text[400];
	snprintf(text, sizeof(text),
		 "naming functions of %.300s took too long: names are missing from there on",
		 names_gave_up(p->names));
	pipeline_note(p, text);
	log_message(LOG_NOTICE, "%s", text);
}

bool pipeline_gave_up(const struct pipeline *p)
{
	return p->names && names_gave_up(p->names);
}

int pipeline_finish(struct pipeline *p, const struct pipeline_end *end, struct error *err)
{
	for (size_t i = 0; i < p->states.len; i++)
		account_event(p, i, end);
	int result = profile_writer_flush(p->writer, err);
	if (p->names) {
		codes_finish(p->codes);
		names_finish(p->names, p->tasks);
		say_damage(p);
		if (!names_gave_up(p->names))
			names_add_excerpts(p->names, p->tasks);
		if (names_gave_up(p->names))
			note_gave_up(p);
	}
	if (p->config.imported)
		p->config.run.start_ns = p->stats.first_ns;
	p->config.run.end_ns = end->end_ns;
	p->config.run.cpu_busy_ns = end->cpu_busy_ns;
	p->config.run.cpu_steal_ns = end->cpu_steal_ns;
	p->config.run.exit_status = end->exit_status;
	struct profile_run run = run_row(p);
	profile_writer_update_run(p->writer, p->run_row, &run);
	write_health(p, end);
	result |= profile_writer_finish(p->writer, err);
	return result ? -1 : 0;
}
