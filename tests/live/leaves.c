/* leaves FILE: the interrupted address of each sample of a prof.data, one a line: "KIND ADDRESS",
 * through the public API. */
#include <inttypes.h>
#include <stdio.h>

#include "prof/profile.h"

static void print_leaf(const struct prof_profile *p, size_t i)
{
	struct prof_frame frame = { 0 };
	struct prof_module module = { 0 };

	if (prof_profile_frames(p, i, &frame, 1, sizeof(frame)) == 0 ||
	    prof_profile_module(p, frame.module, &module, sizeof(module)) < 0)
		printf("none 0\n");
	else
		printf("%s %" PRIx64 "\n", module.kind, frame.address);
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
