/* elfutils' libdwfl over a request. */
#include "oracle.h"
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#define SOME_PID 1

struct known_file {
	char *path;
	uint64_t bias;
};

struct dwfl_space {
	Dwfl *dwfl;
	bool attached;
	VEC(struct known_file) files;
	const struct unwind_request *rq;
	struct oracle_stack *out;
	bool given; /* the only thread */
};

static int find_no_elf(Dwfl_Module *m, void **user, const char *name, Dwarf_Addr base, char **file,
		       Elf **elf)
{
	(void)m;
	(void)user;
	(void)name;
	(void)base;
	(void)file;
	(void)elf;
	return -1;
}

/* The unwinders are to see the same files. */
static int find_no_debuginfo(Dwfl_Module *m, void **user, const char *name, Dwarf_Addr base,
			     const char *file, const char *link, GElf_Word crc, char **out)
{
	(void)m;
	(void)user;
	(void)name;
	(void)base;
	(void)file;
	(void)link;
	(void)crc;
	(void)out;
	return -1;
}

static const Dwfl_Callbacks callbacks = { .find_elf = find_no_elf,
					  .find_debuginfo = find_no_debuginfo,
					  .section_address = dwfl_offline_section_address };

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	struct dwfl_space *s = arg;
	(void)dwfl;
	*thread_arg = s;
	s->given = !s->given;
	return s->given ? SOME_PID : 0;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread_arg)
{
	(void)dwfl;
	*thread_arg = arg;
	return tid == SOME_PID;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *out, void *arg)
{
	struct dwfl_space *s = arg;
	const struct unwind_memory *m = s->rq->memory;
	uint64_t offset = address - m->stack_address;
	(void)dwfl;
	if (m->stack_len >= sizeof(*out) && offset <= m->stack_len - sizeof(*out)) {
		memcpy(out, m->stack + offset, sizeof(*out));
		return true;
	}
	if (m->read && m->read(m->read_ctx, address, out, sizeof(*out)) == 0)
		return true;
	s->out->refused = address;
	return false;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	const struct dwfl_space *s = arg;
	Dwarf_Word value[17];
	memcpy(value, s->rq->regs->value, sizeof(value));
	value[16] = s->rq->regs->pc;
	return dwfl_thread_state_registers(thread, 0, 17, value);
}

static const Dwfl_Thread_Callbacks thread_callbacks = { .next_thread = next_thread,
							.get_thread = get_thread,
							.memory_read = read_memory,
							.set_initial_registers = set_registers };

struct dwfl_space *dwfl_space_new(void)
{
	struct dwfl_space *s = xcalloc(1, sizeof(*s));
	s->dwfl = dwfl_begin(&callbacks);
	return s;
}

static bool is_known(struct dwfl_space *s, const char *name, uint64_t bias)
{
	for (size_t i = 0; i < s->files.len; i++)
		if (strcmp(s->files.data[i].path, name) == 0)
			return true; /* it takes no file a second time, elsewhere */
	struct known_file file = { strdup(name), bias };
	vec_push(&s->files, file);
	return false;
}

/* It takes the descriptor when it succeeds. */
static void report(struct dwfl_space *s, const char *name, int fd, uint64_t bias)
{
	if (fd < 0)
		return;
	dwfl_report_begin_add(s->dwfl);
	if (!dwfl_report_elf(s->dwfl, name, name, fd, bias, true)) {
		fprintf(stderr, "libdwfl does not take %s at %#llx: %s\n", name,
			(unsigned long long)bias, dwfl_errmsg(-1));
		close(fd);
	}
	dwfl_report_end(s->dwfl, NULL, NULL);
}

void dwfl_space_add_bytes(struct dwfl_space *s, const char *name, const void *bytes, size_t len,
			  uint64_t bias)
{
	if (is_known(s, name, bias))
		return;
	int fd = memfd_create(name, MFD_CLOEXEC);
	if (fd >= 0 && write(fd, bytes, len) != (ssize_t)len) {
		close(fd);
		fd = -1;
	}
	report(s, name, fd, bias);
}

void dwfl_space_add(struct dwfl_space *s, const char *path, uint64_t bias)
{
	/* The vdso's section headers are its last bytes. */
	const Elf64_Ehdr *vdso = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	if (strcmp(path, "[vdso]") == 0 && vdso)
		dwfl_space_add_bytes(s, path, vdso,
				     vdso->e_shoff + (size_t)vdso->e_shnum * vdso->e_shentsize,
				     bias);
	else if (!is_known(s, path, bias))
		report(s, path, open(path, O_RDONLY | O_CLOEXEC), bias);
}

static int keep_frame(Dwfl_Frame *state, void *arg)
{
	struct dwfl_space *s = arg;
	struct oracle_stack *out = s->out;
	struct unwind_range range;
	Dwarf_Addr pc;
	bool exact;
	if (out->count == ORACLE_FRAMES_MAX || !dwfl_frame_pc(state, &pc, &exact) || pc == 0 ||
	    !s->rq->find(s->rq->find_ctx, exact ? pc : pc - 1, &range))
		return DWARF_CB_ABORT;
	if (out->refused >= s->rq->memory->stack_address)
		out->refused = 0; /* what is below is missed only later, where a step needs it */
	out->frames[out->count++] = (struct unwind_frame){
		pc, range.user, out->count ? exact ? FRAME_SIGNAL : FRAME_CFI : FRAME_REGISTER
	};
	return DWARF_CB_OK;
}

void dwfl_space_walk(struct dwfl_space *s, const struct unwind_request *rq,
		     struct oracle_stack *out)
{
	s->rq = rq;
	s->out = out;
	s->given = false;
	out->count = 0;
	out->refused = 0;
	out->uninformed = false;
	out->words[0] = '\0';
	if (!s->attached && !dwfl_attach_state(s->dwfl, NULL, SOME_PID, &thread_callbacks, s)) {
		snprintf(out->words, sizeof(out->words), "%s", dwfl_errmsg(-1));
		return;
	}
	s->attached = true;
	int result = dwfl_getthread_frames(s->dwfl, SOME_PID, keep_frame, s);
	out->failed = result < 0;
	if (out->failed)
		snprintf(out->words, sizeof(out->words), "%s", dwfl_errmsg(-1));
}

void dwfl_space_free(struct dwfl_space *s)
{
	if (!s)
		return;
	dwfl_end(s->dwfl);
	for (size_t i = 0; i < s->files.len; i++)
		free(s->files.data[i].path);
	vec_release(&s->files);
	free(s);
}
