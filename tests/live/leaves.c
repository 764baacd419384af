/*
 * leaves FILE: the interrupted address of each sample of a prof.data, one a line, through the
 * public API; fields end with tabs:
 *
 *   KIND ADDRESS TIME_NS TID MODULE LINKAGE FUNCTION INNERMOST
 *
 * LINKAGE and FUNCTION name the physical function, INNERMOST what is inlined there; "" where
 * unknown.
 */
#include <inttypes.h>
#include <stdio.h>

#include "prof/profile.h"

#define FRAMES_MAX 256

static const char *text(const char *s)
{
	return s ? s : "";
}

static void print_leaf(const struct prof_profile *p, size_t i)
{
	struct prof_frame frames[FRAMES_MAX] = { 0 };
	struct prof_sample sample = { 0 };
	struct prof_task task = { 0 };
	struct prof_module module = { .kind = "none", .path = "" };
	size_t n = prof_profile_frames(p, i, frames, FRAMES_MAX, sizeof(frames[0]));
	size_t physical = 0;

	n = n < FRAMES_MAX ? n : FRAMES_MAX;
	while (physical + 1 < n && frames[physical].inlined)
		physical++;
	if (n != 0)
		prof_profile_module(p, frames[0].module, &module, sizeof(module));
	prof_profile_sample(p, i, &sample, sizeof(sample));
	prof_profile_task(p, sample.task, &task, sizeof(task));
	printf("%s\t%" PRIx64 "\t%" PRIu64 "\t%u\t%s\t%s\t%s\t%s\n", module.kind, frames[0].address,
	       sample.time_ns, task.tid, module.path, text(frames[physical].linkage),
	       text(frames[physical].function), text(frames[0].function));
}

int main(int argc, char **argv)
{
	char error[PROF_ERROR_SIZE];
	struct prof_profile *p;

	if (argc != 2)
		return 2;
	if (prof_profile_open(&p, argv[1], error) < 0) {
		fprintf(stderr, "%s\n", error);
		return 1;
	}
	for (size_t i = 0; i < prof_profile_sample_count(p); i++)
		print_leaf(p, i);
	prof_profile_close(p);
	return 0;
}
