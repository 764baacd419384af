/*
 * Output formats: one file, one row each. Every writer is a pure function of (profile, samples, options) into a
 * byte buffer: no /proc, no clock, no terminal. Names come from untrusted binaries: each format escapes for itself.
 */
#ifndef PROF_OUTPUT_OUTPUT_H
#define PROF_OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include "analysis/annotate.h"
#include "analysis/calltree.h"
#include "analysis/difftree.h"
#include "analysis/filter.h"
#include "analysis/flat.h"
#include "analysis/source_texts.h"
#include "analysis/time_range.h"
#include "base/bytes.h"
#include "profile/profile.h"

/* prof report as text. */
enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_CSV, REPORT_MARKDOWN /* tables only */ };
struct report_options {
	enum report_format format;
	enum flat_by by;
	uint32_t width;	      /* columns; 0 = 80 */
	bool colour, unicode;
	bool verbose;	      /* text tables: symbols and other names below each function */
	uint32_t limit;	      /* rows; 0 = what fits a small screen */
	double min_percent;   /* rows below are summed in one line */
	bool tree;	      /* call tree, top down */
	const char *columns;  /* of a table: metrics' names with commas, from counters read with the samples; NULL = none */
	const char *callers, *callees, *peek; /* of this function, peek: both; NULL = no */
	/* Of a command to copy, each behind a space; NULL = "". All that were given but by and limit; of these, those
	 * that say which samples and frames. */
	const char *given, *selection;
	struct calltree_options frames;
};
/* 0, or -1 when a function or metric named in the options is not there (with near matches). */
int output_report(struct bytes *out, const struct profile *p, const struct filter_result *samples, uint32_t event,
		  const struct report_options *options, struct error *err);

/* Parts of it as lines of their own. What ran and how true the recording is; and all findings. */
void output_report_head(struct bytes *out, const struct profile *p, const struct filter_result *samples, uint32_t event,
			const struct report_options *options);
void output_report_findings(struct bytes *out, const struct profile *p, const struct filter_result *samples,
			    uint32_t event, const struct report_options *options);

/* Folded stacks: "comm;root;…;leaf weight\n", sorted; count: samples instead of weights. */
struct folded_options {
	bool count;
	uint64_t bytes_limit; /* above, stacks are cut below a depth that fits; 0 = 1 GiB */
	struct calltree_options frames;
};
void output_folded(struct bytes *out, const struct profile *p, const struct filter_result *samples, uint32_t event,
		   const struct folded_options *options);

/* The flame graph: an SVG, or an HTML page of it. */
struct flame_options {
	const char *title; /* NULL: the command */
	const char *subtitle;
	uint32_t width;	   /* 0 = fluid, drawn for 1200 */
	double min_width_px, min_width_share; /* of the still picture's frames; 0 = default */
	const char *color_by; /* a metric of the event's counters, whose value colours say; NULL: none */
	char hue;	   /* of all frames: that of the kind with this letter (flame_kind_letter); 0 = by kind */
	bool html;	   /* a page around it */
	bool inverted;	   /* icicle: root on top */
	bool reverse;	   /* bottom-up: merged by leaf */
	bool chart;	   /* in the order of time; not with reverse or base */
	const char *count_name; /* NULL: the unit */
	const char *selection;	/* as report_options have it, but for --event and --time */
	const char *time_text;	/* what --time chose the samples by, as it was typed; NULL: all times */
	const struct diff_source *base; /* compare with it; NULL: a graph of one profile */
	bool absolute;	   /* of two: weights, not shares */
	struct calltree_options frames;
};
/* -1: color_by cannot be, with near names. */
int output_flame_check(const struct profile *p, uint32_t event, const struct flame_options *options, struct error *err);
void output_flame(struct bytes *out, const struct profile *p, const struct filter_result *samples, uint32_t event,
		  const struct flame_options *options);

/* prof annotate: a function by line and instruction, as text or JSON. */
enum annotate_view { ANNOTATE_BOTH, ANNOTATE_SOURCE, ANNOTATE_ASM };
struct annotate_options {
	bool json, csv;
	enum annotate_view view;
	bool whole;	      /* all lines or instructions in their order, else the hottest */
	bool full_paths;      /* of source files, else their last part */
	bool colour, unicode;
	uint32_t width;	      /* columns; 0 = 80 */
	uint32_t limit;	      /* lines, or instructions; 0 = what fits a small screen */
	double min_percent;   /* what is below is left out, but for the whole function */
	bool att;	      /* x86 as AT&T writes it, else as Intel does */
	const char *function; /* as it was typed, for commands to copy; NULL: none was */
};
void output_annotate(struct bytes *out, const struct annotation *a, const struct source_texts *texts,
		     const struct annotate_options *options);

/* prof info: everything the file says about itself, as text (unicode: not ASCII alone) or JSON. */
void output_info(struct bytes *out, const struct profile *p, bool json, bool unicode);

#endif
