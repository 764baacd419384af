/* Which modules are worth a download, and what came. */
#include "cmd/fetch.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/progress.h"
#include "record/apart.h"

#define MAX_FILES    16
#define HOT_FRACTION 100 /* of the samples: one in this many */

static uint64_t *count_samples(const struct profile *p)
{
	uint64_t *counts = xcalloc(p->modules.len + 1, sizeof(*counts));

	for (size_t i = 0; i < p->samples.len; i++)
		if (p->samples.data[i].leaf_module < p->modules.len)
			counts[p->samples.data[i].leaf_module]++;
	return counts;
}

static bool lacks_debug_info(const struct profile_module *m)
{
	return m->kind == MODULE_FILE && m->identity == IDENTITY_GNU_BUILD_ID &&
	       m->symbols != SYMBOLS_DEBUG_INFO;
}

/* The hottest module that is left, or p->modules.len; it is taken out of counts. */
static size_t take_hottest(const struct profile *p, uint64_t *counts)
{
	size_t best = p->modules.len;
	uint64_t most = p->samples.len / HOT_FRACTION;

	for (size_t i = 0; i < p->modules.len; i++) {
		if (counts[i] <= most || !lacks_debug_info(&p->modules.data[i]))
			continue;
		best = i;
		most = counts[i];
	}
	if (best < p->modules.len)
		counts[best] = 0;
	return best;
}

struct check {
	int fd;
	const char *file, *build_id;
	enum debuginfod_fault fault;
};

static int run_check(void *ctx, struct files *files, struct error *err)
{
	struct check *c = ctx;

	(void)files;
	(void)err;
	c->fault = debuginfod_check(c->fd, c->file, c->build_id);
	return 0;
}

/* A debuginfod_checker. */
static int check_apart(int fd, const char *file, const char *build_id, enum debuginfod_fault *fault,
		       struct error *err)
{
	struct check c = { .fd = fd, .file = file, .build_id = build_id };
	struct apart_job job = {
		.name = file,
		.run = run_check,
		.ctx = &c,
		.fds = { fd },
		.fd_count = 1,
		.result = &c.fault,
		.result_size = sizeof(c.fault),
	};

	if (apart_run(&job, err) < 0)
		return -1;
	*fault = c.fault;
	return 0;
}

void fetch_debug_files(const struct profile *p, struct debuginfod *d, struct fetch_report *report)
{
	CLEANUP_FREE uint64_t *counts = count_samples(p);
	size_t list[MAX_FILES], count = 0;
	struct progress progress;

	*report = (struct fetch_report){ 0 };
	while (count < MAX_FILES && (list[count] = take_hottest(p, counts)) < p->modules.len)
		count++;
	report->wanted = (uint32_t)count;
	progress_start(&progress, "fetching debug files");
	for (size_t i = 0; i < count; i++) {
		struct error err = { 0 };
		progress_update(&progress, i, count);
		if (debuginfod_fetch(d, profile_str(p, p->modules.data[list[i]].build_id),
				     check_apart, &err) == 0)
			report->fetched++;
		else
			report->last = err;
	}
	progress_end(&progress);
}

void fetch_name_sources(struct profile *p, const struct debuginfod *d)
{
	const char *folder = debuginfod_folder(d);

	for (size_t i = 0; i < p->modules.len; i++) {
		struct profile_module *m = &p->modules.data[i];
		if (strncmp(profile_str(p, m->debug_path), folder, strlen(folder)) == 0)
			m->debug_path = strtab_add_str(&p->strings, "debuginfod");
	}
}
