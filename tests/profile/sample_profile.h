/* A small profile with rows in every table and values at the edges of every column. */
#ifndef PROF_TESTS_SAMPLE_PROFILE_H
#define PROF_TESTS_SAMPLE_PROFILE_H

#include "profile/profile.h"

void sample_profile(struct profile *p); /* initializes, fills and indexes *p */
/* The same without what the first files did not have. */
void first_sample_profile(struct profile *p);

#endif
