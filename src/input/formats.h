/* The rows of input_formats. */
#ifndef PROF_INPUT_FORMATS_H
#define PROF_INPUT_FORMATS_H

#include "input/input.h"
#include "profile/reader.h"

extern const struct input_format input_prof_data, input_perf_data, input_perf_script, input_pprof,
	input_flame, input_folded;

/* prof.data's reading report as notes; returns how many were added. */
uint32_t input_note_report(struct profile *p, const struct profile_read_report *report);

#endif
