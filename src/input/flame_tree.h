/* The tree that a flame graph of prof embeds, decoded and checked. Its format is specified in
 * output/flame_payload.c. */
#ifndef PROF_INPUT_FLAME_TREE_H
#define PROF_INPUT_FLAME_TREE_H

#include "base/bytes.h"
#include "base/memory.h"
#include "profile/profile.h"
#include <stdbool.h>

/* What a frame is: the payload's kinds. */
enum flame_kind {
	FLAME_USER,
	FLAME_LIBRARY,
	FLAME_KERNEL,
	FLAME_JIT,
	FLAME_INLINED,
	FLAME_UNKNOWN,
	FLAME_SYNTHETIC,
	FLAME_THREAD,
};

struct flame_string {
	const char *s; /* in the tree's text */
	size_t len;
};

struct flame_tree_frame {
	struct flame_string name, module, file;
	uint32_t line;
	uint8_t kind; /* enum flame_kind */
	bool guessed;
};

struct flame_tree_node {
	uint32_t parent; /* before the node; 0 for node 0, too */
	uint32_t frame;	 /* 0: frames that did not fit */
};

struct flame_tree_weight {
	uint64_t samples, self;
};

enum flame_metric_flags {
	FLAME_METRIC_SUMMED = 1, /* numbers of samples say nothing */
	FLAME_METRIC_CELLED = 2, /* its weights are in cells */
	FLAME_METRIC_SPREAD = 4, /* none: how far shares may be off; left out when read */
};

struct flame_tree_cell {
	uint32_t node, thread, slice;
	struct flame_tree_weight weight;
};

struct flame_tree_thread {
	struct flame_string name, process; /* "comm (tid)", comm; name "": of several */
	uint32_t tid, pid;
};

struct flame_tree_ends { /* of so many of a node's samples, which are not as most */
	uint32_t node;
	uint8_t trait; /* enum stack_end + 16 guessed + 32 read later */
	uint64_t samples;
};

struct flame_tree_metric {
	struct flame_string name, label;       /* label: what a number of it is called */
	uint64_t unit;			       /* enum profile_unit, if known */
	uint64_t flags;			       /* enum flame_metric_flags */
	uint64_t period;		       /* weight per sample, about */
	VEC(struct flame_tree_weight) weights; /* by node */
	VEC(struct flame_tree_cell)
	cells; /* of which weights are the sums; in the order of nodes */
	/* Of the recording; 0 where it is not known. */
	uint64_t event_period, event_frequency, event_total;
	uint8_t event_flags;		  /* EVENT_EXCLUDES_KERNEL, … */
	uint8_t common_trait;		  /* of samples that are not in ends */
	VEC(struct flame_tree_ends) ends; /* in the order of nodes */
};

struct flame_tree_note {
	struct flame_string module, text; /* path; why names are missing */
};

/* The recording of the first metric. */
struct flame_tree_recorded {
	bool is_known; /* files of earlier versions say nothing */
	bool is_part, is_complete;
	uint64_t wall_ns, cpu_busy_ns, cpu_steal_ns;
	uint32_t cpu_count;
	uint64_t health[PROFILE_HEALTH_NUMBERS];
	struct flame_string command, tool, host, architecture;
	VEC(struct flame_tree_note) notes;
};

struct flame_tree {
	bool is_chart;	   /* rows called "[self]" are their parent's own time; set by the caller */
	unsigned version;  /* 1: the only metric has no name here */
	struct bytes text; /* of strings */
	VEC(struct flame_string) strings;
	VEC(struct flame_tree_frame) frames;
	VEC(struct flame_tree_node) nodes;     /* in preorder */
	VEC(struct flame_tree_metric) metrics; /* one at least */
	/* Of cells. None: there are no cells. */
	VEC(struct flame_tree_thread) threads;
	uint64_t slices;		     /* 1: no times */
	uint64_t start_ns, end_ns, slice_ns; /* from the beginning of the profile; rounded up */
	struct flame_tree_recorded recorded;
	bool is_even; /* slices are equal parts from start to end, else of slice_ns each */
};

/* 0, or -1: it is not such a tree. */
int flame_tree_read(struct flame_tree *t, const void *data, size_t len);
void flame_tree_release(struct flame_tree *t);

#endif
