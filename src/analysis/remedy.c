/* What would mend a recording: one command to copy, with what the user had chosen. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/frames.h"
#include "analysis/health.h"
#include "analysis/origin.h"
#include "base/text.h"

#define COMMAND_SHOWN  ((size_t)400)
#define FEW_SAMPLES    ((uint64_t)100)
#define DEFAULT_HZ     ((uint64_t)997)
#define MORE_HZ	       ((uint64_t)4000)
#define SHORT_TASKS_HZ ((uint64_t)10000)
#define LARGEST_COPY   ((uint64_t)65528) /* the kernel takes multiples of 8 below 64 KiB */

/* "pid 12,13" is how a run that attached is described: the numbers, or NULL. */
static const char *ids_after(const char *command, const char *word)
{
	size_t len = strlen(word);
	const char *ids = command + len;

	if (strncmp(command, word, len) != 0 || !*ids || ids[strspn(ids, "0123456789,")])
		return NULL;
	return ids;
}

static bool is_wide(const struct profile *p)
{
	return p->events.len && (p->events.data[0].flags & EVENT_SYSTEM_WIDE);
}

static void append_target(struct bytes *out, const struct profile *p)
{
	const char *command = profile_str(p, p->runs.data[0].command);
	const char *pids = ids_after(command, "pid "), *tids = ids_after(command, "thread ");
	bool shown = *command && strlen(command) <= COMMAND_SHOWN;

	if (pids) {
		bytes_printf(out, " -p %s", pids);
	} else if (tids) {
		bytes_printf(out, " -t %s", tids);
	} else if (strcmp(command, "all processes") == 0) {
		bytes_printf(out, " -a");
	} else {
		bytes_printf(out, "%s -- ", is_wide(p) ? " -a" : "");
		text_append_printable(out, shown ? command : "COMMAND",
				      shown ? strlen(command) : strlen("COMMAND"));
	}
}

static bool is_default_event(const struct profile *p)
{
	const char *name = profile_str(p, p->events.data[0].name);

	return strcmp(name, "cycles") == 0 ||
	       strcmp(name, is_wide(p) ? "cpu-clock" : "task-clock") == 0;
}

static bool is_plain(const char *name)
{
	return *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789_-:.,/=@%+")];
}

/* In quotes, since braces are the shell's too. */
static void append_group(struct bytes *out, const struct profile *p, size_t leader)
{
	const char *between = " -e '{";

	for (size_t i = leader; i < p->events.len; i++) {
		const char *name = profile_str(p, p->events.data[i].name);
		if (p->events.data[i].group != p->events.data[leader].group || !is_plain(name))
			continue;
		bytes_printf(out, "%s%s", between, name);
		between = ",";
	}
	bytes_printf(out, *between == ',' ? "}'" : "");
}

static void append_events(struct bytes *out, const struct profile *p)
{
	if (!p->events.len || (p->events.len == 1 && is_default_event(p)))
		return;
	for (uint32_t i = 0; i < p->events.len; i++) {
		const char *name = profile_str(p, p->events.data[i].name);
		if (profile_leader(p, i) != i)
			continue;
		if (p->events.data[i].group)
			append_group(out, p, i);
		else if (is_plain(name))
			bytes_printf(out, " -e %s", name);
	}
}

/* An event with a period and no frequency was given that period; tracepoints have both. */
static void append_rate(struct bytes *out, const struct profile *p)
{
	const struct profile_event *e = p->events.len ? &p->events.data[0] : NULL;

	if (e && !e->frequency && e->period)
		bytes_printf(out, " -c %" PRIu64, e->period);
	else if (e && e->frequency && e->frequency != DEFAULT_HZ)
		bytes_printf(out, " -F %" PRIu64, e->frequency);
}

/*
 * The recording as the user could type it again, with options, which replace its rate when
 * they have one. NULL where it is not known how it was made.
 */
static char *record_again(const struct profile *p, const char *options)
{
	struct bytes out = { 0 };

	if (!health_is_own(p))
		return NULL;
	bytes_printf(&out, "prof record");
	if (p->origin && !p->is_foreign && strcmp(p->origin, "-") != 0)
		origin_append(&out, p, " -o ");
	append_events(&out, p);
	if (strncmp(options, "-F", 2) != 0)
		append_rate(&out, p);
	bytes_printf(&out, "%s%s", *options ? " " : "", options);
	append_target(&out, p);
	bytes_u8(&out, '\0');
	return (char *)out.data;
}

char *health_record_again(const struct profile *p)
{
	return record_again(p, "");
}

char *health_target(const struct profile *p)
{
	struct bytes out = { 0 };

	if (!health_is_own(p))
		return NULL;
	append_target(&out, p);
	bytes_u8(&out, '\0');
	char *target = xstrdup((const char *)out.data + strspn((const char *)out.data, " "));
	bytes_release(&out);
	return target;
}

/* The same recording at a higher rate; NULL when it is as high already, or samples do not come at
 * one. */
static char *at_rate(const struct profile *p, uint64_t hz)
{
	CLEANUP_FREE char *option = xasprintf("-F %" PRIu64, hz);

	uint64_t rate = health_is_by_rate(p) ? p->health.requested_rate : 0;
	return rate && rate < hz ? record_again(p, option) : NULL;
}

static bool is_clock_by_period(const struct profile *p)
{
	return p->events.len && p->events.data[0].unit == UNIT_NS && !health_is_by_rate(p);
}

/* Tasks shorter than the period: root samples whole CPUs for them, others need a shorter period. */
static void mend_short_tasks(struct health_mend *m, const struct profile *p)
{
	bool ordinary = p->events.len && (p->events.data[0].flags & EVENT_EXCLUDES_KERNEL);

	if (!ordinary && !p->health.detached) {
		m->command = at_rate(p, SHORT_TASKS_HZ);
		m->advice = m->command		    ? "sample more finely"
			    : is_clock_by_period(p) ? "take a shorter period"
						    : NULL;
		return;
	}
	CLEANUP_FREE char *again = record_again(p, "");
	m->command = again ? xasprintf("sudo %s", again) : NULL;
	m->advice = m->command ? "record as root" : NULL;
}

static char *larger_copy(const struct profile *p)
{
	uint64_t size = p->health.stack_bytes ? p->health.stack_bytes : LARGEST_COPY;

	size = size > LARGEST_COPY / 4 ? LARGEST_COPY : size * 4;
	CLEANUP_FREE char *options = xasprintf("--call-graph dwarf,%" PRIu64, size & ~(uint64_t)7);
	return record_again(p, options);
}

static char *larger_ring(const struct profile *p)
{
	uint64_t size = p->health.ring_bytes ? p->health.ring_bytes : (uint64_t)1 << 20;
	CLEANUP_FREE char *options = xasprintf("-m %" PRIu64 "k", size / 1024 * 4);

	return record_again(p, options);
}

/* Debian and its kin install the C library's files in directories named after the machine. */
static bool is_debian_libc(const char *path)
{
	static const char *const files[] = { "libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2",
					     "ld-linux-aarch64.so.1" };
	const char *place = strstr(path, "-linux-gnu/");

	for (size_t i = 0; place && i < ARRAY_LEN(files); i++) {
		if (strcmp(place + strlen("-linux-gnu/"), files[i]) == 0)
			return true;
	}
	return false;
}

/* What is read from another format, or from a pipe, is named each time that it is read. */
static char *install_and_name(const struct profile *p)
{
	struct bytes out = { 0 };

	bytes_printf(&out, "sudo apt install libc6-dbg");
	if (!p->is_foreign && (!p->origin || strcmp(p->origin, "-") != 0)) {
		bytes_printf(&out, " && prof symbolize");
		origin_append(&out, p, " ");
	}
	bytes_u8(&out, '\0');
	return (char *)out.data;
}

/* The package has the debug file of the library that is installed: not of one that was replaced
 * since, is another build, or whose debug file is there. Only where its name is known; notes come
 * with the file and are no commands. */
static bool would_package_name(const struct profile *p, const struct profile_module *m)
{
	return (m->flags & MODULE_NO_DEBUG_FILE) && !(m->flags & MODULE_DELETED) &&
	       is_debian_libc(profile_str(p, m->path));
}

char *health_package_remedy(const struct profile *p, uint32_t module)
{
	if (module >= p->modules.len || !would_package_name(p, &p->modules.data[module]))
		return NULL;
	return install_and_name(p);
}

/* Where distributions install what they build; their servers know its debug files by build ID. */
static bool is_of_distribution(const char *path)
{
	static const char *const places[] = { "/usr/bin/",     "/usr/sbin/", "/usr/lib",
					      "/usr/libexec/", "/bin/",	     "/sbin/",
					      "/lib" };

	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (strncmp(path, places[i], strlen(places[i])) == 0)
			return true;
	return false;
}

char *health_fetch_remedy(const struct profile *p, uint32_t module)
{
	const struct profile_module *m = module < p->modules.len ? &p->modules.data[module] : NULL;
	struct bytes out = { 0 };

	if (!m || !(m->flags & MODULE_NO_DEBUG_FILE) || m->identity != IDENTITY_GNU_BUILD_ID ||
	    !is_of_distribution(profile_str(p, m->path)) || p->is_foreign ||
	    (p->origin && strcmp(p->origin, "-") == 0))
		return NULL;
	bytes_printf(&out, "prof symbolize --debuginfod");
	origin_append(&out, p, " ");
	bytes_u8(&out, '\0');
	return (char *)out.data;
}

static char *name_remedy(const struct health *h, const struct profile *p)
{
	char *remedy = NULL;

	for (uint32_t i = 0; i < h->nameless_count && !remedy; i++)
		if (health_unnamed_is(h, h->nameless[i].count, 1))
			remedy = health_package_remedy(p, h->nameless[i].module);
	for (uint32_t i = 0; i < h->nameless_count && !remedy; i++)
		if (health_unnamed_is(h, h->nameless[i].count, 1))
			remedy = health_fetch_remedy(p, h->nameless[i].module);
	return remedy;
}

static bool is_over(uint64_t part, uint64_t all, uint64_t percent_limit)
{
	return (unsigned __int128)part * 100 > (unsigned __int128)all * percent_limit;
}

static void mend_few_samples(struct health_mend *m, const struct profile *p)
{
	m->command = p->is_foreign ? NULL : at_rate(p, MORE_HZ);
	m->advice = m->command ? "sample more finely" : "record for longer";
}

bool health_has_fault(const struct health *h, const struct profile *p, enum health_fault fault)
{
	switch (fault) {
	case HEALTH_KERNEL_HIDDEN:
		return is_over(h->weight_kernel_hidden, h->weight_total, 5);
	case HEALTH_LOST:
		return is_over(h->lost, h->due ? h->due : h->delivered + h->lost, 1);
	case HEALTH_NOT_SAMPLED:
		return is_over(h->weight_short, h->weight_total, 10) && !h->filtered;
	case HEALTH_MISSED:
		return is_over(h->weight_missed, h->weight_total, 10) && !h->filtered;
	case HEALTH_TRUNCATED:
		return is_over(h->by_end[END_TRUNCATED], h->delivered, 2) &&
		       p->health.stack_bytes < LARGEST_COPY;
	case HEALTH_NO_STACKS:
		return is_over(h->by_end[END_NO_STACK], h->delivered, 50);
	case HEALTH_NO_NAMES:
		return is_over(h->unnamed, h->unnamed_of, 5);
	case HEALTH_FEW_SAMPLES:
		return h->delivered > 0 && h->delivered < FEW_SAMPLES && !h->filtered;
	default:
		return false;
	}
}

static const char *purpose_of(const struct profile *p, enum health_fault fault)
{
	switch (fault) {
	case HEALTH_KERNEL_HIDDEN:
		return "to see what the kernel did";
	case HEALTH_LOST:
		return "to lose fewer samples";
	case HEALTH_NOT_SAMPLED:
		return p->health.detached ? "to see what the command did"
					  : "to see short-lived tasks";
	case HEALTH_TRUNCATED:
		return "to see whole stacks";
	case HEALTH_NO_STACKS:
		return "to see stacks";
	case HEALTH_NO_NAMES:
		return "to name more functions";
	default:
		return "to have more samples";
	}
}

static void mend_with(struct health_mend *m, char *command, const char *advice)
{
	m->command = command;
	m->advice = command ? advice : NULL;
}

struct health_mend health_fault_mend(const struct health *h, const struct profile *p,
				     enum health_fault fault)
{
	struct health_mend m = { .purpose = purpose_of(p, fault) };

	switch (fault) {
	case HEALTH_KERNEL_HIDDEN:
		mend_with(&m, xstrdup("sudo sysctl kernel.perf_event_paranoid=1"), "allow it");
		break;
	case HEALTH_LOST:
		mend_with(&m, larger_ring(p), "record with a larger ring");
		break;
	case HEALTH_NOT_SAMPLED:
		mend_short_tasks(&m, p);
		break;
	case HEALTH_TRUNCATED:
		mend_with(&m, larger_copy(p), "copy more of each");
		break;
	case HEALTH_NO_STACKS:
		mend_with(&m, record_again(p, "--call-graph auto"), "record them");
		break;
	case HEALTH_NO_NAMES:
		mend_with(&m, name_remedy(h, p), "get its debug file");
		break;
	case HEALTH_FEW_SAMPLES:
		mend_few_samples(&m, p);
		break;
	default: /* HEALTH_MISSED: the kernel gives no more */
		break;
	}
	return m;
}

char *health_remedy(const struct health *h, const struct profile *p, const char **purpose)
{
	for (enum health_fault fault = 0; fault < HEALTH_FAULTS; fault++) {
		if (!health_has_fault(h, p, fault))
			continue;
		struct health_mend m = health_fault_mend(h, p, fault);
		*purpose = m.purpose;
		if (m.command)
			return m.command;
	}
	return NULL;
}
