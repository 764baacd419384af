/* Opening every event on every place, as groups, and what to think of a refusal. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "count/perf_parts.h"

enum outcome { OPENED, REFUSED, GONE, FAILED };

static const struct event_spec *spec_at(const struct perf_source *s, uint32_t i)
{
	return &s->options->events->items.data[i];
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* ---- the plan ---- */

/* Several PMUs of one kind count parts of the same: one event for the user. */
static bool is_instance_of(const struct event_spec *a, const struct event_spec *b)
{
	return a->no_task && b->no_task && a->asked == b->asked &&
	       same_text(a->asked_name, b->asked_name);
}

static uint32_t find_slot(struct perf_source *s, uint32_t spec)
{
	for (uint32_t i = 0; i < s->slots.len; i++)
		if (is_instance_of(s->slots.data[i].spec, spec_at(s, spec)))
			return i;
	struct perf_slot slot = {
		.spec = spec_at(s, spec),
		.optional = spec >= s->options->optional_from && spec < s->options->optional_to,
		.index = -1,
	};
	vec_push(&s->slots, slot);
	return (uint32_t)s->slots.len - 1;
}

/* Software events join whatever group they were asked for with; a PMU's events those of that PMU.
 */
static bool may_join(const struct perf_unit *unit, const struct event_spec *spec)
{
	return unit->group == spec->group &&
	       (!spec->pmu || !unit->pmu || same_text(unit->pmu, spec->pmu));
}

static uint32_t find_unit(struct perf_source *s, const struct event_spec *spec)
{
	for (uint32_t i = 0; spec->group && i < s->units.len; i++) {
		struct perf_unit *unit = &s->units.data[i];
		if (!may_join(unit, spec) || unit->specs.len == EVENT_GROUP_MAX)
			continue;
		unit->pmu = unit->pmu ? unit->pmu : spec->pmu;
		return i;
	}
	struct perf_unit unit = { .group = spec->group, .pmu = spec->pmu };
	vec_push(&s->units, unit);
	return (uint32_t)s->units.len - 1;
}

void perf_plan(struct perf_source *s)
{
	for (uint32_t i = 0; i < s->options->events->items.len; i++) {
		const struct event_spec *spec = spec_at(s, i);
		struct event_cpus cpus = { 0 };
		uint32_t slot = find_slot(s, i), unit = find_unit(s, spec);
		if (spec->cpus)
			event_cpus_parse(&cpus, spec->cpus);
		vec_push(&s->slot_of, slot);
		vec_push(&s->cpus_of, cpus);
		vec_push(&s->units.data[unit].specs, i);
		s->slots.data[slot].unit = unit;
	}
}

/* ---- refusals ---- */

static bool is_permission(int errnum)
{
	return errnum == EACCES || errnum == EPERM;
}

static enum counter_state state_of(int errnum)
{
	if (is_permission(errnum))
		return COUNTER_REFUSED;
	if (errnum == EBUSY || errnum == ENOSPC || errnum == ENOMEM)
		return COUNTER_NOT_COUNTED;
	return COUNTER_NOT_SUPPORTED;
}

static void refuse(struct perf_slot *slot, enum counter_state state, int errnum, const char *reason)
{
	slot->refused = state;
	slot->errnum = errnum;
	free(slot->reason);
	slot->reason = xstrdup(reason);
}

static enum outcome explain_limit(int errnum, struct error *err)
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	if (errnum == ENFILE)
		error_set(err, ERROR_LIMIT,
			  "too many open files on this machine; `sudo sysctl fs.file-max=1000000`");
	else
		error_set(
			err, ERROR_LIMIT,
			"%llu open files do not suffice for these tasks, CPUs and events: raise it "
			"with `ulimit -n`, ask for fewer events (-e), or count the whole machine (-a)",
			(unsigned long long)limit.rlim_max);
	return FAILED;
}

/* The first generic event that does not exist tells about all of them. */
static void leave_out(struct perf_source *s, struct perf_slot *slot, int errnum)
{
	slot->dropped = true;
	slot->errnum = errnum;
	if (errnum == ENOENT && event_is_hardware(slot->spec) &&
	    strncmp(slot->spec->name, "cycles", 6) == 0)
		s->no_pmu = true;
}

static enum outcome on_refusal(struct perf_source *s, struct perf_slot *slot, int errnum,
			       struct error *err)
{
	char reason[512];

	if (errnum == ESRCH)
		return GONE;
	if (errnum == EMFILE || errnum == ENFILE)
		return explain_limit(errnum, err);
	if (errnum == ENODEV && slot->opened) /* this CPU is not online */
		return REFUSED;
	if (slot->optional && !slot->opened) {
		leave_out(s, slot, errnum);
		return REFUSED;
	}
	event_why_not_counted(errnum, slot->spec, reason, sizeof(reason));
	refuse(slot, state_of(errnum), errnum, reason);
	return REFUSED;
}

/* Nothing of this place can be counted. */
static enum outcome on_refused_place(int errnum, struct error *err)
{
	if (errnum == ESRCH)
		return GONE;
	if (errnum == EMFILE || errnum == ENFILE)
		return explain_limit(errnum, err);
	return OPENED; /* the events themselves will say why */
}

/* It would open without the kernel's part, and read 0 for ever. */
static void refuse_kernel(struct perf_slot *slot)
{
	char reason[512];

	event_why_not_counted(EACCES, slot->spec, reason, sizeof(reason));
	refuse(slot, COUNTER_REFUSED, EACCES, reason);
}

/* What can be told without asking the kernel. */
static bool is_out_of_place(struct perf_source *s, struct perf_slot *slot, pid_t pid)
{
	const struct event_spec *spec = slot->spec;

	if (spec->no_task && pid >= 0) {
		if (!slot->errnum)
			refuse(slot, COUNTER_NOT_SUPPORTED, EINVAL,
			       "it counts a whole machine, not single tasks: add -a");
		return true;
	}
	if (event_is_kernel_only(spec) && spec->exclude_kernel) {
		if (!slot->errnum)
			refuse(slot, COUNTER_NOT_SUPPORTED, EINVAL,
			       "it happens in the kernel only, which :u leaves out");
		return true;
	}
	if ((event_is_kernel_only(spec) || spec->exclude_user) && s->user_only) {
		if (!slot->errnum)
			refuse_kernel(slot);
		return true;
	}
	if (s->no_pmu && slot->optional && event_is_hardware(spec))
		slot->dropped = true;
	return slot->dropped || slot->errnum;
}

/* ---- opening ---- */

struct event_counting perf_how_to_open(const struct perf_source *s, bool grouped, bool leads)
{
	return (struct event_counting){
		.inherit = s->how.inherit,
		.disabled = leads,
		.enable_on_exec = leads && s->how.enable_on_exec,
		.exclude_kernel = s->user_only,
		.grouped = grouped && !s->no_group_reads,
		.exact_at_exit = s->threads != NULL,
	};
}

static int open_one(struct perf_source *s, const struct event_spec *spec, bool grouped, int leader,
		    const struct count_place *at)
{
	struct event_counting how = perf_how_to_open(s, grouped, leader < 0);

	how.track = how.never_swapped = s->threads && spec == &event_dummy;
	int fd = event_open_counter(spec, &how, leader, at->pid, at->cpu);

	if (fd < 0 && errno == EINVAL && how.never_swapped) {
		how.never_swapped = false;
		s->may_be_swapped = true;
		return event_open_counter(spec, &how, leader, at->pid, at->cpu);
	}
	if (fd >= 0 || errno != EINVAL || !how.grouped || !how.inherit)
		return fd;
	/* Before Linux 4.13 inherited counters could not be read as a group. */
	how.grouped = false;
	fd = event_open_counter(spec, &how, leader, at->pid, at->cpu);
	s->no_group_reads |= fd >= 0;
	return fd;
}

/* Where the kernel's part is the obstacle, without it, and so from now on. */
static int open_permitted(struct perf_source *s, const struct event_spec *spec, bool grouped,
			  int leader, const struct count_place *at)
{
	int fd = open_one(s, spec, grouped, leader, at), errnum = errno;

	if (fd >= 0 || !is_permission(errnum) || s->user_only || spec->exclude_kernel ||
	    spec->exclude_user || event_is_kernel_only(spec))
		return fd;
	s->user_only = true;
	fd = open_one(s, spec, grouped, leader, at);
	s->user_only = fd >= 0;
	errno = fd >= 0 ? 0 : errnum;
	return fd;
}

/* Of this (task, CPU); one is enough for all its events. */
static enum outcome find_reference(struct perf_source *s, const struct count_place *at,
				   uint32_t *reference, struct error *err)
{
	struct perf_reference r = { .fd = -1 };

	*reference = PERF_NO_REFERENCE;
	if (at->pid < 0 || at->cpu < 0)
		return OPENED;
	if (s->reference_pid != at->pid || s->reference_cpu != at->cpu) {
		r.fd = open_permitted(s, &event_dummy, false, -1, at);
		if (r.fd < 0)
			return on_refused_place(errno, err);
		vec_push(&s->references, r);
		if (s->threads &&
		    (perf_threads_add_ring(s->threads, r.fd, err) < 0 ||
		     perf_threads_add_counter(s->threads, r.fd, PERF_THREADS_REFERENCE, err) < 0))
			return FAILED;
		s->reference_pid = at->pid;
		s->reference_cpu = at->cpu;
	}
	*reference = (uint32_t)s->references.len - 1;
	return OPENED;
}

static void add_counter(struct perf_source *s, uint32_t slot, uint32_t row, int fd,
			uint32_t reference)
{
	struct perf_counter c = {
		.fd = fd, .slot = slot, .row = row, .members = 1, .reference = reference
	};
	struct perf_slot *of = &s->slots.data[slot];

	of->opened = true;
	of->user_only = s->user_only && !of->spec->exclude_kernel;
	vec_push(&s->counters, c);
}

static bool is_here(const struct perf_source *s, uint32_t spec, const struct count_place *at)
{
	const struct event_cpus *cpus = &s->cpus_of.data[spec];

	return at->cpu < 0 || cpus->items.len == 0 || event_cpus_have(cpus, (uint32_t)at->cpu);
}

/* The unit's events that go together (or those that must be alone), on one place. */
static enum outcome open_members(struct perf_source *s, const struct perf_unit *unit, bool alone,
				 const struct count_place *at, struct error *err)
{
	size_t first = s->counters.len;
	uint32_t reference;
	int leader = -1;

	enum outcome place = find_reference(s, at, &reference, err);
	if (place != OPENED)
		return place;
	for (size_t i = 0; i < unit->specs.len; i++) {
		uint32_t spec = unit->specs.data[i], slot = s->slot_of.data[spec];
		struct perf_slot *of = &s->slots.data[slot];
		if (of->alone != alone || is_out_of_place(s, of, at->pid) || !is_here(s, spec, at))
			continue;
		bool grouped = !alone && unit->specs.len > 1;
		int fd = open_permitted(s, spec_at(s, spec), grouped, leader, at);
		if (fd < 0 && leader >= 0 && errno == EINVAL) {
			of->alone = true; /* its turn comes */
			continue;
		}
		enum outcome outcome = fd < 0 ? on_refusal(s, of, errno, err) : OPENED;
		if (outcome == GONE || outcome == FAILED)
			return outcome;
		if (outcome == REFUSED)
			continue;
		add_counter(s, slot, at->row, fd, reference);
		if (s->threads && perf_threads_add_counter(s->threads, fd, slot, err) < 0)
			return FAILED;
		leader = grouped && leader < 0 ? fd : leader;
	}
	if (leader >= 0 && !s->no_group_reads) {
		s->counters.data[first].members = (uint32_t)(s->counters.len - first);
		s->counters.data[first].grouped = true;
	}
	return OPENED;
}

static enum outcome open_place(struct perf_source *s, const struct count_place *at,
			       struct error *err)
{
	for (size_t i = 0; i < s->units.len; i++) {
		for (int alone = 0; alone <= 1; alone++) {
			enum outcome outcome = open_members(s, &s->units.data[i], alone, at, err);
			if (outcome == GONE || outcome == FAILED)
				return outcome;
		}
	}
	return OPENED;
}

static void note_alone(struct perf_source *s)
{
	for (size_t i = 0; i < s->slots.len; i++)
		if (s->slots.data[i].alone && s->slots.data[i].opened)
			perf_source_note(s,
					 "%s does not fit into its group: it is counted by itself, "
					 "not at the same time",
					 s->slots.data[i].spec->name);
}

static void note_left_out(struct perf_source *s)
{
	CLEANUP_FREE char *names = NULL;
	int errnum = 0;

	for (size_t i = 0; i < s->slots.len; i++) {
		const struct perf_slot *slot = &s->slots.data[i];
		if (!slot->dropped)
			continue;
		char *longer = xasprintf("%s%s%s", names ? names : "", names ? ", " : "",
					 slot->spec->name);
		free(names);
		names = longer;
		errnum = errnum ? errnum : slot->errnum;
	}
	if (!names)
		return;
	if (s->no_pmu)
		perf_source_note(s,
				 "no hardware counters here (a virtual machine without a PMU?): %s "
				 "are left out",
				 names);
	else if (is_permission(errnum))
		perf_source_note(s, "not permitted, and left out: %s (see `prof check`)", names);
	else
		perf_source_note(s, "this processor does not count, and they are left out: %s",
				 names);
}

/* Nothing at all, of what runs already: there is nothing to wait for. */
static int explain_nothing(const struct perf_source *s, const struct count_places *p,
			   struct error *err)
{
	char grant[160];

	for (size_t i = 0; i < s->slots.len; i++) {
		const struct perf_slot *slot = &s->slots.data[i];
		if (!is_permission(slot->errnum))
			continue;
		if (p->pids.len && s->options->pid_count + s->options->tid_count)
			return error_set(err, ERROR_PERMISSION,
					 "process %d belongs to another user or may not be traced; "
					 "use `sudo prof`, or `%s`",
					 (int)p->pids.data[0],
					 event_grant_command(grant, sizeof(grant)));
		return error_set(err, ERROR_PERMISSION, "nothing can be counted: %s",
				 slot->reason ? slot->reason : "not permitted");
	}
	return error_set(err, ERROR_UNSUPPORTED, "none of these events can be counted here: %s",
			 s->slots.len && s->slots.data[0].reason ? s->slots.data[0].reason
								 : "see `prof list`");
}

int perf_open_all(struct perf_source *s, const struct count_places *p, struct error *err)
{
	size_t gone = 0;

	for (size_t i = 0; i < p->items.len; i++) {
		enum outcome outcome = open_place(s, &p->items.data[i], err);
		if (outcome == FAILED)
			return -1;
		gone += outcome == GONE;
	}
	if (gone && gone == p->items.len)
		return error_set(err, ERROR_NOT_FOUND,
				 "the process ended before it could be counted");
	if (s->counters.len == 0 && !s->options->command)
		return explain_nothing(s, p, err);
	note_alone(s);
	if (s->may_be_swapped && event_kernel_mixes_tasks())
		perf_source_note(s, "this kernel (Linux 6.2 to 6.11) may mix up what different "
				    "events counted of threads: ask for one event only, or attach "
				    "with -p");
	note_left_out(s);
	return 0;
}
