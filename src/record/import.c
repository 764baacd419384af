/* perf.data → prof.data through the recording pipeline. */
#include "record/import.h"

#include "base/io.h"
#include "base/log.h"
#include "base/memory.h"
#include "event/perf_data.h"
#include "profile/writer.h"
#include "record/apart.h"
#include "record/pipeline.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#define KERNEL_PATH "[kernel.kallsyms]"

bool record_is_perf_data(const void *head, size_t len)
{
	return perf_data_has_magic(head, len);
}

static enum unwind_arch arch_of(const struct perf_data_info *info)
{
	return !strcmp(info->architecture, "aarch64") ? UNWIND_AARCH64 : UNWIND_X86_64;
}

static void describe_events(const struct perf_data *in, struct pipeline_event *out)
{
	for (uint32_t i = 0; i < perf_data_event_count(in); i++) {
		const struct perf_data_event *e = perf_data_event(in, i);
		out[i] = (struct pipeline_event){
			.name = e->name,
			.type = e->type,
			.config = e->config,
			.period = e->is_freq ? 0 : e->period_or_freq,
			.frequency = e->is_freq ? e->period_or_freq : 0,
			.unit = e->is_clock ? UNIT_NS : UNIT_COUNT,
			.flags = e->exclude_kernel ? EVENT_EXCLUDES_KERNEL : 0,
		};
	}
}

/* When a recording ended: what the file system says, or now for a pipe. */
static uint64_t made_realtime_ns(int fd)
{
	struct stat st;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return clock_realtime_ns();
	return (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
}

static struct pipeline *new_pipeline(const struct perf_data *in, int fd, struct files *files,
				     struct profile_writer *writer)
{
	const struct perf_data_info *info = perf_data_info(in);
	uint32_t count = perf_data_event_count(in);
	struct pipeline_event *events = calloc(count ? count : 1, sizeof(*events));
	describe_events(in, events);
	struct pipeline_config config = {
		.files = files,
		.name_files = files,
		.events = events,
		.event_count = count,
		.arch = arch_of(info),
		.imported = true,
		.made_realtime_ns = made_realtime_ns(fd),
		.run = { .exit_status = -1 },
		.machine = { .cpu_count = info->cpu_count },
		.command = info->command,
		.clock = info->clock,
		.tool = "perf.data, imported by prof " PROF_VERSION,
		.hostname = info->hostname,
		.architecture = info->architecture,
		.cpu_model = info->cpu_model,
		.kernel_release = info->kernel_release,
		.boot_id = "",
	};
	struct pipeline *p = pipeline_new(&config, writer);
	free(events);
	if (!perf_data_build_id_count(in))
		pipeline_note(
			p,
			"the recording has no build IDs: names are from the files at the recorded paths "
			"that are older than it");
	for (uint32_t i = 0; i < perf_data_build_id_count(in); i++) {
		const struct perf_data_build_id *id = perf_data_build_id(in, i);
		if (!id->is_kernel)
			task_hint_build_id(pipeline_tasks(p), id->path, id->build_id, id->len);
	}
	return p;
}

/* In the recording, and at once for who asked for it. */
static void tell(struct pipeline *p, const char *name, const char *text)
{
	pipeline_note(p, text);
	log_message(LOG_NOTICE, "%s: %s", name, text);
}

struct import {
	int in_fd, out_fd;
	const char *name;
	struct utsname here;
};

static bool differs(const char *recorded, const char *here)
{
	return *recorded && strcmp(recorded, here) != 0;
}

/* Only the running kernel's functions can be looked up, and a recording may be of another one. */
static void know_kernel(const struct perf_data *in, struct pipeline *p, const struct utsname *here)
{
	const struct perf_data_info *info = perf_data_info(in);
	struct task_module *kernel = task_kernel_module(pipeline_tasks(p));
	for (uint32_t i = 0; i < perf_data_build_id_count(in); i++) {
		const struct perf_data_build_id *id = perf_data_build_id(in, i);
		if (!id->is_kernel || strncmp(id->path, KERNEL_PATH, sizeof(KERNEL_PATH) - 1) != 0)
			continue;
		memcpy(kernel->build_id, id->build_id, id->len);
		kernel->build_id_len = id->len;
		kernel->identity = IDENTITY_GNU_BUILD_ID;
	}
	bool is_known = kernel->build_id_len || kernel->kernel_text || *info->kernel_release;
	bool is_other = differs(info->kernel_release, here->release) ||
			differs(info->hostname, here->nodename);
	kernel->refused = !is_known || is_other;
	free(kernel->note);
	kernel->note =
		is_other
			? xasprintf(
				  "no kernel names: recorded on %.100s with Linux %.100s, not here",
				  *info->hostname ? info->hostname : "a machine",
				  *info->kernel_release ? info->kernel_release
							: "of another version")
		: is_known
			? NULL
			: xstrdup("no kernel names: the recording does not say which kernel it is of");
}

/* perf tells where the kernel's code begins: that is elsewhere after each start. */
static void see_kernel(struct pipeline *p, const struct record *r)
{
	const struct record_mmap *m = &r->u.mmap;
	bool is_kernel = r->kind == RECORD_MMAP && r->pid == UINT32_MAX && m->path &&
			 strncmp(m->path, KERNEL_PATH, sizeof(KERNEL_PATH) - 1) == 0;
	if (is_kernel)
		task_kernel_module(pipeline_tasks(p))->kernel_text = m->file_offset;
}

static int import_records(struct perf_data *in, const struct import *what, struct pipeline *p,
			  struct error *err)
{
	const char *name = what->name;
	struct record r;
	int got;
	uint64_t lost = 0;
	bool is_kernel_known = false;
	while ((got = perf_data_next(in, &r, err)) > 0) {
		if (r.kind == RECORD_LOST_SAMPLES)
			lost += r.u.lost.count;
		see_kernel(p, &r);
		if (r.kind == RECORD_SAMPLE && !is_kernel_known) {
			know_kernel(in, p, &what->here);
			is_kernel_known = true;
		}
		pipeline_look(p, r.time_ns);
		pipeline_record(p, &r, false);
		if (r.kind == RECORD_SAMPLE && pipeline_tick(p, r.time_ns, err) < 0)
			return -1;
	}
	if (got < 0)
		return -1;
	if (perf_data_info(in)->truncated)
		tell(p, name, "the file ends early: what comes after is missing");
	if (perf_data_bad_records(in))
		tell(p, name, "some records are damaged and were skipped");
	struct pipeline_stats stats;
	pipeline_get_stats(p, &stats);
	struct pipeline_end end = {
		.lost_samples = lost,
		.lost_records = stats.lost_records,
		.exit_status = -1,
		.end_ns = stats.last_ns,
		.is_cut = perf_data_info(in)->truncated || perf_data_bad_records(in),
	};
	return pipeline_finish(p, &end, err);
}

static int import(void *ctx, struct files *files, struct error *err)
{
	const struct import *what = ctx;
	struct perf_data *in;
	struct profile_writer *writer;
	struct profile_writer_options options = { .fd = what->out_fd };
	if (perf_data_open(&in, what->in_fd, what->name, err) < 0)
		return -1;
	if (profile_writer_new(&writer, &options, err) < 0) {
		perf_data_free(in);
		return -1;
	}
	struct pipeline *p = new_pipeline(in, what->in_fd, files, writer);
	int result = import_records(in, what, p, err);
	pipeline_free(p);
	profile_writer_free(writer);
	perf_data_free(in);
	return result;
}

int record_import_perf_data(int in_fd, const char *name, int out_fd, struct error *err)
{
	struct import what = { .in_fd = in_fd, .out_fd = out_fd, .name = name };
	uname(&what.here);
	struct apart_job job = {
		.name = name, .run = import, .ctx = &what, .fds = { in_fd, out_fd }, .fd_count = 2
	};
	return apart_run(&job, err);
}
