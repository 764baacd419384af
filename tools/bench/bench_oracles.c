/*
 * Frame by frame against libunwind and libdwfl: each stack copy of a perf.data is unwound by all
 * three from the same registers and bytes; what differs is counted by its class.
 *
 *   perf record -e cpu-clock --call-graph dwarf,65528 -- command…
 *   bench_oracles [-n every] perf.data
 *
 * The files must still be there, unchanged. Status 1 when a difference has no class.
 */
#include "event/perf_data.h"
#include "files/files.h"
#include "oracle.h"
#include "task/task.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where whole stacks end: to see that threads begin there. */
struct root {
	char module[64];
	uint64_t vaddr, count;
};

struct bench {
	struct task_table *tasks;
	struct unwinder *unwinder;
	VEC(struct unwind_module *) modules; /* by task_module.index */
	struct dwfl_space *dwfl;
	uint64_t dwfl_key;
	uint64_t every, seen, without;
	struct oracle_tally tally;
	VEC(struct root) roots;
	struct unwind_frame own[ORACLE_FRAMES_MAX];
	struct oracle_stack other;
};

struct find_ctx {
	struct bench *bench;
	const struct task_space *space;
};

static struct unwind_module *module_of(struct bench *b, const struct task_module *m)
{
	if (!m->image)
		return NULL;
	while (b->modules.len <= m->index)
		vec_push(&b->modules, (struct unwind_module *)NULL);
	if (!b->modules.data[m->index])
		b->modules.data[m->index] = unwind_module_new(m->image, NULL);
	return b->modules.data[m->index];
}

static bool find(void *ctx, uint64_t address, struct unwind_range *out)
{
	struct find_ctx *f = ctx;
	const struct task_mapping *m = task_find_mapping(f->space, address);
	if (!m)
		return false;
	bool generated = m->module->kind == MODULE_JIT || m->module->kind == MODULE_ANON;
	*out = (struct unwind_range){ .start = m->start,
				      .end = m->end,
				      .bias = m->bias,
				      .module = module_of(f->bench, m->module),
				      .kind = generated		 ? UNWIND_RANGE_JIT
					      : m->module->image ? UNWIND_RANGE_ELF
								 : UNWIND_RANGE_UNKNOWN_FILE };
	memcpy(&out->user, &m, sizeof(m));
	return true;
}

static const char *module_name(const void *user)
{
	const struct task_module *m = ((const struct task_mapping *)user)->module;
	const char *slash = m->path ? strrchr(m->path, '/') : NULL;
	return m->kind == MODULE_JIT || m->kind == MODULE_ANON ? "generated code"
	       : slash					       ? slash + 1
	       : m->path				       ? m->path
							       : "?";
}

static void tell_dwfl(struct bench *b, const struct task_space *space, uint64_t key)
{
	if (b->dwfl && b->dwfl_key == key)
		return;
	dwfl_space_free(b->dwfl);
	b->dwfl = dwfl_space_new();
	b->dwfl_key = key;
	for (size_t i = 0; i < space->mappings.len; i++) {
		const struct task_mapping *m = &space->mappings.data[i];
		if (m->module->image)
			dwfl_space_add(b->dwfl,
				       m->module->kind == MODULE_VDSO ? "[vdso]" : m->module->path,
				       m->bias);
	}
}

static void note_root(struct bench *b, const struct unwind_frame *outermost)
{
	const struct task_mapping *m = outermost->user;
	struct root root = { .vaddr = outermost->pc - (m ? m->bias : 0), .count = 1 };
	snprintf(root.module, sizeof(root.module), "%s", m ? module_name(m) : "?");
	for (size_t i = 0; i < b->roots.len; i++) {
		struct root *known = &b->roots.data[i];
		if (known->vaddr == root.vaddr && strcmp(known->module, root.module) == 0) {
			known->count++;
			return;
		}
	}
	vec_push(&b->roots, root);
}

static void print_roots(const struct bench *b)
{
	printf("outermost frames of whole stacks:\n");
	for (size_t i = 0; i < b->roots.len; i++)
		printf("%8" PRIu64 "  %s+%#" PRIx64 "\n", b->roots.data[i].count,
		       b->roots.data[i].module, b->roots.data[i].vaddr);
}

static void compare(struct bench *b, const struct unwind_request *rq)
{
	struct oracle_subject own = { .rq = rq, .frames = b->own, .module_name = module_name };
	own.count = unwind_stack(b->unwinder, rq, b->own, ORACLE_FRAMES_MAX, &own.end);
	b->tally.frames += own.count;
	b->tally.whole += own.end == END_ROOT;
	if (own.end == END_ROOT)
		note_root(b, &b->own[own.count - 1]);
	oracle_libunwind(rq, &b->other);
	oracle_compare(&b->tally, ORACLE_LIBUNWIND, &own, &b->other);
	dwfl_space_walk(b->dwfl, rq, &b->other);
	oracle_compare(&b->tally, ORACLE_LIBDWFL, &own, &b->other);
	b->tally.stacks++;
}

static void on_sample(struct bench *b, const struct record *r)
{
	const struct record_sample *sample = &r->u.sample;
	const struct task_thread *t = task_find(b->tasks, r->pid, r->tid, r->time_ns);
	struct unwind_regs regs;
	if (b->seen++ % b->every != 0)
		return;
	if (!t->space || sample->user_regs.abi != 2 || sample->stack_len == 0 ||
	    !unwind_regs_from_kernel(&regs, UNWIND_X86_64, sample->user_regs.value,
				     sample->user_regs.mask)) {
		b->without++;
		return;
	}
	struct unwind_memory memory = { .stack_address = regs.value[7],
					.stack = sample->stack,
					.stack_len = sample->stack_len,
					.stack_is_cut =
						sample->stack_len + 8 > sample->stack_asked };
	struct find_ctx ctx = { b, t->space };
	struct unwind_request rq = { .regs = &regs,
				     .memory = &memory,
				     .find = find,
				     .find_ctx = &ctx,
				     .space = (uint64_t)t->space->id << 32 | t->space->version };
	tell_dwfl(b, t->space, rq.space);
	compare(b, &rq);
}

static void on_mmap(struct bench *b, const struct record *r)
{
	const struct record_mmap *m = &r->u.mmap;
	struct task_map_info info = { .start = m->start,
				      .length = m->length,
				      .file_offset = m->file_offset,
				      .path = m->path,
				      .build_id = m->build_id_len ? m->build_id : NULL,
				      .build_id_len = m->build_id_len,
				      .dev_major = m->maj,
				      .dev_minor = m->min,
				      .inode = m->ino,
				      .executable = true };
	if (!m->is_data && (!m->has_prot || m->prot & 4) && r->pid != UINT32_MAX)
		task_map(b->tasks, r->pid, r->tid, &info, r->time_ns);
}

static void on_record(struct bench *b, const struct record *r)
{
	switch (r->kind) {
	case RECORD_SAMPLE:
		on_sample(b, r);
		break;
	case RECORD_MMAP:
		on_mmap(b, r);
		break;
	case RECORD_COMM:
		task_comm(b->tasks, r->pid, r->tid, r->u.comm.name, r->u.comm.is_exec, r->time_ns);
		break;
	case RECORD_FORK:
		task_fork(b->tasks, r->pid, r->tid, r->u.fork.parent_pid, r->u.fork.parent_tid,
			  r->time_ns);
		break;
	case RECORD_EXIT:
		task_exit(b->tasks, r->pid, r->tid, r->time_ns);
		break;
	default:
		break;
	}
}

static int run(struct bench *b, int fd, const char *path)
{
	struct perf_data *in;
	struct record r;
	struct error err = { 0 };
	struct stat st;
	int got;
	if (perf_data_open(&in, fd, path, &err) != 0 || fstat(fd, &st) != 0) {
		fprintf(stderr, "bench_oracles: %s\n", err.text);
		return -1;
	}
	struct files *files = files_direct_new();
	b->tasks = task_table_new(files, NULL);
	task_set_replay(b->tasks, (uint64_t)st.st_mtim.tv_sec * 1000000000u);
	for (uint32_t i = 0; i < perf_data_build_id_count(in); i++) {
		const struct perf_data_build_id *id = perf_data_build_id(in, i);
		if (!id->is_kernel)
			task_hint_build_id(b->tasks, id->path, id->build_id, id->len);
	}
	while ((got = perf_data_next(in, &r, &err)) > 0)
		on_record(b, &r);
	oracle_print(&b->tally);
	print_roots(b);
	printf("%" PRIu64 " samples without a copy of user registers and stack\n", b->without);
	unwinder_free(b->unwinder);
	for (size_t i = 0; i < b->modules.len; i++)
		unwind_module_free(b->modules.data[i]);
	vec_release(&b->modules);
	vec_release(&b->roots);
	dwfl_space_free(b->dwfl);
	task_table_free(b->tasks);
	files_free(files);
	perf_data_free(in);
	return got < 0 || oracle_unclassified(&b->tally) ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct bench *b = xcalloc(1, sizeof(*b));
	int option;
	b->every = 1;
	while ((option = getopt(argc, argv, "n:")) != -1) {
		if (option != 'n')
			return 2;
		b->every = strtoul(optarg, NULL, 10);
	}
	if (optind + 1 != argc || b->every == 0)
		return 2;
	int fd = open(argv[optind], O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		perror(argv[optind]);
		return 1;
	}
	b->unwinder = unwinder_new(UNWIND_X86_64);
	int result = run(b, fd, argv[optind]);
	oracle_tally_release(&b->tally);
	free(b);
	close(fd);
	return result == 0 ? 0 : 1;
}
