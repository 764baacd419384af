/* Records in, profile out: what the parts work on, and the epochs of the file. */
#include "record/pipeline_parts.h"

#include "base/log.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

#define FLUSH_NS     400000000ull
#define NAMES_NS     3000000000ull
#define EPOCH_MIN_NS 20000000000ull
#define EPOCH_BYTES  (4u << 20)
#define EPOCH_MAX_NS 120000000000ull

static uint32_t str(struct pipeline *p, const char *s)
{
	return profile_writer_add_str(p->writer, s ? s : "");
}

struct profile_run pipeline_run_row(struct pipeline *p)
{
	struct profile_run row = p->config.run;
	row.command = str(p, p->config.command);
	row.clock = str(p, p->config.clock);
	row.tool = str(p, p->config.tool);
	row.machine = p->machine_row;
	return row;
}

struct profile_event pipeline_event_row(struct pipeline *p, size_t i)
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
		.group = e->group,
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
	struct profile_run run = pipeline_run_row(p);
	p->run_row = profile_writer_add_run(p->writer, &run);
	for (size_t i = 0; i < p->events.len; i++) {
		struct profile_event e = pipeline_event_row(p, i);
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

/* Clocks count a task's time in the kernel also where its samples are left out; other counters stop
 * there. */
static bool counts_hidden_kernel(const struct pipeline_event *e)
{
	return (e->flags & EVENT_EXCLUDES_KERNEL) && e->unit == UNIT_NS;
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
	pipeline_counters_init(p);
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
		const struct pipeline_event *e = &config->events[i];
		struct accounts_config a = { &p->rows, p->tasks, p->states.data[i].row, e->period,
					     counts_hidden_kernel(e) };
		if (!p->states.data[i].is_member)
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
	pipeline_counters_release(p);
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

void pipeline_launched(struct pipeline *p, uint32_t pid)
{
	p->launched_pid = pid;
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

void pipeline_say_damage(struct pipeline *p)
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
		pipeline_say_damage(p);
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
