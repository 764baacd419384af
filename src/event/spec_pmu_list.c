/* The PMUs of sysfs for `prof list`: which terms each takes, and its ready-made events. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/spec_pmu.h"

#define SLOTS_MAX 64

struct lister {
	const struct name_sink *sink;
	const struct pmu *pmu;
	char shown[64]; /* the PMU's name, without its number where there are several */
	char family[64];
	struct bytes text;
	size_t count;
	const char *term; /* what stands behind an instance's name: "/clockticks/" */
};

/* "config:0-7,32-35" holds 12 bits. */
static unsigned count_bits(const char *format)
{
	const char *s = strchr(format, ':');
	unsigned bits = 0;

	while (s) {
		char *end;
		unsigned long first = strtoul(s + 1, &end, 10), last = first;
		if (end == s + 1)
			break;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		bits += last >= first && last < 64 ? (unsigned)(last - first) + 1 : 0;
		s = *end == ',' ? end : NULL;
	}
	return bits;
}

static int add_term(void *ctx, const struct dirent *entry)
{
	struct lister *l = ctx;
	char *format = pmu_read(l->pmu, "format", entry->d_name);

	if (format)
		bytes_printf(&l->text, "%s%s %u",
			     l->count++ ? ", " : "terms, with their bits: ", entry->d_name,
			     count_bits(format));
	free(format);
	return 0;
}

static int count_instance(void *ctx, const struct dirent *entry)
{
	struct lister *l = ctx;
	size_t len = pmu_family_length(entry->d_name);

	l->count += len != strlen(entry->d_name) && len == strlen(l->family) &&
		    strncmp(entry->d_name, l->family, len) == 0;
	return 0;
}

static size_t count_instances(struct lister *l)
{
	l->count = 0;
	spec_each_entry(l->pmu->root, count_instance, l);
	return l->count;
}

/* Nonzero when the pattern means an instance's name: uncore_imc_3. */
static int match_instance(void *ctx, const struct dirent *entry)
{
	const struct lister *l = ctx;
	size_t len = pmu_family_length(entry->d_name);

	if (len != strlen(l->family) || strncmp(entry->d_name, l->family, len) != 0)
		return 0;
	CLEANUP_FREE char *full = xasprintf("%s%s", entry->d_name, l->term);
	return name_sink_matches(l->sink, full);
}

/* Several PMUs of one kind are shown as one, and found by the name of each. */
static int put_name(struct lister *l, const struct event_name *n)
{
	struct name_sink any = *l->sink;

	l->term = n->name + strlen(l->shown);
	if (strcmp(l->shown, l->pmu->name) != 0 && spec_each_entry(l->pmu->root, match_instance, l))
		any.pattern = NULL;
	return name_sink_put(&any, n);
}

static int put_terms(struct lister *l, size_t instances)
{
	char *path = xasprintf("%s/%s/format", l->pmu->root, l->pmu->name);
	char *name = xasprintf("%s/TERM=N,.../", l->shown);
	int stop = 0;

	bytes_clear(&l->text);
	l->count = 0;
	spec_each_entry(path, add_term, l);
	if (instances > 1)
		bytes_printf(&l->text, "; %zu such PMUs, each counted", instances);
	if (l->pmu->no_task)
		bytes_printf(&l->text, "; counts CPU %s, not processes", l->pmu->cpus);
	else if (l->pmu->cpus)
		bytes_printf(&l->text, "; on CPU %s", l->pmu->cpus);
	bytes_u8(&l->text, 0);
	struct event_name n = { .name = name,
				.kind = "pmu",
				.description = (const char *)l->text.data,
				.pmu = l->shown,
				.is_pattern = true };
	if (l->count)
		stop = put_name(l, &n);
	free(name);
	free(path);
	return stop;
}

static int put_alias(void *ctx, const struct dirent *entry)
{
	struct lister *l = ctx;

	if (pmu_is_attribute_file(entry->d_name))
		return 0;
	char *name = xasprintf("%s/%s/", l->shown, entry->d_name);
	char *file = xasprintf("%s.unit", entry->d_name);
	char *terms = pmu_read(l->pmu, "events", entry->d_name);
	char *unit = pmu_read(l->pmu, "events", file);
	struct event_name n = { .name = name,
				.kind = "pmu",
				.description = terms,
				.pmu = l->shown,
				.unit = unit && *unit ? unit : NULL };
	int stop = put_name(l, &n);
	free(unit);
	free(terms);
	free(file);
	free(name);
	return stop;
}

static bool is_refused(const char *name)
{
	return strcmp(name, "breakpoint") == 0 || strcmp(name, "uprobe") == 0 ||
	       strcmp(name, "kprobe") == 0;
}

static int put_pmu(void *ctx, struct pmu *pmu)
{
	struct lister *l = ctx;
	char last[sizeof(l->family)];
	size_t len = pmu_family_length(pmu->name);

	if (is_refused(pmu->name))
		return 0;
	l->pmu = pmu;
	memcpy(last, l->family, sizeof(last));
	snprintf(l->family, sizeof(l->family), "%.*s", (int)len, pmu->name);
	size_t instances = pmu->is_core || !pmu->name[len] ? 1 : count_instances(l);
	if (instances > 1 && strcmp(last, l->family) == 0)
		return 0; /* told with the first of them */
	snprintf(l->shown, sizeof(l->shown), "%s", instances > 1 ? l->family : pmu->name);
	char *path = xasprintf("%s/%s/events", pmu->root, pmu->name);
	int stop = put_terms(l, instances);
	if (!stop)
		stop = spec_each_entry(path, put_alias, l);
	free(path);
	return stop;
}

int spec_pmu_each(const char *root, const struct name_sink *sink)
{
	struct lister l = { .sink = sink };
	int stop = pmu_each(root, put_pmu, &l);

	bytes_release(&l.text);
	return stop;
}

struct slots {
	uint32_t value;
	bool seen, differ;
};

/* "0x00000008" */
static int take_slots(void *ctx, struct pmu *pmu)
{
	struct slots *s = ctx;
	CLEANUP_FREE char *text = pmu->is_core ? pmu_read(pmu, "caps", "slots") : NULL;
	unsigned long value = text ? strtoul(text, NULL, 0) : 0;

	if (!pmu->is_core)
		return 0;
	value = value <= SLOTS_MAX ? value : 0;
	s->differ |= s->seen && s->value != value;
	s->value = (uint32_t)value;
	s->seen = true;
	return 0;
}

uint32_t spec_pmu_slots(const char *root)
{
	struct slots s = { 0 };

	pmu_each(root, take_slots, &s);
	return s.differ ? 0 : s.value;
}

uint32_t event_pmu_slots(void)
{
	return spec_pmu_slots(spec_roots_here().pmus);
}
