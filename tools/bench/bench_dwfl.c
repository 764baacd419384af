/* libdwfl's unwinder with its memory and registers from a request. */
#include "bench_dwfl.h"
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench_dwfl {
	Dwfl *dwfl;
	bool attached;
	const struct unwind_request *rq;
};

struct walked {
	uint64_t *pcs;
	size_t count, max;
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
};

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	(void)dwfl;
	if (*thread_arg)
		return 0;
	*thread_arg = arg;
	return 1;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread_arg)
{
	(void)dwfl;
	*thread_arg = arg;
	return tid == 1;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *out, void *arg)
{
	const struct bench_dwfl *d = arg;
	const struct unwind_memory *m = d->rq->memory;
	uint64_t offset = address - m->stack_address;
	(void)dwfl;
	if (m->stack_len < sizeof(*out) || offset > m->stack_len - sizeof(*out))
		return false;
	memcpy(out, m->stack + offset, sizeof(*out));
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	const struct bench_dwfl *d = arg;
	Dwarf_Word values[17];
	for (int i = 0; i < 16; i++)
		values[i] = d->rq->regs->value[i];
	values[16] = d->rq->regs->pc;
	return dwfl_thread_state_registers(thread, 0, 17, values);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

static int keep_frame(Dwfl_Frame *frame, void *arg)
{
	struct walked *w = arg;
	Dwarf_Addr pc;
	if (w->count == w->max || !dwfl_frame_pc(frame, &pc, NULL) || pc == 0)
		return DWARF_CB_ABORT;
	w->pcs[w->count++] = pc;
	return DWARF_CB_OK;
}

static const char *path_of(const struct target *t, const struct unwind_module *m)
{
	for (size_t i = 0; i < t->images.len; i++)
		if (m && t->images.data[i].module == m)
			return t->images.data[i].path;
	return NULL;
}

static int attach(Dwfl_Module *m, void **module_data, const char *name, Dwarf_Addr start, void *arg)
{
	struct bench_dwfl *d = arg;
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(m, &bias);
	(void)module_data;
	(void)name;
	(void)start;
	d->attached = elf && dwfl_attach_state(d->dwfl, elf, 1, &thread_callbacks, d);
	return d->attached ? DWARF_CB_ABORT : DWARF_CB_OK;
}

struct bench_dwfl *bench_dwfl_new(struct target *t)
{
	struct bench_dwfl *d = xcalloc(1, sizeof(*d));
	d->dwfl = dwfl_begin(&callbacks);
	dwfl_report_begin(d->dwfl);
	for (size_t i = 0; i < t->maps.len; i++) {
		const struct target_map *map = &t->maps.data[i];
		const char *path = path_of(t, map->range.module);
		bool again = i > 0 && map->range.module == t->maps.data[i - 1].range.module;
		if (path && path[0] == '/' && !again)
			dwfl_report_elf(d->dwfl, path, path, -1, map->range.bias, false);
	}
	dwfl_report_end(d->dwfl, NULL, NULL);
	dwfl_getmodules(d->dwfl, attach, d, 0);
	if (!d->attached)
		fprintf(stderr, "libdwfl: %s\n", dwfl_errmsg(-1));
	return d;
}

size_t bench_dwfl_walk(struct bench_dwfl *d, const struct unwind_request *rq, uint64_t *pcs,
		       size_t max)
{
	struct walked w = { pcs, 0, max };
	d->rq = rq;
	if (d->attached)
		dwfl_getthread_frames(d->dwfl, 1, keep_frame, &w);
	return w.count;
}

void bench_dwfl_free(struct bench_dwfl *d)
{
	dwfl_end(d->dwfl);
	free(d);
}
