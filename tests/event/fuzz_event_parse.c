/*
 * Event texts, and what a machine's sysfs says of its PMUs: line by line the text, a term's format,
 * an event's terms, its scale, the CPUs of the core's PMU, a uncore PMU's mask. Whatever they are,
 * each event that is found has a name, numbers, and can be named again; a group that cannot be
 * counted at once is cut.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "event/cpus.h"
#include "event/schedule.h"
#include "event/spec_source.h"
#include "fake_sysfs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LINES 6

static char *root;

static void remove_root(void)
{
	void *state = root;

	fake_remove(&state);
}

static void make_root(void)
{
	root = fake_root();
	fake_hybrid(root);
	fake_file(root, "events/sched/sched_switch/id", "315\n");
	fake_file(root, "events/sched/sched_waking/id", "316\n");
	atexit(remove_root);
}

static bool two_fit(void *ctx, const struct event_spec *events, size_t count)
{
	(void)ctx;
	return events[0].name && count <= 2;
}

static int append(void *ctx, const struct event_name *n)
{
	size_t *total = ctx;

	if (!n->name || !n->kind || !n->description)
		abort();
	*total += strlen(n->name);
	return 0;
}

static void check_list(struct event_list *list)
{
	static const struct event_group_tester tester = { .fits = two_fit };
	struct bytes note = { 0 };

	for (size_t i = 0; i < list->items.len; i++) {
		const struct event_spec *s = &list->items.data[i];
		if (!s->name || !s->asked_name || !s->group || !s->asked || s->precise > 3 ||
		    (s->no_task && !s->pmu))
			abort();
	}
	event_groups_fit(list, &tester, &note);
	for (size_t i = 0; i < list->items.len; i += event_group_length(list, i))
		if (event_group_length(list, i) > 2)
			abort();
	bytes_release(&note);
}

static void try_text(const char *text)
{
	struct spec_roots roots = { .pmus = root, .tracefs = root };
	struct event_list list = { 0 };
	struct error err = { 0 };

	if (spec_parse(&roots, &list, text, &err) == 0)
		check_list(&list);
	else if (!err.text[0] || strchr(err.text, '\n'))
		abort();
	event_list_release(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const files[LINES] = {
		NULL,
		"cpu_core/format/fuzzed",
		"cpu_core/events/fuzzed",
		"cpu_core/events/fuzzed.scale",
		"cpu_atom/cpus",
		"uncore_imc_1/cpumask",
	};
	char *copy = xstrndup((const char *)data, size), *rest = copy, *text = strsep(&rest, "\n");
	struct spec_roots roots;
	size_t total = 0;

	if (!root)
		make_root();
	roots = (struct spec_roots){ .pmus = root, .tracefs = root };
	for (size_t i = 1; i < LINES; i++) {
		char *line = rest ? strsep(&rest, "\n") : NULL;
		fake_file(root, files[i], line ? line : "0");
	}
	try_text(text);
	try_text("{cpu_core/fuzzed/,cpu_core/fuzzed=1/},{cycles,r1,faults},uncore_imc/event=1/");
	spec_list(&roots, text, append, &total);
	free(copy);
	return 0;
}
