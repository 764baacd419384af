/* pmu/term=value,…/: from terms to config, config1 and config2, as format/ says. */
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/spec_pmu.h"

/* While the terms of one event are read. */
struct reading {
	const struct pmu *pmu;
	struct event_spec *spec;
	bool in_alias;	  /* no aliases within aliases */
	unsigned filled;  /* terms that fill bits */
	unsigned generic; /* generic events, which leave no bits to fill */
	struct error *err;
};

static uint64_t *config_by_name(struct event_spec *spec, const char *name, size_t len)
{
	if (len == 6 && strncmp(name, "config", 6) == 0)
		return &spec->config;
	if (len == 7 && strncmp(name, "config1", 7) == 0)
		return &spec->config1;
	if (len == 7 && strncmp(name, "config2", 7) == 0)
		return &spec->config2;
	return NULL;
}

/* Put value's low bits into bits first…last of *config; returns the bits that are left. */
static uint64_t fill_bits(uint64_t *config, unsigned first, unsigned last, uint64_t value)
{
	unsigned width = last - first + 1;
	uint64_t mask = width == 64 ? UINT64_MAX : (1ull << width) - 1;

	*config = (*config & ~(mask << first)) | (value & mask) << first;
	return width == 64 ? 0 : value >> width;
}

/* format: "config:0-7,32-35". False when it is not one, or when value does not fit. */
static bool apply_format(struct event_spec *spec, const char *format, uint64_t value)
{
	const char *s = strchr(format, ':');
	uint64_t *config = s ? config_by_name(spec, format, (size_t)(s - format)) : NULL;

	if (!config)
		return false;
	do {
		char *end;
		unsigned long first = strtoul(s + 1, &end, 10), last = first;
		if (end == s + 1)
			return false;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (first > last || last > 63)
			return false;
		value = fill_bits(config, (unsigned)first, (unsigned)last, value);
		s = end;
	} while (*s == ',');
	return value == 0;
}

static int suggest_entry(void *ctx, const struct dirent *entry)
{
	if (!pmu_is_attribute_file(entry->d_name))
		spec_suggestions_consider(ctx, entry->d_name);
	return 0;
}

static int unknown_term(const struct reading *r, const char *term)
{
	static const char *const own[] = { "config", "config1", "config2", "name" };
	static const char *const folders[] = { "format", "events" };
	struct spec_suggestions s;
	char hint[256];

	spec_suggestions_init(&s, term);
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		char *path = xasprintf("%s/%s/%s", r->pmu->root, r->pmu->name, folders[i]);
		spec_each_entry(path, suggest_entry, &s);
		free(path);
	}
	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		spec_suggestions_consider(&s, own[i]);
	if (!spec_suggestions_line(&s, hint, sizeof(hint)))
		snprintf(hint, sizeof(hint), "; `prof list %.*s` shows them",
			 (int)pmu_family_length(r->pmu->name), r->pmu->name);
	char *shown = text_printable(term);
	error_set(r->err, ERROR_USAGE, "%s has no term or event \"%s\"%s", r->pmu->name, shown,
		  hint);
	free(shown);
	return -1;
}

static int apply_list(struct reading *r, char *terms);

/* "2.3283064365386962890625e-10" for a power PMU's energy. */
static void read_scale(const struct reading *r, const char *alias)
{
	char *file = xasprintf("%s.scale", alias), *text = pmu_read(r->pmu, "events", file);
	char *end;

	if (text) {
		double scale = strtod(text, &end);
		if (end != text && isfinite(scale) && scale > 0)
			r->spec->scale = scale;
	}
	free(text);
	free(file);
}

static void read_unit(const struct reading *r, const char *alias)
{
	char *file = xasprintf("%s.unit", alias), *text = pmu_read(r->pmu, "events", file);

	if (text && *text) {
		free(r->spec->unit);
		r->spec->unit = text_printable(text);
	}
	free(text);
	free(file);
}

static int apply_alias(struct reading *r, const char *name)
{
	char *terms = pmu_read(r->pmu, "events", name);

	if (!terms || pmu_is_attribute_file(name)) {
		free(terms);
		return unknown_term(r, name);
	}
	r->in_alias = true;
	int result = apply_list(r, terms);
	r->in_alias = false;
	free(terms);
	read_scale(r, name);
	read_unit(r, name);
	return result;
}

/* cpu_core/cycles/, cpu/r01c2/: where several core PMUs count it, the upper half of config says
 * which (PERF_PMU_TYPE_SHIFT in linux/perf_event.h). */
static int apply_generic(struct reading *r, const char *name)
{
	struct event_spec generic = { 0 };

	if (!r->pmu->is_core || spec_hardware_resolve(name, &generic) != SPEC_FOUND)
		return unknown_term(r, name);
	r->spec->config = generic.config;
	if (generic.type != PERF_TYPE_RAW)
		r->spec->type = generic.type;
	if (generic.type != PERF_TYPE_RAW && r->pmu->is_mixed)
		r->spec->config |= (uint64_t)r->pmu->type << 32;
	r->generic++;
	event_spec_release(&generic);
	return 0;
}

static int apply_value(struct reading *r, const char *term, uint64_t value)
{
	uint64_t *config = config_by_name(r->spec, term, strlen(term));

	r->filled++;
	if (config) {
		*config = value;
		return 0;
	}
	char *format = pmu_read(r->pmu, "format", term);
	if (!format)
		return unknown_term(r, term);
	bool ok = apply_format(r->spec, format, value);
	if (!ok)
		error_set(r->err, ERROR_USAGE, "%s: value 0x%llx does not fit the term %s (%s)",
			  r->pmu->name, (unsigned long long)value, term, format);
	free(format);
	return ok ? 0 : -1;
}

static int apply_name(struct reading *r, const char *name)
{
	if (!*name)
		return error_set(r->err, ERROR_USAGE, "%s: the term name needs one", r->pmu->name);
	free(r->spec->name);
	r->spec->name = text_printable(name);
	return 0;
}

/* perf's terms for how to sample. */
static int refuse_option(const struct reading *r, const char *term)
{
	static const struct {
		const char *term, *option;
	} rows[] = {
		{ "period", "-c N" },
		{ "freq", "-F HZ" },
		{ "call-graph", "--call-graph MODE" },
		{ "config3", NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (strcmp(term, rows[i].term) != 0)
			continue;
		if (rows[i].option)
			return error_set(r->err, ERROR_UNSUPPORTED,
					 "%s: %s is no term in prof; use `prof record %s` for all "
					 "events",
					 r->pmu->name, term, rows[i].option);
		return error_set(r->err, ERROR_UNSUPPORTED, "%s: prof cannot fill %s", r->pmu->name,
				 term);
	}
	return 0;
}

static int apply_term(struct reading *r, char *term)
{
	char *equals = strchr(term, '=');
	uint64_t value = 1;

	if (equals)
		*equals = '\0';
	if (equals && strcmp(term, "name") == 0)
		return apply_name(r, equals + 1);
	if (!pmu_is_plain_name(term, strlen(term)))
		return unknown_term(r, term);
	if (equals && !pmu_has(r->pmu, "format", term) && refuse_option(r, term) < 0)
		return -1;
	if (!equals && !r->in_alias && !pmu_has(r->pmu, "format", term))
		return pmu_has(r->pmu, "events", term) ? apply_alias(r, term)
						       : apply_generic(r, term);
	if (equals && !text_parse_u64(equals + 1, &value))
		return error_set(r->err, ERROR_USAGE, "%s: the term %s needs a number",
				 r->pmu->name, term);
	return apply_value(r, term, value);
}

static int apply_list(struct reading *r, char *terms)
{
	char *rest = terms, *term;

	while ((term = strsep(&rest, ",")))
		if (*term && apply_term(r, term) < 0)
			return -1;
	return 0;
}

int pmu_apply_terms(const struct pmu *pmu, const char *terms, struct event_spec *spec,
		    struct error *err)
{
	struct reading r = { .pmu = pmu, .spec = spec, .err = err };
	char *copy = xstrdup(terms);

	spec->type = pmu->type;
	int result = apply_list(&r, copy);
	free(copy);
	if (result == 0 && r.generic && r.filled + r.generic > 1)
		return error_set(err, ERROR_USAGE,
				 "%s/%s/: a generic event goes with no other terms", pmu->name,
				 terms);
	return result;
}
