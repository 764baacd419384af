/*
 * PMUs that describe themselves in sysfs: pmu/term=value,…/. A PMU's folder holds its type number,
 * in format/ which bits of config, config1 and config2 a term fills, and in events/ ready-made term
 * lists.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"
#include "event/spec_source.h"

#define SYSFS_MAX_BYTES 4096

struct pmu {
	const char *root;
	char name[64];
};

/* A name that is one path component and cannot lead elsewhere. */
static bool is_plain_name(const char *s, size_t len)
{
	if (len == 0 || s[0] == '.')
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr("_-.", s[i]))
			return false;
	return true;
}

/* The first line of root/pmu/folder/file as an owned string, NULL when there is none. */
static char *read_sysfs(const struct pmu *pmu, const char *folder, const char *file)
{
	struct bytes b = { 0 };
	char *line = NULL;
	char *path =
		xasprintf("%s/%s/%s%s%s", pmu->root, pmu->name, folder, *folder ? "/" : "", file);

	if (io_read_file(path, &b, SYSFS_MAX_BYTES, NULL) == 0) {
		bytes_u8(&b, 0);
		b.data[strcspn((const char *)b.data, "\n")] = '\0';
		line = xstrdup((const char *)b.data);
	}
	free(path);
	bytes_release(&b);
	return line;
}

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

static int apply_terms(const struct pmu *pmu, char *terms, bool from_alias, struct event_spec *spec,
		       struct error *err);

static int unknown_term(const struct pmu *pmu, const char *term, struct error *err)
{
	char *shown = text_printable(term);

	error_set(err, ERROR_USAGE,
		  "%s has no term or event \"%s\" (see `ls %s/%s/format %s/%s/events`)", pmu->name,
		  shown, pmu->root, pmu->name, pmu->root, pmu->name);
	free(shown);
	return -1;
}

static int apply_alias(const struct pmu *pmu, const char *name, struct event_spec *spec,
		       struct error *err)
{
	char *terms = read_sysfs(pmu, "events", name);

	if (!terms)
		return unknown_term(pmu, name, err);
	int result = apply_terms(pmu, terms, true, spec, err);
	free(terms);
	return result;
}

static int apply_value(const struct pmu *pmu, const char *term, uint64_t value,
		       struct event_spec *spec, struct error *err)
{
	uint64_t *config = config_by_name(spec, term, strlen(term));

	if (config) {
		*config = value;
		return 0;
	}
	char *format = read_sysfs(pmu, "format", term);
	if (!format)
		return unknown_term(pmu, term, err);
	bool ok = apply_format(spec, format, value);
	if (!ok)
		error_set(err, ERROR_USAGE, "%s: value 0x%llx does not fit the term %s (%s)",
			  pmu->name, (unsigned long long)value, term, format);
	free(format);
	return ok ? 0 : -1;
}

static bool has_format(const struct pmu *pmu, const char *term)
{
	char *format = read_sysfs(pmu, "format", term);
	bool has = format != NULL;

	free(format);
	return has;
}

static int apply_term(const struct pmu *pmu, char *term, bool from_alias, struct event_spec *spec,
		      struct error *err)
{
	char *equals = strchr(term, '=');
	uint64_t value = 1;

	if (equals) {
		*equals = '\0';
		if (strcmp(term, "name") == 0)
			return 0; /* only perf's own reports show it */
	}
	if (!is_plain_name(term, strlen(term)))
		return unknown_term(pmu, term, err);
	if (!equals && !from_alias && !has_format(pmu, term))
		return apply_alias(pmu, term, spec, err);
	if (equals && !text_parse_u64(equals + 1, &value))
		return error_set(err, ERROR_USAGE, "%s: the term %s needs a number", pmu->name,
				 term);
	return apply_value(pmu, term, value, spec, err);
}

static int apply_terms(const struct pmu *pmu, char *terms, bool from_alias, struct event_spec *spec,
		       struct error *err)
{
	char *rest = terms, *term;

	while ((term = strsep(&rest, ",")))
		if (*term && apply_term(pmu, term, from_alias, spec, err) < 0)
			return -1;
	return 0;
}

/* Their configs hold addresses in the caller's memory or places in programs, not numbers. */
static const char *refused_pmu(const char *name)
{
	if (strcmp(name, "breakpoint") == 0)
		return "breakpoints cannot be sampled by name: prof has no address to watch";
	if (strcmp(name, "uprobe") == 0 || strcmp(name, "kprobe") == 0)
		return "probes are not opened by name";
	return NULL;
}

static enum spec_answer open_pmu(struct pmu *pmu, const char *text, size_t name_len,
				 struct event_spec *spec, struct error *err)
{
	uint64_t type;

	if (name_len >= sizeof(pmu->name) || !is_plain_name(text, name_len))
		return SPEC_NOT_MINE;
	snprintf(pmu->name, sizeof(pmu->name), "%.*s", (int)name_len, text);
	char *line = read_sysfs(pmu, "", "type");
	bool ok = line && text_parse_u64(line, &type) && type <= UINT32_MAX;
	free(line);
	if (!ok) {
		error_set(err, ERROR_NOT_FOUND, "no PMU \"%s\" here (see `ls %s`)", pmu->name,
			  pmu->root);
		return SPEC_ERROR;
	}
	const char *refused = refused_pmu(pmu->name);
	if (refused) {
		error_set(err, ERROR_UNSUPPORTED, "%s", refused);
		return SPEC_ERROR;
	}
	spec->type = (uint32_t)type;
	return SPEC_FOUND;
}

static enum spec_answer resolve_terms(const char *root, const char *text, struct event_spec *spec,
				      struct error *err)
{
	struct pmu pmu = { .root = root };
	const char *slash = strchr(text, '/');
	size_t len = strlen(text);

	if (text[len - 1] != '/' || slash == text + len - 1 ||
	    strchr(slash + 1, '/') < text + len - 1)
		return SPEC_NOT_MINE;
	enum spec_answer answer = open_pmu(&pmu, text, (size_t)(slash - text), spec, err);
	if (answer != SPEC_FOUND)
		return answer;
	char *terms = xstrndup(slash + 1, (size_t)(text + len - 1 - (slash + 1)));
	int result = apply_terms(&pmu, terms, false, spec, err);
	free(terms);
	if (result < 0)
		return SPEC_ERROR;
	spec->name = xstrdup(text);
	return SPEC_FOUND;
}

/* A bare name like mem-loads is an event of the core PMU that has it. */
static enum spec_answer resolve_bare(const char *root, const char *name, struct event_spec *spec,
				     struct error *err)
{
	static const char *const cores[] = { "cpu", "cpu_core", "armv8_pmuv3_0", "armv8_pmuv3" };

	if (!is_plain_name(name, strlen(name)))
		return SPEC_NOT_MINE;
	for (size_t i = 0; i < ARRAY_LEN(cores); i++) {
		char *path = xasprintf("%s/%s/events/%s", root, cores[i], name);
		bool found = access(path, F_OK) == 0;
		free(path);
		if (!found)
			continue;
		char *text = xasprintf("%s/%s/", cores[i], name);
		enum spec_answer answer = resolve_terms(root, text, spec, err);
		free(text);
		return answer;
	}
	return SPEC_NOT_MINE;
}

enum spec_answer spec_pmu_resolve(const char *root, const char *text, struct event_spec *spec,
				  struct error *err)
{
	return strchr(text, '/') ? resolve_terms(root, text, spec, err)
				 : resolve_bare(root, text, spec, err);
}

static bool is_attribute_file(const char *name)
{
	static const char *const endings[] = { ".scale", ".unit", ".per-pkg", ".snapshot" };
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_LEN(endings); i++) {
		size_t n = strlen(endings[i]);
		if (len > n && strcmp(name + len - n, endings[i]) == 0)
			return true;
	}
	return false;
}

struct lister {
	struct pmu pmu;
	const struct name_sink *sink;
};

static int put_alias(void *ctx, const struct dirent *entry)
{
	const struct lister *l = ctx;

	if (is_attribute_file(entry->d_name))
		return 0;
	char *name = xasprintf("%s/%s/", l->pmu.name, entry->d_name);
	char *terms = read_sysfs(&l->pmu, "events", entry->d_name);
	int stop = name_sink_put(l->sink, name, "pmu", terms);
	free(terms);
	free(name);
	return stop;
}

static int put_pmu(void *ctx, const struct dirent *entry)
{
	struct lister *l = ctx;

	if (strlen(entry->d_name) >= sizeof(l->pmu.name))
		return 0;
	snprintf(l->pmu.name, sizeof(l->pmu.name), "%s", entry->d_name);
	char *path = xasprintf("%s/%s/events", l->pmu.root, l->pmu.name);
	int stop = spec_each_entry(path, put_alias, l);
	free(path);
	return stop;
}

int spec_pmu_each(const char *root, const struct name_sink *sink)
{
	struct lister l = { .pmu.root = root, .sink = sink };

	return spec_each_entry(root, put_pmu, &l);
}
