/* prof info as JSON, schema "prof.info" version 2. */
#include "output/info.h"
#include "output/json.h"

#define SCHEMA_VERSION 2

static void add_string(struct json *j, const struct profile *p, const char *name, uint32_t id)
{
	json_string(j, name, profile_str(p, id));
}

static void add_runs(struct json *j, const struct profile *p)
{
	json_open_array(j, "runs");
	for (size_t i = 0; i < p->runs.len; i++) {
		const struct profile_run *r = &p->runs.data[i];
		json_open_object(j, NULL);
		add_string(j, p, "command", r->command);
		add_string(j, p, "tool", r->tool);
		add_string(j, p, "clock", r->clock);
		json_u64(j, "start_ns", r->start_ns);
		json_u64(j, "end_ns", r->end_ns);
		json_u64(j, "start_realtime_ns", r->start_realtime_ns);
		json_u64(j, "cpu_busy_ns", r->cpu_busy_ns);
		json_u64(j, "cpu_steal_ns", r->cpu_steal_ns);
		if (r->exit_status == -1)
			json_null(j, "wait_status");
		else
			json_i64(j, "wait_status", r->exit_status);
		json_close_object(j);
	}
	json_close_array(j);
}

static void add_machines(struct json *j, const struct profile *p)
{
	json_open_array(j, "machines");
	for (size_t i = 0; i < p->machines.len; i++) {
		const struct profile_machine *m = &p->machines.data[i];
		json_open_object(j, NULL);
		add_string(j, p, "hostname", m->hostname);
		add_string(j, p, "architecture", m->architecture);
		add_string(j, p, "cpu_model", m->cpu_model);
		json_u64(j, "cpus", m->cpu_count);
		add_string(j, p, "kernel", m->kernel_release);
		json_close_object(j);
	}
	json_close_array(j);
}

static void add_groups(struct json *j, const struct profile *p)
{
	json_open_array(j, "groups");
	for (size_t i = 0; i < p->groups.len; i++) {
		const struct profile_group *g = &p->groups.data[i];
		json_open_object(j, NULL);
		add_string(j, p, "event", p->events.data[g->event].name);
		json_string(j, "counters", counters_name(g->counters));
		json_u64(j, "known", g->known);
		json_u64(j, "first", g->first);
		json_u64(j, "backwards", g->backwards);
		json_u64(j, "impossible", g->impossible);
		json_u64(j, "enabled_ns", g->enabled_ns);
		json_u64(j, "running_ns", g->running_ns);
		json_close_object(j);
	}
	json_close_array(j);
}

static void add_events(struct json *j, const struct info *info)
{
	const struct profile *p = info->profile;

	json_open_array(j, "events");
	for (size_t i = 0; i < p->events.len; i++) {
		const struct profile_event *e = &p->events.data[i];
		json_open_object(j, NULL);
		add_string(j, p, "name", e->name);
		json_string(j, "unit", unit_name(e->unit));
		json_u64(j, "type", e->type);
		json_u64(j, "config", e->config);
		json_u64(j, "period", e->period);
		json_u64(j, "frequency", e->frequency);
		json_u64(j, "samples", info->events[i].samples);
		json_u64(j, "weight", info->events[i].weight);
		json_u64(j, "exact_total", e->exact_total);
		if (e->group) {
			json_u64(j, "group", e->group);
			json_u64(j, "counted", profile_counted(p, (uint32_t)i));
		}
		json_bool(j, "excludes_kernel", e->flags & EVENT_EXCLUDES_KERNEL);
		json_bool(j, "excludes_user", e->flags & EVENT_EXCLUDES_USER);
		json_bool(j, "system_wide", e->flags & EVENT_SYSTEM_WIDE);
		json_close_object(j);
	}
	json_close_array(j);
}

static void add_tasks(struct json *j, const struct info *info)
{
	const struct profile *p = info->profile;

	json_open_array(j, "tasks");
	for (size_t i = 0; i < p->tasks.len; i++) {
		const struct profile_task *t = &p->tasks.data[info->tasks[i].id];
		json_open_object(j, NULL);
		json_u64(j, "pid", t->pid);
		json_u64(j, "tid", t->tid);
		json_u64(j, "parent_pid", t->parent_pid);
		add_string(j, p, "comm", t->comm);
		json_u64(j, "start_ns", t->start_ns);
		json_u64(j, "end_ns", t->end_ns);
		json_u64(j, "samples", info->tasks[i].samples);
		json_u64(j, "weight", info->tasks[i].weight);
		json_bool(j, "launched", t->flags & TASK_LAUNCHED);
		json_bool(j, "foreign_pid_namespace", t->flags & TASK_FOREIGN_PIDNS);
		json_close_object(j);
	}
	json_close_array(j);
}

static void add_modules(struct json *j, const struct info *info)
{
	const struct profile *p = info->profile;

	json_open_array(j, "modules");
	for (size_t i = 0; i < p->modules.len; i++) {
		const struct profile_module *m = &p->modules.data[info->modules[i].id];
		json_open_object(j, NULL);
		add_string(j, p, "path", m->path);
		json_string(j, "kind", module_kind_name(m->kind));
		json_string(j, "identity", info_identity_name(m->identity));
		add_string(j, p, "build_id", m->build_id);
		json_string(j, "names", module_symbols_name(m->symbols));
		add_string(j, p, "debug_path", m->debug_path);
		add_string(j, p, "note", m->note);
		json_bool(j, "deleted", m->flags & MODULE_DELETED);
		json_u64(j, "samples", info->modules[i].samples);
		json_u64(j, "weight", info->modules[i].weight);
		json_close_object(j);
	}
	json_close_array(j);
}

static void add_health(struct json *j, const struct info *info)
{
	const struct health *h = &info->health;
	const struct profile_health *f = &info->profile->health;

	json_open_object(j, "health");
	json_u64(j, "due", h->due);
	json_u64(j, "delivered", h->delivered);
	json_u64(j, "ends_known", h->ends_known);
	json_u64(j, "whole", h->whole);
	json_u64(j, "guessed", h->guessed);
	json_u64(j, "read_later", h->later);
	json_u64(j, "unnamed_leaves", h->unnamed_leaves);
	json_u64(j, "lost_kernel", f->lost_kernel);
	json_u64(j, "lost_own", f->lost_own);
	json_u64(j, "lost_records", f->lost_records);
	json_u64(j, "throttle_count", f->throttle_count);
	json_u64(j, "throttled_ns", f->throttled_ns);
	json_u64(j, "requested_hz", f->requested_rate);
	json_u64(j, "effective_millihz", (uint64_t)(h->effective_hz * 1000 + 0.5));
	json_u64(j, "prof_cpu_ns", health_is_own(info->profile) ? f->prof_cpu_ns : 0);
	json_u64(j, "prof_max_rss_bytes", f->prof_max_rss_bytes);
	json_u64(j, "target_cpu_ns", f->target_cpu_ns);
	json_u64(j, "out_of_order", f->out_of_order);
	json_u64(j, "ring_bytes", f->ring_bytes);
	json_u64(j, "stack_bytes", f->stack_bytes);
	json_u64(j, "stacks_checked", f->stacks_checked);
	json_u64(j, "stacks_agreed", f->stacks_agreed);
	json_u64(j, "openers_killed", f->openers_killed);
	json_bool(j, "detached", f->detached);
	json_bool(j, "complete", f->complete);
	const char *purpose;
	char *remedy = health_remedy(h, info->profile, &purpose);
	if (remedy) {
		json_string(j, "remedy", remedy);
		json_string(j, "remedy_for", purpose);
	}
	free_ptr(&remedy);
	json_close_object(j);
}

static void add_tables(struct json *j, const struct profile *p)
{
	json_open_object(j, "contents");
	json_u64(j, "samples", p->samples.len);
	json_u64(j, "nodes", p->nodes.len);
	json_u64(j, "functions", p->functions.len);
	json_u64(j, "locations", p->locations.len);
	json_u64(j, "mappings", p->mappings.len);
	json_u64(j, "code_excerpts", p->code.len);
	json_u64(j, "source_excerpts", p->sources.len);
	json_u64(j, "strings", p->strings.strings.len);
	json_close_object(j);
}

void info_print_json(struct bytes *out, const struct info *info)
{
	struct json j;
	const struct profile *p = info->profile;

	json_begin(&j, out, 2);
	json_open_object(&j, NULL);
	json_string(&j, "schema", "prof.info");
	json_u64(&j, "version", SCHEMA_VERSION);
	add_runs(&j, p);
	add_machines(&j, p);
	add_health(&j, info);
	add_events(&j, info);
	if (info->profile->groups.len)
		add_groups(&j, info->profile);
	add_tasks(&j, info);
	add_modules(&j, info);
	add_tables(&j, p);
	json_open_array(&j, "notes");
	for (size_t i = 0; i < p->notes.len; i++)
		add_string(&j, p, NULL, p->notes.data[i]);
	json_close_array(&j);
	json_close_object(&j);
	json_end(&j);
}
