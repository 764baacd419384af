/* The public C API over the reader: one opaque handle, structs copied out as far as the caller
 * knows them. */
#include "prof/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "profile/profile.h"
#include "profile/reader.h"

struct prof_profile {
	struct profile profile;
	struct profile_read_report report;
};

static struct prof_profile *handle_new(void)
{
	struct prof_profile *p = calloc(1, sizeof(*p));

	if (p)
		profile_init(&p->profile);
	return p;
}

/* Hand the handle over, or end it and tell why. */
static int handle_result(struct prof_profile **out, struct prof_profile *p, int result,
			 const struct error *err, char *error)
{
	*out = NULL;
	if (result == 0 && p) {
		*out = p;
		return 0;
	}
	if (error) {
		_Static_assert(PROF_ERROR_SIZE >= sizeof(err->text), "every message fits");
		memcpy(error, err->text, sizeof(err->text));
	}
	prof_profile_close(p);
	return -1;
}

int prof_profile_open(struct prof_profile **out, const char *path, char *error)
{
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct error err = { 0 };

	if (fd < 0) {
		error_set_errno(&err, errno, "cannot open %s", path);
		return handle_result(out, NULL, -1, &err, error);
	}
	struct prof_profile *p = handle_new();
	if (!p)
		error_set(&err, ERROR_NO_MEMORY, "%s: out of memory", path);
	int result = p ? profile_read_fd(&p->profile, fd, path, &p->report, &err) : -1;
	return handle_result(out, p, result, &err, error);
}

int prof_profile_open_memory(struct prof_profile **out, const void *data, size_t len, char *error)
{
	struct prof_profile *p = handle_new();
	struct error err = { 0 };

	if (!p)
		error_set(&err, ERROR_NO_MEMORY, "out of memory");
	int result =
		p ? profile_read_memory(&p->profile, data, len, "profile", &p->report, &err) : -1;
	return handle_result(out, p, result, &err, error);
}

void prof_profile_close(struct prof_profile *p)
{
	if (!p)
		return;
	profile_release(&p->profile);
	free(p);
}

/* The caller's struct may be of an older or a newer version: what it lacks is cut, what we lack is
 * 0. */
static int copy_out(void *out, size_t size, const void *ours, size_t our_size)
{
	memset(out, 0, size);
	memcpy(out, ours, size < our_size ? size : our_size);
	return 0;
}

int prof_profile_info(const struct prof_profile *p, struct prof_info *out, size_t size)
{
	const struct profile *d = &p->profile;
	const struct profile_health *h = &d->health;
	struct prof_info info = {
		.format_version = p->report.version,
		.complete = h->complete != 0,
		.damaged_chunks = p->report.damaged_chunks,
		.missing_rows = p->report.missing_rows,
		.samples_due = h->due,
		.samples_lost = h->lost_kernel + h->lost_own + p->report.lost_samples,
		.command = "",
		.clock = "",
		.hostname = "",
		.architecture = "",
	};

	if (d->runs.len) {
		const struct profile_run *run = &d->runs.data[0];
		info.start_ns = run->start_ns;
		info.end_ns = run->end_ns;
		info.command = profile_str(d, run->command);
		info.clock = profile_str(d, run->clock);
	}
	if (d->machines.len) {
		info.hostname = profile_str(d, d->machines.data[0].hostname);
		info.architecture = profile_str(d, d->machines.data[0].architecture);
	}
	return copy_out(out, size, &info, sizeof(info));
}

size_t prof_profile_event_count(const struct prof_profile *p)
{
	return p->profile.events.len;
}

int prof_profile_event(const struct prof_profile *p, size_t index, struct prof_event *out,
		       size_t size)
{
	if (index >= p->profile.events.len)
		return -1;
	const struct profile_event *row = &p->profile.events.data[index];
	struct prof_event event = {
		.name = profile_str(&p->profile, row->name),
		.unit = unit_name(row->unit),
		.period = row->period,
		.frequency_hz = row->frequency,
		.exact_total = row->exact_total,
		.counted_with =
			row->group ? profile_leader(&p->profile, (uint32_t)index) : PROF_NONE,
	};
	return copy_out(out, size, &event, sizeof(event));
}

size_t prof_profile_counts(const struct prof_profile *p, size_t sample, struct prof_count *out,
			   size_t capacity)
{
	uint32_t count, first;

	if (sample >= p->profile.samples.len)
		return 0;
	first = profile_find_counts(&p->profile, (uint32_t)sample, &count);
	for (uint32_t i = 0; i < count && i < capacity; i++) {
		const struct profile_count *row = &p->profile.counts.data[first + i];
		out[i] = (struct prof_count){ row->event, row->value };
	}
	return count;
}

size_t prof_profile_task_count(const struct prof_profile *p)
{
	return p->profile.tasks.len;
}

int prof_profile_task(const struct prof_profile *p, size_t index, struct prof_task *out,
		      size_t size)
{
	if (index >= p->profile.tasks.len)
		return -1;
	const struct profile_task *row = &p->profile.tasks.data[index];
	struct prof_task task = {
		.comm = profile_str(&p->profile, row->comm),
		.pid = row->pid,
		.tid = row->tid,
		.start_ns = row->start_ns,
		.end_ns = row->end_ns,
	};
	return copy_out(out, size, &task, sizeof(task));
}

size_t prof_profile_module_count(const struct prof_profile *p)
{
	return p->profile.modules.len;
}

int prof_profile_module(const struct prof_profile *p, size_t index, struct prof_module *out,
			size_t size)
{
	if (index >= p->profile.modules.len)
		return -1;
	const struct profile_module *row = &p->profile.modules.data[index];
	struct prof_module module = {
		.path = profile_str(&p->profile, row->path),
		.build_id = profile_str(&p->profile, row->build_id),
		.kind = module_kind_name(row->kind),
	};
	return copy_out(out, size, &module, sizeof(module));
}

size_t prof_profile_sample_count(const struct prof_profile *p)
{
	return p->profile.samples.len;
}

static uint32_t public_flags(const struct profile_sample *row)
{
	uint32_t flags = 0;

	if (row->flags & SAMPLE_KERNEL)
		flags |= PROF_SAMPLE_KERNEL;
	if (row->flags & SAMPLE_SYNTHETIC)
		flags |= PROF_SAMPLE_SYNTHETIC;
	if (row->end == END_ROOT && !(row->flags & SAMPLE_GUESSED))
		flags |= PROF_SAMPLE_WHOLE;
	return flags;
}

int prof_profile_sample(const struct prof_profile *p, size_t index, struct prof_sample *out,
			size_t size)
{
	if (index >= p->profile.samples.len)
		return -1;
	const struct profile_sample *row = &p->profile.samples.data[index];
	struct prof_sample sample = {
		.time_ns = row->time_ns,
		.weight = row->weight,
		.event = row->event,
		.task = row->task,
		.cpu = row->cpu == PROFILE_CPU_UNKNOWN ? UINT32_MAX : row->cpu,
		.flags = public_flags(row),
		.stack_end = stack_end_name(row->end),
	};
	return copy_out(out, size, &sample, sizeof(sample));
}

/* The caller's list of frames while it fills. */
struct frame_list {
	char *next;
	size_t size, max, count;
};

static void put_frame(struct frame_list *list, const struct prof_frame *frame)
{
	if (list->count++ < list->max) {
		copy_out(list->next, list->size, frame, sizeof(*frame));
		list->next += list->size;
	}
}

/* The inline chain at one address, or one frame without a name. */
static void put_address(const struct profile *d, struct frame_list *list, uint32_t module,
			uint64_t address, uint32_t location)
{
	static const struct profile_location unknown;
	const struct profile_location *l =
		location == PROFILE_NONE ? &unknown : &d->locations.data[location];
	struct prof_frame frame = { .file = "", .module = module, .address = address };

	for (uint32_t i = 0; i < l->frame_count; i++) {
		const struct profile_frame *f = &d->frames.data[l->first_frame + i];
		const struct profile_function *function = &d->functions.data[f->function];
		frame.function = profile_str(d, function->name);
		frame.linkage =
			function->linkage ? profile_str(d, function->linkage) : frame.function;
		frame.file = profile_str(d, f->file);
		frame.line = f->line;
		frame.inlined = i + 1 < l->frame_count;
		put_frame(list, &frame);
	}
	if (l->frame_count == 0)
		put_frame(list, &frame);
}

size_t prof_profile_frames(const struct prof_profile *p, size_t sample, struct prof_frame *frames,
			   size_t max, size_t size)
{
	const struct profile *d = &p->profile;
	struct frame_list list = { (char *)frames, size, max, 0 };

	if (sample >= d->samples.len)
		return 0;
	const struct profile_sample *s = &d->samples.data[sample];
	put_address(d, &list, s->leaf_module, s->leaf_address,
		    profile_find_location(d, s->leaf_module, s->leaf_address));
	for (uint32_t n = s->node; n != PROFILE_NONE; n = d->nodes.data[n].parent) {
		const struct profile_node *node = &d->nodes.data[n];
		put_address(d, &list, node->module, node->address, d->node_location.data[n]);
	}
	return list.count;
}
