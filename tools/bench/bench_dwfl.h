/* libdwfl over a target's captured stacks. */
#ifndef BENCH_DWFL_H
#define BENCH_DWFL_H

#include "target.h"

struct bench_dwfl;
struct bench_dwfl *bench_dwfl_new(struct target *t);
/* The frames' addresses; their number. */
size_t bench_dwfl_walk(struct bench_dwfl *d, const struct unwind_request *rq, uint64_t *pcs,
		       size_t max);
void bench_dwfl_free(struct bench_dwfl *d);

#endif
