/* PMUs in sysfs: finding them, and reading their small files. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"
#include "event/spec_pmu.h"

#define SYSFS_MAX_BYTES 4096

bool pmu_is_plain_name(const char *s, size_t len)
{
	if (len == 0 || s[0] == '.')
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr("_-.", s[i]))
			return false;
	return true;
}

bool pmu_is_attribute_file(const char *name)
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

static char *path_of(const struct pmu *pmu, const char *folder, const char *file)
{
	return xasprintf("%s/%s/%s%s%s", pmu->root, pmu->name, folder, *folder ? "/" : "", file);
}

char *pmu_read(const struct pmu *pmu, const char *folder, const char *file)
{
	struct bytes b = { 0 };
	char *line = NULL, *path = path_of(pmu, folder, file);

	if (io_read_file(path, &b, SYSFS_MAX_BYTES, NULL) == 0) {
		bytes_u8(&b, 0);
		b.data[strcspn((const char *)b.data, "\n")] = '\0';
		line = xstrdup((const char *)b.data);
	}
	free(path);
	bytes_release(&b);
	return line;
}

bool pmu_has(const struct pmu *pmu, const char *folder, const char *file)
{
	char *path = path_of(pmu, folder, file);
	bool has = access(path, F_OK) == 0;

	free(path);
	return has;
}

/* These have a cpumask of the CPUs that have one, and count tasks on them. */
static bool counts_tasks_on_a_mask(const char *name)
{
	return strncmp(name, "arm_spe", 7) == 0 || strncmp(name, "cs_etm", 6) == 0;
}

bool pmu_open(struct pmu *pmu, const char *root, const char *name, size_t len)
{
	uint64_t type;

	*pmu = (struct pmu){ .root = root };
	if (len >= sizeof(pmu->name) || !pmu_is_plain_name(name, len))
		return false;
	memcpy(pmu->name, name, len);
	char *line = pmu_read(pmu, "", "type");
	bool ok = line && text_parse_u64(line, &type) && type <= UINT32_MAX;
	free(line);
	if (!ok)
		return false;
	pmu->type = (uint32_t)type;
	pmu->cpus = pmu_read(pmu, "", "cpus");
	pmu->is_core = pmu->cpus || strcmp(pmu->name, "cpu") == 0;
	if (pmu->is_core)
		return true;
	pmu->cpus = pmu_read(pmu, "", "cpumask");
	pmu->no_task = pmu->cpus && !counts_tasks_on_a_mask(pmu->name);
	return true;
}

void pmu_release(struct pmu *pmu)
{
	free(pmu->cpus);
	pmu->cpus = NULL;
}

struct visit {
	const char *root;
	int (*each)(void *ctx, struct pmu *pmu);
	void *ctx;
};

static int visit_entry(void *ctx, const struct dirent *entry)
{
	const struct visit *v = ctx;
	struct pmu pmu;
	int stop = 0;

	if (pmu_open(&pmu, v->root, entry->d_name, strlen(entry->d_name)))
		stop = v->each(v->ctx, &pmu);
	pmu_release(&pmu);
	return stop;
}

int pmu_each(const char *root, int (*each)(void *ctx, struct pmu *pmu), void *ctx)
{
	struct visit v = { .root = root, .each = each, .ctx = ctx };

	return spec_each_entry(root, visit_entry, &v);
}

size_t pmu_family_length(const char *name)
{
	size_t len = strlen(name), cut = len;

	while (cut > 0 && isdigit((unsigned char)name[cut - 1]))
		cut--;
	if (cut == len)
		return len;
	if (cut > 0 && name[cut - 1] == '_')
		cut--;
	return cut ? cut : len;
}

void pmu_place(const struct pmu *pmu, struct event_spec *spec)
{
	if (!pmu->is_mixed && !pmu->no_task && (pmu->is_core || !pmu->cpus))
		return;
	spec->pmu = xstrdup(pmu->name);
	spec->cpus = pmu->cpus ? xstrdup(pmu->cpus) : NULL;
	spec->no_task = pmu->no_task;
}
