/* The profiles that golden files are made of. */
#ifndef TESTS_OUTPUT_SAMPLE_PROFILE_H
#define TESTS_OUTPUT_SAMPLE_PROFILE_H

#include "build_profile.h"

/* A parser with two threads: recursion, inlining, a library without names, the kernel, long C++
 * names, many small functions, a row that was not sampled, some cut and guessed stacks. */
void sample_profile(struct build *b, struct filter_result *all);
/* A program bound by one of its threads, with page faults, an allocator, copies and lines of its
 * source. */
void screen_profile(struct build *b, struct filter_result *all);
/* Names, commands and paths made to break output: separators, quotes, escapes, bytes that are not
 * UTF-8, 64 kB, bidi controls, digits at the end, newlines, nothing at all. */
void hostile_profile(struct build *b, struct filter_result *all);
/* No samples; its run used 0.3 ms of CPU. */
void empty_profile(struct build *b, struct filter_result *all);

#endif
