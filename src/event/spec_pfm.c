/*
 * The processor's own event names, through libpfm4. It keeps its tables in process-wide state that
 * is set up once and only read afterwards. They hold 41,000 pointers, so it is loaded only when
 * something is asked of it. Where it is missing no such name is known.
 */
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/library.h"
#include "base/text.h"
#include "event/spec_source.h"

_Static_assert(PFM_MAJ_VERSION(LIBPFM_VERSION) == 4, "the library that is loaded is another one");

struct pfm {
	__typeof__(pfm_initialize) *initialize;
	__typeof__(pfm_strerror) *strerror;
	__typeof__(pfm_get_os_event_encoding) *get_os_event_encoding;
	__typeof__(pfm_get_event_info) *get_event_info;
	__typeof__(pfm_get_event_attr_info) *get_event_attr_info;
	__typeof__(pfm_get_event_next) *get_event_next;
	__typeof__(pfm_get_pmu_info) *get_pmu_info;
};

static const struct library_function functions[] = {
	LIBRARY_FUNCTION(struct pfm, pfm_, initialize),
	LIBRARY_FUNCTION(struct pfm, pfm_, strerror),
	LIBRARY_FUNCTION(struct pfm, pfm_, get_os_event_encoding),
	LIBRARY_FUNCTION(struct pfm, pfm_, get_event_info),
	LIBRARY_FUNCTION(struct pfm, pfm_, get_event_attr_info),
	LIBRARY_FUNCTION(struct pfm, pfm_, get_event_next),
	LIBRARY_FUNCTION(struct pfm, pfm_, get_pmu_info),
};

static bool load(struct pfm *pfm)
{
	return library_load("libpfm.so.4", functions, ARRAY_LEN(functions), pfm) &&
	       pfm->initialize() == PFM_SUCCESS;
}

static const char *why_not(const struct pfm *pfm, pfm_err_t status)
{
	switch (status) {
	case PFM_ERR_UMASK:
	case PFM_ERR_ATTR:
	case PFM_ERR_ATTR_VAL:
	case PFM_ERR_ATTR_SET:
	case PFM_ERR_FEATCOMB:
		return pfm->strerror(status);
	default:
		return NULL; /* unknown name, no table for this processor */
	}
}

/* libpfm4's own raw codes: it takes r12xyz for r12, and we have read those that are right before.
 */
static bool is_raw(const struct pfm *pfm, int event)
{
	pfm_event_info_t info = { .size = sizeof(info) };

	return pfm->get_event_info(event, PFM_OS_PERF_EVENT_EXT, &info) == PFM_SUCCESS &&
	       info.pmu == PFM_PMU_PERF_EVENT_RAW;
}

static enum spec_answer fill(struct event_spec *spec, const char *text,
			     const struct perf_event_attr *attr, const pfm_perf_encode_arg_t *arg,
			     struct error *err)
{
	if (attr->sample_period || attr->freq || arg->cpu >= 0) {
		error_set(
			err, ERROR_UNSUPPORTED,
			"%s: period, freq and cpu are options in prof, for all events: -c N, -F HZ, "
			"-C CPU",
			text);
		return SPEC_ERROR;
	}
	spec->name = xstrdup(text);
	spec->type = attr->type;
	spec->config = attr->config;
	spec->config1 = attr->config1;
	spec->config2 = attr->config2;
	spec->exclude_user = attr->exclude_user;
	spec->exclude_kernel = attr->exclude_kernel;
	spec->exclude_host = spec->count_guest = attr->exclude_host;
	spec->pinned = attr->pinned;
	spec->exclusive = attr->exclusive;
	spec->precise = attr->precise_ip;
	return SPEC_FOUND;
}

enum spec_answer spec_pfm_resolve(const char *text, struct event_spec *spec, struct error *err)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct pfm pfm;
	char *full_name = NULL;
	pfm_perf_encode_arg_t arg = {
		.attr = &attr, .fstr = &full_name, .cpu = -1, .size = sizeof(arg)
	};

	if (!load(&pfm))
		return SPEC_NOT_MINE;
	pfm_err_t status =
		pfm.get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &arg);
	if (status != PFM_SUCCESS) {
		if (!why_not(&pfm, status))
			return SPEC_NOT_MINE;
		char *shown = text_printable(text);
		error_set(err, ERROR_USAGE, "%s: %s; `prof list` shows what it takes", shown,
			  why_not(&pfm, status));
		free(shown);
		return SPEC_ERROR;
	}
	free(full_name);
	if (is_raw(&pfm, arg.idx))
		return SPEC_NOT_MINE;
	return fill(spec, text, &attr, &arg, err);
}

/* An event's attributes: its unit masks, and the modifiers that it takes ("k u c=N"). */
struct attributes {
	VEC(struct event_umask) umasks;
	struct bytes modifiers;
};

/* Those that say how to sample are options in prof. */
static bool is_modifier(const pfm_event_attr_info_t *attr)
{
	static const char *const options[] = { "period", "freq", "cpu" };

	for (size_t i = 0; i < ARRAY_LEN(options); i++)
		if (strcmp(attr->name, options[i]) == 0)
			return false;
	return attr->type == PFM_ATTR_MOD_BOOL || attr->type == PFM_ATTR_MOD_INTEGER;
}

static void read_attributes(const struct pfm *pfm, const pfm_event_info_t *event,
			    struct attributes *out)
{
	for (int i = 0; i < event->nattrs; i++) {
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };
		if (pfm->get_event_attr_info(event->idx, i, PFM_OS_PERF_EVENT_EXT, &attr) !=
		    PFM_SUCCESS)
			continue;
		struct event_umask umask = { .name = attr.name,
					     .description = attr.desc ? attr.desc : "" };
		if (attr.type == PFM_ATTR_UMASK)
			vec_push(&out->umasks, umask);
		else if (is_modifier(&attr))
			bytes_printf(&out->modifiers, "%s%s%s", out->modifiers.len ? " " : "",
				     attr.name, attr.type == PFM_ATTR_MOD_INTEGER ? "=N" : "");
	}
	bytes_u8(&out->modifiers, 0);
}

/* An event with its unit masks; most of those that have some cannot do without. */
static int put_event(const struct pfm *pfm, const pfm_pmu_info_t *pmu,
		     const pfm_event_info_t *event, const struct name_sink *sink)
{
	struct attributes attributes = { .modifiers = { 0 } };
	char *name = xasprintf("%s::%s", pmu->name, event->name);

	read_attributes(pfm, event, &attributes);
	struct event_name n = { .name = name,
				.kind = "processor",
				.description = event->desc,
				.pmu = pmu->name,
				.modifiers = (const char *)attributes.modifiers.data,
				.umasks = attributes.umasks.data,
				.umask_count = attributes.umasks.len };
	int stop = name_sink_put(sink, &n);
	vec_release(&attributes.umasks);
	bytes_release(&attributes.modifiers);
	free(name);
	return stop;
}

static int each_of_pmu(const struct pfm *pfm, const pfm_pmu_info_t *pmu,
		       const struct name_sink *sink)
{
	int stop = 0;

	for (int i = pmu->first_event; i != -1 && !stop; i = pfm->get_event_next(i)) {
		pfm_event_info_t event = { .size = sizeof(event) };
		if (pfm->get_event_info(i, PFM_OS_PERF_EVENT_EXT, &event) == PFM_SUCCESS)
			stop = put_event(pfm, pmu, &event, sink);
	}
	return stop;
}

/* The operating system's own events are listed by the other sources. */
static bool is_here(const struct pfm *pfm, int i, pfm_pmu_info_t *pmu)
{
	*pmu = (pfm_pmu_info_t){ .size = sizeof(*pmu) };
	return pfm->get_pmu_info((pfm_pmu_t)i, pmu) == PFM_SUCCESS && pmu->is_present &&
	       (pmu->type == PFM_PMU_TYPE_CORE || pmu->type == PFM_PMU_TYPE_UNCORE);
}

int spec_pfm_each(const struct name_sink *sink)
{
	struct pfm pfm;
	pfm_pmu_info_t pmu;
	int stop = 0;

	if (!load(&pfm))
		return 0;
	for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX && !stop; i++)
		if (is_here(&pfm, i, &pmu))
			stop = each_of_pmu(&pfm, &pmu, sink);
	return stop;
}

const char *event_processor_obstacle(void)
{
	struct pfm pfm;
	pfm_pmu_info_t pmu;

	if (!load(&pfm))
		return "libpfm4 (libpfm.so.4), which has the processors' tables, is not installed";
	for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++)
		if (is_here(&pfm, i, &pmu))
			return NULL;
	return "libpfm4 has no table for this processor; use rNNN or the PMU's terms";
}
