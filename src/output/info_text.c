/* prof info as text. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "analysis/frames.h"
#include "analysis/origin.h"
#include "base/text.h"
#include "output/info.h"
#include "output/show.h"

#define MOST_TASKS   ((size_t)20)
#define MOST_MODULES ((size_t)30)

static void add_string(struct bytes *out, const struct profile *p, uint32_t id)
{
	text_append_printable(out, profile_str(p, id), strlen(profile_str(p, id)));
}

/* "label      text\n", nothing when the text is empty. */
static void add_field(struct bytes *out, const char *label, const char *text)
{
	if (!*text)
		return;
	bytes_printf(out, "%-10s ", label);
	text_append_printable(out, text, strlen(text));
	bytes_u8(out, '\n');
}

static void add_exit(struct bytes *out, int32_t status)
{
	if (status == -1)
		return;
	if (WIFSIGNALED(status))
		bytes_printf(out, "%-10s by signal %d\n", "ended", WTERMSIG(status));
	else
		bytes_printf(out, "%-10s status %d\n", "ended", WEXITSTATUS(status));
}

static void add_run(struct bytes *out, const struct profile *p, const struct profile_run *run)
{
	char when[40], length[32];

	add_field(out, "command", profile_str(p, run->command));
	if (run->start_realtime_ns)
		add_field(out, "recorded", info_time(when, sizeof(when), run->start_realtime_ns));
	if (run->end_ns > run->start_ns)
		add_field(out, "lasted",
			  text_duration(length, sizeof(length), run->end_ns - run->start_ns));
	add_exit(out, run->exit_status);
	add_field(out, "by", profile_str(p, run->tool));
	add_field(out, "clock", profile_str(p, run->clock));
}

static void add_machine(struct bytes *out, const struct profile *p, const struct profile_machine *m)
{
	struct bytes text = { 0 };
	const uint32_t parts[] = { m->hostname, m->architecture, m->cpu_model };

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		if (parts[i])
			bytes_printf(&text, "%s%s", text.len ? ", " : "", profile_str(p, parts[i]));
	}
	if (m->cpu_count)
		bytes_printf(&text, "%s%" PRIu32 " %s", text.len ? ", " : "", m->cpu_count,
			     m->cpu_count == 1 ? "CPU" : "CPUs");
	if (m->kernel_release)
		bytes_printf(&text, "%sLinux %s", text.len ? ", " : "",
			     profile_str(p, m->kernel_release));
	bytes_u8(&text, '\0');
	add_field(out, "machine", (const char *)text.data);
	bytes_release(&text);
}

static void add_sizes(struct bytes *out, const struct profile *p)
{
	char ring[32], stack[32];

	if (p->health.ring_bytes)
		bytes_printf(out, "%-10s %s per CPU\n", "ring",
			     text_bytes(ring, sizeof(ring), p->health.ring_bytes));
	if (p->health.stack_bytes)
		bytes_printf(out, "%-10s %s per sample\n", "stack copy",
			     text_bytes(stack, sizeof(stack), p->health.stack_bytes));
}

/* "1 sample", "2 000 samples", then the rest of the words. */
static void add_count(struct bytes *out, const char *one, const char *many, const char *rest,
		      uint64_t n)
{
	char buf[32];

	bytes_printf(out, "%s %s%s", text_count(buf, sizeof(buf), n), n == 1 ? one : many, rest);
}

/* What another tool has summed up are no samples. */
static void add_samples(struct bytes *out, const struct profile *p, const char *rest, uint64_t n)
{
	if (p->is_summed)
		add_count(out, "stack", "stacks", rest, n);
	else
		add_count(out, "sample", "samples", rest, n);
}

static const char *samples_title(const struct profile *p)
{
	return p->is_summed ? "STACKS" : "SAMPLES";
}

/* Rows may have more than the counter: what the kernel counts only for a command as a whole. */
static void add_counted(struct bytes *out, const struct profile_event *e, uint64_t weight)
{
	if (!e->exact_total)
		return;
	bytes_printf(out, weight > e->exact_total ? "; the counter has " : " of exactly ");
	show_weight(out, e->unit, e->exact_total);
}

static void add_sampled(struct bytes *out, const struct info *info, uint32_t id)
{
	const struct profile_event *e = &info->profile->events.data[id];

	add_samples(out, info->profile, ", ", info->events[id].samples);
	show_weight(out, e->unit, info->events[id].weight);
	add_counted(out, e, info->events[id].weight);
}

/* Of a group: what was counted between samples; what came after the last ones is not in it. */
static void add_member(struct bytes *out, const struct info *info, uint32_t id)
{
	const struct profile *p = info->profile;
	const struct profile_event *e = &p->events.data[id];
	uint32_t leader = profile_leader(p, id);

	bytes_printf(out, "counted with the samples of ");
	add_string(out, p, p->events.data[leader].name);
	bytes_printf(out, ", ");
	show_weight(out, e->unit, profile_counted(p, id));
	add_counted(out, e, 0);
}

static void add_event(struct bytes *out, const struct info *info, uint32_t id)
{
	const struct profile_event *e = &info->profile->events.data[id];
	char hz[32];

	bytes_printf(out, "  ");
	add_string(out, info->profile, e->name);
	if (e->frequency && (!e->period || e->unit == UNIT_NS))
		bytes_printf(out, " at %s Hz", text_count(hz, sizeof(hz), e->frequency));
	if (e->period) {
		bytes_printf(out, ", every ");
		show_weight(out, e->unit, e->period);
	}
	bytes_printf(out, ": ");
	if (profile_leader(info->profile, id) != id)
		add_member(out, info, id);
	else
		add_sampled(out, info, id);
	if (e->flags & EVENT_EXCLUDES_KERNEL)
		bytes_printf(out, ", without the kernel");
	if (e->flags & EVENT_EXCLUDES_USER)
		bytes_printf(out, ", without user code");
	if (e->flags & EVENT_SYSTEM_WIDE)
		bytes_printf(out, ", all tasks of the machine");
	bytes_u8(out, '\n');
}

static void add_title(struct bytes *out, const char *title, size_t count)
{
	char buf[32];

	bytes_printf(out, "\n%s (%s)\n", title, text_count(buf, sizeof(buf), count));
}

static void add_events(struct bytes *out, const struct info *info)
{
	add_title(out, "events", info->profile->events.len);
	for (uint32_t i = 0; i < info->profile->events.len; i++)
		add_event(out, info, i);
}

static void add_more(struct bytes *out, const struct profile *p, size_t count, size_t shown)
{
	char buf[32];

	if (count <= shown)
		return;
	bytes_printf(out, "  %s more: prof info --json",
		     text_count(buf, sizeof(buf), count - shown));
	origin_append(out, p, " ");
	bytes_u8(out, '\n');
}

static void add_tasks(struct bytes *out, const struct info *info)
{
	const struct profile *p = info->profile;

	add_title(out, "tasks", p->tasks.len);
	if (p->tasks.len)
		bytes_printf(out, "  %8s %8s %10s  %s\n", "PID", "TID", samples_title(p),
			     "COMMAND");
	for (size_t i = 0; i < p->tasks.len && i < MOST_TASKS; i++) {
		const struct profile_task *t = &p->tasks.data[info->tasks[i].id];
		char samples[32];
		bytes_printf(out, "  %8" PRIu32 " %8" PRIu32 " %10s  ", t->pid, t->tid,
			     text_count(samples, sizeof(samples), info->tasks[i].samples));
		const char *comm = frame_comm(p, info->tasks[i].id);
		text_append_printable(out, comm, strlen(comm));
		if (t->flags & TASK_FOREIGN_PIDNS)
			bytes_printf(out, " (outside the recorder's pid namespace)");
		bytes_u8(out, '\n');
	}
	add_more(out, p, p->tasks.len, MOST_TASKS);
}

static void add_module(struct bytes *out, const struct profile *p, const struct info_use *use)
{
	const struct profile_module *m = &p->modules.data[use->id];
	const char *path = profile_str(p, m->path);
	char samples[32];

	bytes_printf(out, "  %10s  %-15s ", text_count(samples, sizeof(samples), use->samples),
		     m->kind == MODULE_SYNTHETIC ? "" : module_symbols_name(m->symbols));
	text_append_printable(out, *path ? path : module_kind_name(m->kind),
			      strlen(*path ? path : module_kind_name(m->kind)));
	bytes_printf(out, "%s\n", m->flags & MODULE_DELETED ? " (deleted or replaced since)" : "");
	if (m->build_id) {
		bytes_printf(out, "%*s%s ", 29, "", info_identity_name(m->identity));
		add_string(out, p, m->build_id);
		bytes_u8(out, '\n');
	}
	if (m->debug_path) {
		bytes_printf(out, "%*snames from ", 29, "");
		add_string(out, p, m->debug_path);
		bytes_u8(out, '\n');
	}
	if (m->note) {
		bytes_printf(out, "%*s", 29, "");
		add_string(out, p, m->note);
		bytes_u8(out, '\n');
	}
}

static void add_modules(struct bytes *out, const struct info *info)
{
	const struct profile *p = info->profile;

	add_title(out, "modules", p->modules.len);
	if (p->modules.len)
		bytes_printf(out, "  %10s  %-15s %s\n", samples_title(p), "NAMES FROM", "FILE");
	for (size_t i = 0; i < p->modules.len && i < MOST_MODULES; i++) {
		const struct info_use *use = &info->modules[i];
		/* Rows for what was not seen count when there was any. */
		if (p->modules.data[use->id].kind != MODULE_SYNTHETIC || use->weight)
			add_module(out, p, use);
	}
	add_more(out, p, p->modules.len, MOST_MODULES);
}

static void add_tables(struct bytes *out, const struct profile *p)
{
	bytes_printf(out, "\ncontents\n  ");
	add_samples(out, p, ", ", p->samples.len);
	add_count(out, "stack node", "stack nodes", ", ", p->nodes.len);
	add_count(out, "function", "functions", ", ", p->functions.len);
	add_count(out, "address with a name", "addresses with names", "\n  ", p->locations.len);
	add_count(out, "mapping", "mappings", ", ", p->mappings.len);
	add_count(out, "code excerpt", "code excerpts", ", ", p->code.len);
	add_count(out, "source excerpt", "source excerpts", ", ", p->sources.len);
	add_count(out, "string", "strings", "\n", p->strings.strings.len);
}

static void add_notes(struct bytes *out, const struct profile *p)
{
	if (p->notes.len)
		add_title(out, "notes", p->notes.len);
	for (size_t i = 0; i < p->notes.len; i++) {
		bytes_printf(out, "  ");
		add_string(out, p, p->notes.data[i]);
		bytes_u8(out, '\n');
	}
}

static void add_health(struct bytes *out, const struct info *info)
{
	struct show s = { .out = out, .unicode = info->unicode };
	struct bytes text = { 0 };

	health_format(&info->health, info->profile, &text);
	show_text(&s, (const char *)text.data, text.len);
	bytes_release(&text);
}

void info_print_text(struct bytes *out, const struct info *info)
{
	const struct profile *p = info->profile;

	for (size_t i = 0; i < p->runs.len; i++)
		add_run(out, p, &p->runs.data[i]);
	for (size_t i = 0; i < p->machines.len; i++)
		add_machine(out, p, &p->machines.data[i]);
	add_sizes(out, p);
	add_health(out, info);
	add_events(out, info);
	add_tasks(out, info);
	add_modules(out, info);
	add_tables(out, p);
	add_notes(out, p);
}
