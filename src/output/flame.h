/*
 * The parts of the flame graph writer. An SVG is: header (title, summary, health, legend), still
 * picture (every frame wide enough to see, for image viewers and readers without script), the whole
 * tree as compressed columns, and the script that draws from it. Private to output/, but for what
 * names and kinds look like, which tui/ shares.
 *
 * A "printable" string has gone through text_append_printable: valid UTF-8 without control
 * characters. Cutting and shortening work on printable text; XML escaping is always the last step.
 */
#ifndef PROF_OUTPUT_FLAME_H
#define PROF_OUTPUT_FLAME_H

#include "analysis/calltree.h"
#include "base/bytes.h"
#include "output/output.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct health;

#define FLAME_DEFAULT_WIDTH 1200
#define FLAME_MIN_WIDTH	    200
#define FLAME_MAX_WIDTH	    4000
#define FLAME_MARGIN	    10	   /* px left and right */
#define FLAME_ROW	    17	   /* px from row to row */
#define FLAME_BOX	    16	   /* px of it painted */
#define FLAME_CHAR	    7.25   /* px a column of a label takes: 12 px monospace */
#define FLAME_COLUMNS(width) ((uint32_t)(((width) - 2 * FLAME_MARGIN) / 6.7)) /* of text beside the picture */
#define FLAME_NODE_BUDGET   200000 /* nodes in the embedded tree */
#define FLAME_CHART_NODES   ((size_t)4 << 20) /* of a chart before it is pruned for that */
#define FLAME_ROW_LIMIT	    2000   /* rows of the still picture */
#define FLAME_LABEL_LIMIT   450	   /* frames of it with label and tooltip */
#define FLAME_SHADES	    4
#define FLAME_STEPS	    8 /* shades, or steps of a metric: flame_colour.h */
#define FLAME_KINDS	    8

/* What the nodes of the embedded tree weigh, each itself. The first metric of a graph is what the
 * still picture shows; the script switches between all. They need not come from the tree's profile:
 * any weights of its nodes will do. */
struct flame_metric {
	const char *name;  /* as the user calls it */
	const char *label; /* what a number of it is called when it has no unit */
	uint8_t unit;	   /* enum profile_unit */
	uint8_t flags;
	uint32_t event;		  /* of the samples below; PROFILE_NONE: it is not of them */
	uint64_t *self, *samples; /* by node of the tree; owned */
};

enum {
	FLAME_SUMMED = 1, /* numbers of samples say nothing: another tool had summed them up */
	FLAME_CELLED = 2, /* the payload has its weights by thread and time */
	FLAME_SPREAD = 4, /* no metric: how far a node's share of another one may be off */
};

/* What is known of the recording that the first metric is of. */
struct flame_recorded {
	const struct profile *profile;
	const struct health *health;
	uint32_t event;
	uint64_t due;	/* samples of it */
	bool is_part;	/* there are more samples of it in the recording */
	bool is_titled; /* what the command was is not shown */
};

struct flame_metrics {
	VEC(struct flame_metric) rows;
	const struct flame_recorded *recorded; /* NULL: not told */
	const struct flame_colour *colour; /* NULL: none */
	/* What says more of the metrics that are events: when and in which thread. NULL: nothing. */
	const struct profile *profile;
	const struct filter_result *samples;
	const uint32_t *node_of_sample; /* by entry of samples: of the tree */
};

struct flame_diff;
struct flame_colour;

struct flame_page {
	const struct profile *profile;
	const struct calltree *tree;	     /* top down: what is embedded */
	const struct flame_metrics *metrics; /* of it; one at least */
	const struct calltree *drawn; /* what the still picture shows: the same, or bottom-up */
	const struct flame_options *options;
	const char *health;	/* lines, each ended by '\n' */
	const char *no_samples; /* why there are none; used when the tree is empty */
	uint32_t event;
	uint64_t cut; /* of a chart: samples without all of their frames */
	const struct flame_colour *colour; /* NULL: by kind of code */
	const struct flame_diff *diff; /* NULL: of one profile. Else tree and drawn are of two */
};

/* The whole file. */
void flame_write(struct bytes *out, const struct flame_page *page);

/* Layout: boxes of the frames that are wide enough, parents first, a row's boxes from left to
 * right. */
struct flame_box {
	uint32_t node, row;
	double x, width; /* px from the picture's left edge */
};

struct flame_layout {
	VEC(struct flame_box) boxes;
	uint32_t rows;
	size_t frames; /* all of the tree that have weight: those without a box are too narrow or
			  too deep */
};

void flame_layout_build(struct flame_layout *l, const struct calltree *t, double width,
			double min_width);
void flame_layout_release(struct flame_layout *l);

/* The picture's rows, from y downwards; returns its height in px. */
double flame_picture(struct bytes *out, const struct flame_page *page, const struct flame_layout *l,
		     double y);

/* Title, desc and the visible header; returns its height in px. */
double flame_header(struct bytes *out, const struct flame_page *page, double width);
void flame_title(struct bytes *out, const struct flame_page *page); /* of the document */
/* The graph's <title> and <desc>. */
void flame_describe(struct bytes *out, const struct flame_page *page);
/* What was measured, for how long and where: in one line. */
void flame_summary(struct bytes *out, const struct flame_page *page, uint64_t total,
		   uint64_t samples);
/* Printable text wrapped at spaces; y is the top of its first line; returns the height. */
double flame_lines(struct bytes *out, const char *class, double y, double height, const char *s,
		   size_t len, size_t columns);
/* Health's lines, the first one behind before; as flame_lines. */
double flame_health_lines(struct bytes *out, const char *health, const char *before, double y,
			  size_t columns);
/* How many columns of text stand beside the picture. */
uint32_t flame_text_columns(const struct flame_options *options);
/* Text of n in the event's unit: "1.23 s", "12 345 samples". */
void flame_weight(struct bytes *out, const struct flame_page *page, uint64_t n);

/* The event the page is of, then the others that have weight in samples (those the page's tree was
 * built from, with a node for each; NULL: the page's event only). */
void flame_metrics_build(struct flame_metrics *list, const struct flame_page *page,
			 const struct filter_result *samples, const uint32_t *node_of_sample);
void flame_metrics_release(struct flame_metrics *list);

/* The embedded tree: the zlib stream of its columns in base91. Format in flame_payload.c.
 * True when it tells threads or times apart. */
bool flame_payload(struct bytes *out, const struct calltree *t, const struct flame_metrics *metrics,
		   size_t budget);
/* Which nodes fit the budget, counting one "small frames" node for each parent that loses children:
 * keep[node] is 1 or 0, and 1 for the heaviest by rank, which is never higher than the parent's.
 * rank and keep have nodes.len entries. Kept nodes' parents are kept. */
void flame_prune(const struct calltree *t, const uint64_t *rank, size_t budget, uint8_t *keep);
/* A node's weight with all below it, as its largest share in any of the metrics: for flame_prune;
 * the caller frees. */
uint64_t *flame_rank(const struct calltree *t, const struct flame_metrics *metrics);

struct flame_frame {
	uint32_t key; /* of the tree */
	uint8_t kind;
	bool guessed;
};

/* Which embedded node each node of the tree is, or is summed in. */
struct flame_places {
	uint32_t *slot; /* by node of the tree */
	size_t count;	/* of embedded nodes */
	VEC(struct flame_frame) frames; /* embedded, but number 0, in the order of their nodes */
	struct bytes pops, call, callee, small; /* columns of the format */
};

/* The last part of the tree: metrics->recorded, and how stacks ended. */
void flame_recorded_append(struct bytes *out, struct strtab *strings,
			   const struct flame_metrics *metrics, const struct flame_places *places);
/* How the recording is known to the file. */
struct flame_recorded flame_recorded_of(const struct profile *p,
					const struct filter_result *samples, uint32_t event,
					const struct health *health,
					const struct flame_options *options);
/* A string of the tree, made printable; raw stays as long as strings. */
uint32_t flame_string(struct strtab *strings, const char *raw);

void flame_places_build(struct flame_places *places, const struct calltree *t, const uint8_t *keep);
void flame_places_release(struct flame_places *places);

/* Names. */
void flame_escape(struct bytes *out, const char *s, size_t len); /* raw bytes → printable → XML */
void flame_escape_printable(struct bytes *out, const char *s, size_t len);
/* Printable text cut to columns, "…" at the end when cut. */
void flame_cut(struct bytes *out, const char *s, size_t len, size_t columns);
/* A function name (printable) made to fit: parameters go first, then template arguments, then
 * leading qualifiers, last the end. */
void flame_label(struct bytes *out, const char *name, size_t len, size_t columns);
/* 0..FLAME_SHADES-1: the same for a name in every run. */
unsigned flame_shade(const char *s, size_t len);
char flame_kind_letter(uint8_t kind);			     /* of the colour class */
char flame_hue(const struct flame_page *page, uint8_t kind); /* the letter it is painted with */
const char *flame_kind_name(uint8_t kind);		     /* "library" */
const char *flame_kind_mark(uint8_t kind);		     /* " [k]"; "" for most */

/* Own time of its parent between two calls: of a chart, and not drawn. */
bool flame_is_gap(const struct calltree *t, uint32_t n);
/* The next node in preorder, PROFILE_NONE at the end; skip: not into n's children. */
uint32_t flame_next(const struct calltree *t, uint32_t n, bool skip);

#endif
