/*
 * The second opinion: libunwind's remote interface over the same request. Its accessors read the
 * request's registers and memory only; a module's search table is handed to
 * dwarf_search_unwind_table, which libunwind exports without a header. What it reads there comes
 * from the image, not from the process.
 */
#include "unwind/check_libunwind.h"
#include "unwind/module.h"
#include <string.h>

#if defined(__x86_64__)

#include <libunwind.h>

/* Exported, but in no header. */
int _Ux86_64_dwarf_search_unwind_table(unw_addr_space_t space, unw_word_t ip, unw_dyn_info_t *di,
				       unw_proc_info_t *pi, int need_unwind_info, void *arg);

struct opinion {
	const struct unwind_request *rq;
	struct unwind_range range; /* the last one found */
	struct libunwind_trail trail;
};

static bool find(struct opinion *o, uint64_t address)
{
	if (o->range.end != 0 && address >= o->range.start && address < o->range.end)
		return true;
	o->range = (struct unwind_range){ 0 };
	return o->rq->find(o->rq->find_ctx, address, &o->range);
}

/* The bytes of the module that the last found code belongs to. */
static bool read_module(const struct opinion *o, uint64_t address, void *out, size_t len)
{
	const uint8_t *p =
		o->range.module ? module_code(o->range.module, address - o->range.bias, len) : NULL;
	if (p)
		memcpy(out, p, len);
	return p != NULL;
}

static int access_mem(unw_addr_space_t space, unw_word_t address, unw_word_t *value, int write,
		      void *arg)
{
	struct opinion *o = arg;
	const struct unwind_memory *m = o->rq->memory;
	uint64_t offset = address - m->stack_address;
	(void)space;
	if (write)
		return -UNW_EREADONLYREG;
	if (m->stack_len >= sizeof(*value) && offset <= m->stack_len - sizeof(*value)) {
		memcpy(value, m->stack + offset, sizeof(*value));
		return 0;
	}
	if (read_module(o, address, value, sizeof(*value)))
		return 0;
	if (m->read && m->read(m->read_ctx, address, value, sizeof(*value)) == 0)
		return 0;
	o->trail.refused = address;
	return -UNW_EINVAL;
}

static int access_reg(unw_addr_space_t space, unw_regnum_t reg, unw_word_t *value, int write,
		      void *arg)
{
	const struct unwind_regs *regs = ((struct opinion *)arg)->rq->regs;
	(void)space;
	if (write || reg < 0 || reg > UNW_X86_64_RIP)
		return -UNW_EBADREG;
	if (reg == UNW_X86_64_RIP)
		*value = regs->pc;
	else if (regs->valid >> reg & 1)
		*value = regs->value[reg];
	else
		return -UNW_EBADREG;
	return 0;
}

static int search_table(unw_addr_space_t space, struct opinion *o, unw_word_t ip,
			unw_proc_info_t *pi, int need)
{
	struct module_table table;
	if (!find(o, ip) || !o->range.module || !module_search_table(o->range.module, &table))
		return -UNW_ENOINFO;
	unw_dyn_info_t di = { 0 };
	di.format = UNW_INFO_FORMAT_REMOTE_TABLE;
	di.start_ip = o->range.start;
	di.end_ip = o->range.end;
	di.u.rti.segbase = table.hdr_vaddr + o->range.bias;
	di.u.rti.table_data = table.entries_vaddr + o->range.bias;
	di.u.rti.table_len = table.entries_len / sizeof(unw_word_t);
	return _Ux86_64_dwarf_search_unwind_table(space, ip, &di, pi, need, o);
}

static int find_proc_info(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *pi, int need,
			  void *arg)
{
	struct opinion *o = arg;
	int result = search_table(space, o, ip, pi, need);
	o->trail.uninformed = result < 0;
	return result;
}

static void put_unwind_info(unw_addr_space_t space, unw_proc_info_t *pi, void *arg)
{
	(void)space;
	(void)pi;
	(void)arg;
}

static int get_dyn_info_list(unw_addr_space_t space, unw_word_t *list, void *arg)
{
	(void)space;
	(void)arg;
	*list = 0;
	return -UNW_ENOINFO;
}

static int access_fpreg(unw_addr_space_t space, unw_regnum_t reg, unw_fpreg_t *value, int write,
			void *arg)
{
	(void)space;
	(void)reg;
	(void)value;
	(void)write;
	(void)arg;
	return -UNW_EBADREG;
}

static int resume(unw_addr_space_t space, unw_cursor_t *cursor, void *arg)
{
	(void)space;
	(void)cursor;
	(void)arg;
	return -UNW_EINVAL;
}

static int get_proc_name(unw_addr_space_t space, unw_word_t ip, char *buf, size_t len,
			 unw_word_t *offset, void *arg)
{
	(void)space;
	(void)ip;
	(void)buf;
	(void)len;
	(void)offset;
	(void)arg;
	return -UNW_ENOINFO;
}

static size_t walk(unw_cursor_t *cursor, struct opinion *o, struct unwind_frame *frames, size_t max)
{
	size_t n = 0;
	bool exact = true;
	uint8_t how = FRAME_REGISTER;
	while (n < max) {
		unw_word_t pc;
		if (unw_get_reg(cursor, UNW_REG_IP, &pc) < 0 || pc == 0 ||
		    !find(o, exact ? pc : pc - 1))
			break;
		frames[n++] = (struct unwind_frame){ pc, o->range.user, how };
		exact = unw_is_signal_frame(cursor) > 0;
		o->trail = (struct libunwind_trail){ 0 };
		o->trail.last = unw_step(cursor);
		if (o->trail.last <= 0)
			break;
		how = o->trail.uninformed ? FRAME_GUESSED : FRAME_CFI;
	}
	return n;
}

struct libunwind_space *libunwind_space_new(bool caching)
{
	unw_accessors_t accessors = { find_proc_info, put_unwind_info, get_dyn_info_list,
				      access_mem,     access_reg,      access_fpreg,
				      resume,	      get_proc_name };
	unw_addr_space_t space = unw_create_addr_space(&accessors, 0);
	if (space)
		unw_set_caching_policy(space, caching ? UNW_CACHE_GLOBAL : UNW_CACHE_NONE);
	return (struct libunwind_space *)space;
}

size_t libunwind_space_walk(struct libunwind_space *space, const struct unwind_request *rq,
			    struct unwind_frame *frames, size_t max, struct libunwind_trail *trail)
{
	struct opinion o = { .rq = rq };
	unw_cursor_t cursor;
	size_t n = 0;
	if (space && unw_init_remote(&cursor, (unw_addr_space_t)space, &o) == 0)
		n = walk(&cursor, &o, frames, max);
	if (trail)
		*trail = o.trail;
	return n;
}

void libunwind_space_free(struct libunwind_space *space)
{
	if (space)
		unw_destroy_addr_space((unw_addr_space_t)space);
}

#else /* Debian's libunwind speaks for the machine it runs on only */

struct libunwind_space *libunwind_space_new(bool caching)
{
	(void)caching;
	return NULL;
}

size_t libunwind_space_walk(struct libunwind_space *space, const struct unwind_request *rq,
			    struct unwind_frame *frames, size_t max, struct libunwind_trail *trail)
{
	(void)space;
	(void)rq;
	(void)frames;
	(void)max;
	(void)trail;
	return 0;
}

void libunwind_space_free(struct libunwind_space *space)
{
	(void)space;
}

#endif

size_t unwind_check_libunwind(const struct unwind_request *rq, struct unwind_frame *frames,
			      size_t max)
{
	struct libunwind_space *space = libunwind_space_new(false);
	size_t n = libunwind_space_walk(space, rq, frames, max, NULL);
	libunwind_space_free(space);
	return n;
}
