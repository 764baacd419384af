/* A program under ptrace. */
#include "target.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static void take_regs(struct target *t)
{
	const struct user_regs_struct *r = &t->regs;
	const uint64_t value[] = { r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi,
				   r->rbp, r->rsp, r->r8,  r->r9,  r->r10, r->r11,
				   r->r12, r->r13, r->r14, r->r15, r->rip };
	t->unwind_regs.pc = r->rip;
	memcpy(t->unwind_regs.value, value, sizeof(value));
	t->unwind_regs.valid = (1u << ARRAY_LEN(value)) - 1;
}

/* After a resumption: wait, note the signal it stopped for, read the registers. */
static bool settle(struct target *t)
{
	if (waitpid(t->pid, &t->status, __WALL) != t->pid || !WIFSTOPPED(t->status)) {
		t->ended = true;
		return false;
	}
	int sig = WSTOPSIG(t->status);
	t->signal_number = sig == SIGTRAP ? 0 : sig;
	if (ptrace(PTRACE_GETREGS, t->pid, NULL, &t->regs) != 0)
		return false;
	take_regs(t);
	return true;
}

int target_start(struct target *t, char *const argv[])
{
	*t = (struct target){ 0 };
	t->stack = malloc(TARGET_STACK_MAX);
	t->pid = fork();
	if (t->pid == 0) {
		personality(ADDR_NO_RANDOMIZE);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(argv[0], argv);
		_exit(127);
	}
	t->leader = t->pid;
	if (t->pid < 0 || !settle(t))
		return -1;
	ptrace(PTRACE_SETOPTIONS, t->pid, NULL, (void *)(long)PTRACE_O_EXITKILL);
	target_read_maps(t);
	return 0;
}

static bool resume(struct target *t, int request)
{
	if (t->ended)
		return false;
	long sig = t->signal_number;
	if (ptrace((enum __ptrace_request)request, t->pid, NULL, (void *)sig) != 0)
		return false;
	return settle(t);
}

bool target_step(struct target *t)
{
	return resume(t, PTRACE_SINGLESTEP);
}

bool target_continue(struct target *t)
{
	return resume(t, PTRACE_CONT);
}

bool target_run_for(struct target *t, unsigned microseconds)
{
	long sig = t->signal_number;
	if (t->ended || ptrace(PTRACE_CONT, t->pid, NULL, (void *)sig) != 0)
		return false;
	usleep(microseconds);
	kill(t->pid, SIGSTOP);
	while (settle(t)) {
		if (t->signal_number == SIGSTOP) {
			t->signal_number = 0;
			return true;
		}
		sig = t->signal_number; /* one of its own came first */
		if (ptrace(PTRACE_CONT, t->pid, NULL, (void *)sig) != 0)
			break;
	}
	return false;
}

bool target_run_to_thread(struct target *t)
{
	unsigned long tid;
	const long options = PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE;
	ptrace(PTRACE_SETOPTIONS, t->pid, NULL, (void *)options);
	if (!target_continue(t) || t->status >> 16 != PTRACE_EVENT_CLONE ||
	    ptrace(PTRACE_GETEVENTMSG, t->pid, NULL, &tid) != 0)
		return false;
	t->pid = (pid_t)tid;
	if (!settle(t))
		return false;
	t->signal_number = 0; /* the stop that comes with the attachment */
	target_read_maps(t);
	return true;
}

static uint64_t program_entry(const struct target *t)
{
	char path[64];
	unsigned long pair[2], entry = 0;
	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)t->pid);
	FILE *f = fopen(path, "re");
	while (f && fread(pair, sizeof(pair), 1, f) == 1)
		if (pair[0] == AT_ENTRY)
			entry = pair[1];
	if (f)
		fclose(f);
	return entry;
}

bool target_run_to_entry(struct target *t)
{
	uint64_t entry = program_entry(t);
	if (t->regs.rip == entry)
		return true;
	void *at = (void *)(uintptr_t)entry;
	errno = 0;
	long code = ptrace(PTRACE_PEEKTEXT, t->pid, at, NULL);
	if (errno != 0 ||
	    ptrace(PTRACE_POKETEXT, t->pid, at, (void *)((code & ~0xffl) | 0xcc)) != 0)
		return false;
	if (!target_continue(t) || t->regs.rip != entry + 1)
		return false;
	ptrace(PTRACE_POKETEXT, t->pid, at, (void *)code);
	t->regs.rip = entry;
	ptrace(PTRACE_SETREGS, t->pid, NULL, &t->regs);
	take_regs(t);
	target_read_maps(t);
	return true;
}

bool target_read(const struct target *t, uint64_t address, void *out, size_t len)
{
	struct iovec local = { out, len }, remote = { (void *)(uintptr_t)address, len };
	return process_vm_readv(t->pid, &local, 1, &remote, 1, 0) == (ssize_t)len;
}

static struct elf_image *open_image(const struct target *t, const char *path, uint64_t start,
				    uint64_t end)
{
	struct elf_image *image = NULL;
	struct error err = { 0 };
	if (strcmp(path, "[vdso]") == 0) {
		uint8_t *bytes = malloc(end - start);
		if (target_read(t, start, bytes, end - start))
			elf_image_open_memory(&image, bytes, end - start, path, &err);
		free(bytes);
		return image;
	}
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		if (elf_image_open_fd(&image, fd, path, &err) != 0)
			image = NULL;
		close(fd);
	}
	return image;
}

static const struct target_image *find_image(struct target *t, const char *path, uint64_t start,
					     uint64_t end)
{
	for (size_t i = 0; i < t->images.len; i++)
		if (strcmp(t->images.data[i].path, path) == 0)
			return &t->images.data[i];
	struct target_image new = { .path = strdup(path) };
	new.image = open_image(t, path, start, end);
	if (new.image)
		new.module = unwind_module_new(new.image, NULL);
	vec_push(&t->images, new);
	return &t->images.data[t->images.len - 1];
}

/* A mapping begins at a page, its segment perhaps inside: match by the page the segment begins in.
 */
static bool executable_vaddr(const struct elf_image *image, uint64_t offset, uint64_t *vaddr)
{
	for (size_t i = 0; i < elf_image_segment_count(image); i++) {
		const struct elf_segment *s = elf_image_segment(image, i);
		if (s->executable && offset >= (s->file_offset & ~4095ull) &&
		    offset < s->file_offset + s->file_size) {
			*vaddr = s->vaddr - s->file_offset + offset;
			return true;
		}
	}
	return false;
}

static void add_map(struct target *t, uint64_t start, uint64_t end, uint64_t offset,
		    const char *path)
{
	struct target_map map = { .range = { .start = start, .end = end, .kind = UNWIND_RANGE_JIT },
				  .file_offset = offset };
	const char *slash = strrchr(path, '/');
	snprintf(map.name, sizeof(map.name), "%.60s", slash ? slash + 1 : path);
	if (path[0] != '\0' && strcmp(path, "[vsyscall]") != 0) {
		const struct target_image *image = find_image(t, path, start, end);
		uint64_t vaddr;
		map.range.kind = UNWIND_RANGE_UNKNOWN_FILE;
		if (image->module && executable_vaddr(image->image, offset, &vaddr)) {
			map.range.kind = UNWIND_RANGE_ELF;
			map.range.module = image->module;
			map.range.bias = start - vaddr;
		}
	}
	vec_push(&t->maps, map);
}

void target_read_maps(struct target *t)
{
	char path[64], line[512];
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)t->pid);
	FILE *f = fopen(path, "re");
	vec_clear(&t->maps);
	vec_clear(&t->stacks);
	while (f && fgets(line, sizeof(line), f)) {
		unsigned long start, end, offset;
		char mode[5], file[400] = "";
		if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %399s", &start, &end, mode, &offset,
			   file) < 4)
			continue;
		struct target_region region = { start, end };
		if (mode[2] == 'x')
			add_map(t, start, end, offset, file);
		else if (mode[1] == 'w')
			vec_push(&t->stacks, region);
	}
	if (f)
		fclose(f);
}

static uint64_t stack_end(const struct target *t, uint64_t sp)
{
	for (size_t i = 0; i < t->stacks.len; i++)
		if (sp >= t->stacks.data[i].start && sp < t->stacks.data[i].end)
			return t->stacks.data[i].end;
	return 0;
}

void target_read_stack(struct target *t, size_t cut)
{
	uint64_t sp = t->regs.rsp, end = stack_end(t, sp);
	if (end == 0 && t->regs.rsp != 0) { /* the stack grew */
		target_read_maps(t);
		end = stack_end(t, sp);
	}
	size_t len = end > sp ? end - sp : 0;
	t->memory = (struct unwind_memory){ .stack_address = sp, .stack = t->stack };
	if (len > cut) {
		len = cut;
		t->memory.stack_is_cut = true;
	}
	if (len <= TARGET_STACK_MAX && target_read(t, sp, t->stack, len))
		t->memory.stack_len = len;
}

static bool find_range(void *ctx, uint64_t address, struct unwind_range *out)
{
	struct target *t = ctx;
	for (size_t i = 0; i < t->maps.len; i++) {
		struct target_map *map = &t->maps.data[i];
		if (address >= map->range.start && address < map->range.end) {
			*out = map->range;
			out->user = map;
			return true;
		}
	}
	return false;
}

static int read_memory(void *ctx, uint64_t address, void *out, size_t len)
{
	return target_read(ctx, address, out, len) ? 0 : -1;
}

void target_allow_reads(struct target *t)
{
	t->memory.read = read_memory;
	t->memory.read_ctx = t;
}

void target_request(struct target *t, struct unwind_request *rq)
{
	*rq = (struct unwind_request){ .regs = &t->unwind_regs,
				       .memory = &t->memory,
				       .find = find_range,
				       .find_ctx = t,
				       .space = (uint64_t)t->pid };
}

const char *target_place(const struct target *t, uint64_t pc, char *buf, size_t size)
{
	for (size_t i = 0; i < t->maps.len; i++) {
		const struct target_map *map = &t->maps.data[i];
		if (pc < map->range.start || pc >= map->range.end)
			continue;
		snprintf(buf, size, "%#lx (%s+%#lx)", (unsigned long)pc, map->name,
			 (unsigned long)(pc - map->range.bias));
		return buf;
	}
	snprintf(buf, size, "%#lx (unmapped)", (unsigned long)pc);
	return buf;
}

void target_release(struct target *t)
{
	if (t->leader > 0 && !(t->ended && t->pid == t->leader)) {
		kill(t->leader, SIGKILL);
		while (waitpid(-1, NULL, __WALL) > 0)
			;
	}
	for (size_t i = 0; i < t->images.len; i++) {
		unwind_module_free(t->images.data[i].module);
		elf_image_free(t->images.data[i].image);
		free(t->images.data[i].path);
	}
	vec_release(&t->images);
	vec_release(&t->maps);
	vec_release(&t->stacks);
	free(t->stack);
}
