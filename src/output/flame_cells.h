/*
 * The samples of the embedded nodes by thread and slice of time: cells, so that the script can show
 * some threads and a span of time. They are as fine as their budget allows: slices get longer
 * first, then the lightest threads become one, and beyond that there are none.
 */
#ifndef PROF_OUTPUT_FLAME_CELLS_H
#define PROF_OUTPUT_FLAME_CELLS_H

#include "output/flame.h"

#define FLAME_CELL_BUDGET 65536 /* cells of all metrics together */

struct flame_cell {
	uint32_t slot; /* embedded node */
	uint32_t thread, slice;
	uint64_t samples, weight;
};

struct flame_cell_list {
	VEC(struct flame_cell) rows; /* by slot, thread and slice; each of these once */
};

struct flame_thread {
	char *name;    /* "comm (tid)" as its heaviest row of tasks has it; "": the ones that became
			  one */
	char *process; /* the command of its process; "" where it is not known */
	uint32_t tid, pid;
	uint64_t weight; /* in the first metric */
};

enum flame_cells_state {
	FLAME_CELLS_NONE, /* one thread, and no times: nothing to choose */
	FLAME_CELLS_TOO_MANY,
	FLAME_CELLS_THERE,
};

struct flame_cells {
	enum flame_cells_state state;
	VEC(struct flame_thread) threads; /* heaviest first; those from thread_count on are one */
	uint32_t thread_count;		  /* of different ones in cells */
	uint32_t slices;	       /* equal parts of the time from start to end; 1: no times */
	uint64_t start_ns, end_ns;     /* from the beginning of the profile */
	struct flame_cell_list *lists; /* by metric; empty for those of no event */
	size_t list_count;
};

/* Of the metrics that name an event; places: of the tree they are about. */
void flame_cells_build(struct flame_cells *c, const struct flame_metrics *metrics,
		       const struct flame_places *places, size_t budget);
void flame_cells_release(struct flame_cells *c);

#endif
