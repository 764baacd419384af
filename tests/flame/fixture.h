/*
 * Profiles for tests, from folded text: "frame;frame;frame WEIGHT" per line, root first, weight in
 * ns and one sample per line unless "WEIGHT COUNT" is given. A frame may start with what it is:
 * "l:" library, "k:" kernel, "j:" JIT, "?:" without name, "s:" synthetic row, "i:" inlined into the
 * frame before it. Lines that start with "#" are about the samples that follow:
 *   #event NAME ns|count|bytes      another event; the first one is task-clock
 *   #thread TID PID COMM            another thread; the first one is app (7)
 *   #at MS                          the time of the next sample; they are 1 ms apart
 */
#ifndef PROF_TESTS_FLAME_FIXTURE_H
#define PROF_TESTS_FLAME_FIXTURE_H

#include "analysis/filter.h"
#include "base/bytes.h"
#include "output/output.h"
#include "profile/profile.h"
#include <stddef.h>

struct fixture {
	struct profile profile;
	struct filter_result all; /* every sample */
};

void fixture_from_folded(struct fixture *f, const char *folded, size_t len);
void fixture_release(struct fixture *f);
void fixture_draw(struct bytes *out, const struct fixture *f, const struct flame_options *options);

#endif
