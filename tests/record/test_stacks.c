/* From one sample to its leaf and end. */
#include "profile/writer.h"
#include "record/rows.h"
#include "record/stacks.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define CODE	 0x10000ull
#define PID	 4194300u /* no process has it */
#define SP	 0x7000ull
#define REG_SP	 7 /* the kernel's numbers */
#define REG_IP	 8
#define REG_MASK 0xff01ffull

struct world {
	int fd;
	struct profile_writer *writer;
	struct rows rows;
	struct task_table *tasks;
	struct stacks *stacks;
	struct record record;
	uint64_t stack[8];
};

static void start(struct world *w)
{
	memset(w, 0, sizeof(*w));
	w->fd = memfd_create("stacks", MFD_CLOEXEC);
	struct profile_writer_options options = { .fd = w->fd };
	assert_int_equal(profile_writer_new(&w->writer, &options, NULL), 0);
	rows_init(&w->rows, w->writer);
	struct task_events events = { 0 };
	w->tasks = task_table_new(NULL, &events);
	w->stacks = stacks_new(&(struct stacks_config){
		.rows = &w->rows, .tasks = w->tasks, .arch = UNWIND_X86_64 });
	struct task_map_info map = {
		.start = CODE, .length = 0x1000, .path = "//anon", .executable = true
	};
	task_map(w->tasks, PID, PID, &map, 1);
	w->record.misc = RECORD_MODE_USER;
	w->record.pid = w->record.tid = PID;
	w->record.time_ns = 2;
	struct record_sample *s = &w->record.u.sample;
	s->ip = CODE + 0x20;
	s->user_regs.abi = 2;
	s->user_regs.mask = REG_MASK;
	s->user_regs.value[REG_SP] = SP;
	s->user_regs.value[REG_IP] = CODE + 0x20;
	s->stack = (const uint8_t *)w->stack;
	s->stack_len = sizeof(w->stack);
	s->stack_asked = 4096;
}

static void finish(struct world *w)
{
	stacks_free(w->stacks);
	task_table_free(w->tasks);
	rows_release(&w->rows);
	profile_writer_free(w->writer);
	close(w->fd);
}

static uint64_t leaf(struct world *w)
{
	struct stacks_result out;
	struct task_thread *t = task_find(w->tasks, PID, PID, 2);
	stacks_resolve(w->stacks, t, &w->record, &out);
	return out.leaf_address;
}

/* The registers say where the stack begins, the event's address where it happened. */
static void precise_address_names_the_leaf(void **state)
{
	struct world w;
	(void)state;
	start(&w);
	assert_int_equal(leaf(&w), CODE + 0x20);
	w.record.u.sample.ip = CODE + 0x10;
	assert_int_equal(leaf(&w), CODE + 0x20); /* not said to be precise */
	w.record.misc |= RECORD_MISC_EXACT_IP;
	assert_int_equal(leaf(&w), CODE + 0x10);
	w.record.u.sample.ip = 0x99999; /* in no mapping */
	assert_int_equal(leaf(&w), CODE + 0x20);
	finish(&w);
}

static uint8_t end_of(struct world *w)
{
	struct stacks_result out;
	stacks_resolve(w->stacks, task_find(w->tasks, PID, PID, w->record.time_ns), &w->record,
		       &out);
	return out.end;
}

/* While execve replaces the program there is no stack but the kernel's. */
static void nothing_but_the_kernel_inside_exec(void **state)
{
	static const uint64_t chain[] = { RECORD_CONTEXT_KERNEL, 0xffffffff81000010ull,
					  0xffffffff81000020ull };
	struct task_map_info map = {
		.start = CODE, .length = 0x1000, .path = "//anon", .executable = true
	};
	struct world w;
	(void)state;
	start(&w);
	w.record.misc = RECORD_MODE_KERNEL;
	w.record.u.sample.chain = (const uint8_t *)chain;
	w.record.u.sample.chain_count = 3;
	w.record.u.sample.user_regs.value[REG_IP] = CODE + 0x5000; /* in no mapping */
	assert_int_equal(end_of(&w), END_KERNEL_ONLY);		   /* but not by exec */
	task_comm(w.tasks, PID, PID, "new", true, 3);
	w.record.time_ns = 4;
	assert_int_equal(end_of(&w), END_ROOT);
	task_map(w.tasks, PID, PID, &map, 5);
	w.record.time_ns = 6;
	assert_int_equal(end_of(&w), END_ROOT);
	w.record.u.sample.user_regs.value[REG_IP] = CODE; /* now it runs */
	end_of(&w);
	w.record.u.sample.user_regs.value[REG_IP] = CODE + 0x5000;
	assert_int_equal(end_of(&w), END_KERNEL_ONLY);
	finish(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(precise_address_names_the_leaf),
		cmocka_unit_test(nothing_but_the_kernel_inside_exec),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
