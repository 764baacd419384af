/* Generic events on machines with several kinds of cores. */
#include "event/spec_cores.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* A machine can have a hundred other PMUs, of which nothing is read. */
static int take_core(void *ctx, const struct dirent *entry)
{
	struct spec_cores *cores = ctx;
	struct pmu pmu = { .root = cores->root };
	size_t len = strlen(entry->d_name);

	if (len >= sizeof(pmu.name))
		return 0;
	memcpy(pmu.name, entry->d_name, len);
	if (strcmp(pmu.name, "cpu") != 0 && !pmu_has(&pmu, "", "cpus"))
		return 0;
	if (pmu_open(&pmu, cores->root, entry->d_name, len))
		vec_push(&cores->items, pmu);
	else
		pmu_release(&pmu);
	return 0;
}

void spec_cores_read(struct spec_cores *cores, const char *root)
{
	cores->root = root;
	spec_each_entry(root, take_core, cores);
	for (size_t i = 0; i < cores->items.len; i++)
		cores->items.data[i].is_mixed = cores->items.len > 1;
}

void spec_cores_release(struct spec_cores *cores)
{
	for (size_t i = 0; i < cores->items.len; i++)
		pmu_release(&cores->items.data[i]);
	vec_release(&cores->items);
}

bool spec_cores_is_mixed(const struct spec_cores *cores, const char *pmu)
{
	for (size_t i = 0; i < cores->items.len; i++)
		if (strcmp(cores->items.data[i].name, pmu) == 0)
			return cores->items.data[i].is_mixed;
	return false;
}

static bool is_generic(const struct event_spec *spec)
{
	return spec->type == PERF_TYPE_HARDWARE || spec->type == PERF_TYPE_HW_CACHE ||
	       spec->type == PERF_TYPE_RAW;
}

static void append_for(const struct pmu *core, const struct event_spec *spec,
		       struct event_list *out)
{
	struct event_spec copy = { .name = xasprintf("%s/%s/", core->name, spec->name),
				   .asked_name = xstrdup(spec->name),
				   .type = spec->type,
				   .config = spec->config };

	if (spec->type == PERF_TYPE_RAW)
		copy.type = core->type;
	else
		copy.config |= (uint64_t)core->type << 32; /* PERF_PMU_TYPE_SHIFT */
	pmu_place(core, &copy);
	vec_push(&out->items, copy);
}

void spec_cores_append(const char *root, struct event_spec *spec, struct event_list *out)
{
	struct spec_cores cores = { 0 };

	if (is_generic(spec))
		spec_cores_read(&cores, root);
	if (cores.items.len < 2) {
		vec_push(&out->items, *spec);
	} else {
		for (size_t i = 0; i < cores.items.len; i++)
			append_for(&cores.items.data[i], spec, out);
		event_spec_release(spec);
	}
	*spec = (struct event_spec){ 0 };
	spec_cores_release(&cores);
}
