/*
 * The other end of gdb_stops.py: for each stop of a process it says what gdb found; here prof,
 * libunwind and libdwfl look at the same process, and what differs is counted by its class.
 *
 * Standard input, again and again, numbers but the first in hexadecimal: PID TID, 17 registers by
 * DWARF number, a count and why gdb ended, the frames. Each is answered by a line; the end by the
 * table.
 */
#include "oracle.h"
#include "target.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench {
	struct target target;
	struct unwinder *unwinder;
	struct oracle_tally tally;
	struct unwind_frame own[ORACLE_FRAMES_MAX];
	struct oracle_stack gdb, other;
};

static const char *map_name(const void *user)
{
	return ((const struct target_map *)user)->name;
}

static bool read_stop(struct bench *b)
{
	struct target *t = &b->target;
	int pid, tid;
	if (scanf("%d %d", &pid, &tid) != 2)
		return false;
	t->pid = pid;
	for (unsigned i = 0; i < 17; i++)
		if (scanf("%" SCNx64, &t->unwind_regs.value[i]) != 1)
			return false;
	t->unwind_regs.pc = t->unwind_regs.value[16];
	t->unwind_regs.valid = (1u << 17) - 1;
	t->regs.rsp = t->unwind_regs.value[7];
	if (scanf("%zu %63[^\n]", &b->gdb.count, b->gdb.words) != 2 ||
	    b->gdb.count > ORACLE_FRAMES_MAX)
		return false;
	for (size_t i = 0; i < b->gdb.count; i++)
		if (scanf("%" SCNx64, &b->gdb.frames[i].pc) != 1)
			return false;
	return true;
}

static void tell_dwfl(const struct target *t, struct dwfl_space *space)
{
	for (size_t i = 0; i < t->maps.len; i++)
		for (size_t k = 0; k < t->images.len; k++)
			if (t->maps.data[i].range.module &&
			    t->images.data[k].module == t->maps.data[i].range.module)
				dwfl_space_add(space, t->images.data[k].path,
					       t->maps.data[i].range.bias);
}

/* As with the others, what lies in no mapping is no frame. */
static void end_where_nothing_is(struct oracle_stack *gdb, const struct unwind_request *rq)
{
	struct unwind_range range;
	for (size_t i = 1; i < gdb->count; i++)
		if (gdb->frames[i].pc == 0 ||
		    !rq->find(rq->find_ctx, gdb->frames[i].pc - 1, &range)) {
			gdb->count = i;
			return;
		}
}

static void compare(struct bench *b)
{
	struct unwind_request rq;
	struct dwfl_space *space = dwfl_space_new();
	target_read_maps(&b->target);
	target_read_stack(&b->target, TARGET_STACK_MAX);
	target_request(&b->target, &rq);
	tell_dwfl(&b->target, space);
	end_where_nothing_is(&b->gdb, &rq);
	unwinder_invalidate(b->unwinder);
	struct oracle_subject own = { .rq = &rq, .frames = b->own, .module_name = map_name };
	own.count = unwind_stack(b->unwinder, &rq, b->own, ORACLE_FRAMES_MAX, &own.end);
	b->tally.frames += own.count;
	b->tally.whole += own.end == END_ROOT;
	oracle_compare(&b->tally, ORACLE_GDB, &own, &b->gdb);
	oracle_libunwind(&rq, &b->other);
	oracle_compare(&b->tally, ORACLE_LIBUNWIND, &own, &b->other);
	dwfl_space_walk(space, &rq, &b->other);
	oracle_compare(&b->tally, ORACLE_LIBDWFL, &own, &b->other);
	b->tally.stacks++;
	dwfl_space_free(space);
}

int main(void)
{
	struct bench *b = xcalloc(1, sizeof(*b));
	b->target.stack = xmalloc(TARGET_STACK_MAX);
	b->unwinder = unwinder_new(UNWIND_X86_64);
	while (read_stop(b)) {
		compare(b);
		printf("seen\n");
		fflush(stdout);
	}
	oracle_print(&b->tally);
	int result = oracle_unclassified(&b->tally) != 0;
	unwinder_free(b->unwinder);
	target_release(&b->target);
	oracle_tally_release(&b->tally);
	free(b);
	return result;
}
