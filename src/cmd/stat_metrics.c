/* Which metrics prof stat shows: the default set, --topdown, those named by --metrics. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "analysis/metric_cpu.h"
#include "analysis/near.h"
#include "base/bytes.h"
#include "base/io.h"
#include "cmd/stat_parse.h"
#include "event/count.h"
#include "event/schedule.h"
#include "event/spec.h"

static bool is_in_set(const struct metric *m, const char *set)
{
	return m->set && strcmp(m->set, set) == 0;
}

static void add_metric(struct stat_plan *p, const struct metric *m)
{
	for (size_t i = 0; i < p->metrics.items.len; i++)
		if (p->metrics.items.data[i] == m)
			return;
	vec_push(&p->metrics.items, m);
}

/* How many of the set there are. */
static size_t add_set(struct stat_plan *p, const struct metric_list *all, const char *set)
{
	size_t count = 0;

	for (size_t i = 0; i < all->items.len; i++) {
		if (!is_in_set(all->items.data[i], set))
			continue;
		add_metric(p, all->items.data[i]);
		count++;
	}
	return count;
}

static int unknown(const struct metric_list *all, const char *name)
{
	struct bytes hint = { 0 };
	struct near near;

	near_init(&near, name);
	for (size_t i = 0; i < all->items.len; i++)
		near_offer(&near, all->items.data[i]->name);
	near_append(&near, &hint);
	cmd_usage(&command_stat, "--metrics: there is no metric or set '%s' for this processor%.*s",
		  name, (int)hint.len, (const char *)hint.data);
	bytes_release(&hint);
	return EXIT_USAGE;
}

/* "ipc,topdown": metrics and sets. */
static int add_named(struct stat_plan *p, const struct metric_list *all, const char *words)
{
	CLEANUP_FREE char *copy = xstrdup(words);
	char *rest = copy;

	for (char *word; (word = strsep(&rest, ","));) {
		const struct metric *m = metric_find(all, word);
		if (m)
			add_metric(p, m);
		else if (add_set(p, all, word) == 0)
			return unknown(all, word);
	}
	return EXIT_DONE;
}

static int read_file(struct stat_plan *p, const char *path)
{
	struct bytes text = { 0 };
	struct error err = { 0 };
	int rc = io_read_file(path, &text, METRIC_FILE_MAX_BYTES, &err);

	if (rc == 0)
		rc = metric_file_parse(&p->user_metrics, path, (const char *)text.data, text.len,
				       &err);
	bytes_release(&text);
	return rc == 0 ? EXIT_DONE : cmd_fail(&command_stat, &err, EXIT_USAGE);
}

/* A row of a user's file is shown without being named. */
static void add_users(struct stat_plan *p)
{
	for (size_t i = 0; i < p->user_metrics.rows.len; i++)
		add_metric(p, &p->user_metrics.rows.data[i]->row);
}

/* Rows of one tree share their counters, which would take turns with themselves. */
static bool was_added(const struct stat_plan *p, size_t from, size_t to, const char *events)
{
	for (size_t i = from; i < to; i++) {
		CLEANUP_FREE char *others = metric_events(p->metrics.items.data[i]);
		if (strcmp(others, events) == 0)
			return true;
	}
	return false;
}

/* Every metric's events are one group, so that its counters are of the same moments. */
static int add_events(struct stat_plan *p, size_t from)
{
	struct error err = { 0 };

	for (size_t i = from; i < p->metrics.items.len; i++) {
		CLEANUP_FREE char *events = metric_events(p->metrics.items.data[i]);
		if (was_added(p, from, i, events))
			continue;
		if (*events && event_parse(&p->events, events, &err) < 0) {
			error_context(&err, "metric %s", p->metrics.items.data[i]->name);
			return cmd_fail(&command_stat, &err, EXIT_USAGE);
		}
	}
	return EXIT_DONE;
}

static int choose(const struct stat_words *w, struct stat_plan *p, const struct metric_list *all)
{
	int status = EXIT_DONE;

	add_set(p, all, "default");
	size_t asked_from = p->metrics.items.len;
	if (w->topdown && !event_has_hardware_pmu())
		return cmd_usage(&command_stat, "--topdown: no hardware counters here (a virtual "
						"machine without a PMU?)");
	if (w->topdown && add_set(p, all, "topdown") == 0)
		return cmd_usage(&command_stat,
				 "--topdown: how this processor counts its slots is not known");
	for (size_t i = 0; i < w->metrics.len && status == EXIT_DONE; i++)
		status = add_named(p, all, w->metrics.items[i]);
	if (status == EXIT_DONE)
		add_users(p);
	return status == EXIT_DONE ? add_events(p, asked_from) : status;
}

/* The start of /proc/cpuinfo: the first processors are enough. */
static size_t read_start(const char *path, char *buf, size_t size)
{
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, buf, size - 1);

	n = n > 0 ? n : 0;
	buf[n] = '\0';
	return (size_t)n;
}

static void recognize(struct metric_cpu *cpu)
{
	char cpuinfo[4096], midr[64];
	size_t len = read_start("/proc/cpuinfo", cpuinfo, sizeof(cpuinfo));

	read_start("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", midr, sizeof(midr));
	metric_cpu_recognize(cpu, cpuinfo, len, midr);
}

static bool has_pmu_events(const struct event_list *list, size_t first, size_t count)
{
	for (size_t i = first; i < first + count; i++)
		if (!event_is_software(&list->items.data[i]))
			return true;
	return false;
}

/* Groups that the processor has not enough counters for are cut, and that is said. */
static void fit_groups(struct stat_plan *p)
{
	for (size_t i = 0, count; i < p->events.items.len; i += count) {
		count = event_group_length(&p->events, i);
		if (count > 1 && has_pmu_events(&p->events, i, count))
			event_group_split(&p->events, i, &event_group_kernel, &p->notes);
		count = count ? count : 1;
	}
}

int stat_parse_metrics(const struct stat_words *w, struct stat_plan *p)
{
	struct metric_list all = { 0 };
	struct metric_cpu cpu;
	int status = EXIT_DONE;

	recognize(&cpu);
	p->threads_per_core = cpu.threads_per_core;
	p->slots = event_pmu_slots();

	metric_user_init(&p->user_metrics);
	for (size_t i = 0; i < w->metric_files.len && status == EXIT_DONE; i++)
		status = read_file(p, w->metric_files.items[i]);
	metric_rows(&all, cpu.key, &p->user_metrics);
	if (status == EXIT_DONE)
		status = choose(w, p, &all);
	if (status == EXIT_DONE)
		fit_groups(p);
	metric_list_release(&all);
	return status;
}
