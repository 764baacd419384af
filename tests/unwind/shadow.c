/* Following calls, returns and signals by what an instruction did to pc and stack pointer. */
#include "shadow.h"
#include <string.h>
#include <sys/syscall.h>

#define SIGFRAME_PC 168 /* of the program counter in the context above the return address */

void shadow_before(struct shadow *s, const struct target *t)
{
	s->last_pc = t->regs.rip;
	s->last_sp = t->regs.rsp;
	s->last_rax = t->regs.rax;
	s->delivering = t->signal_number != 0;
	s->code_len = 0;
	for (size_t n = sizeof(s->code); n > 0 && s->code_len == 0; n--)
		if (target_read(t, s->last_pc, s->code, n))
			s->code_len = n;
	memset(s->code + s->code_len, 0, sizeof(s->code) - s->code_len);
}

static const uint8_t *opcode(const struct shadow *s)
{
	const uint8_t *c = s->code;
	while (*c == 0xf2 || *c == 0xf3 || *c == 0x66 || *c == 0x67 || (*c & 0xf0) == 0x40 ||
	       *c == 0x3e)
		c++;
	return c;
}

static bool is_call(const struct shadow *s)
{
	const uint8_t *c = opcode(s);
	return c[0] == 0xe8 || (c[0] == 0xff && (c[1] & 0x38) == 0x10);
}

static bool is_syscall(const struct shadow *s)
{
	return s->code[0] == 0x0f && s->code[1] == 0x05;
}

bool shadow_maps_changed(const struct shadow *s)
{
	uint64_t n = s->last_rax;
	return is_syscall(s) && (n == SYS_mmap || n == SYS_munmap || n == SYS_mprotect ||
				 n == SYS_mremap || n == SYS_brk);
}

static void push(struct shadow *s, uint64_t slot, uint64_t ra, bool interrupted)
{
	struct shadow_call call = { slot, ra, interrupted };
	vec_push(&s->calls, call);
}

/* A signal was delivered: its frame holds the restorer's address first. */
static void push_signal(struct shadow *s, const struct target *t, uint64_t interrupted_pc)
{
	uint64_t restorer = 0;
	target_read(t, t->regs.rsp, &restorer, sizeof(restorer));
	push(s, t->regs.rsp, interrupted_pc, true);
	push(s, t->regs.rsp, restorer, false);
}

static void pop_signal(struct shadow *s)
{
	while (s->calls.len != 0 && !s->calls.data[--s->calls.len].interrupted)
		;
}

/* vfork keeps its return address in rdi while the child uses the stack. */
static bool pops_return_address(const struct shadow *s, const struct shadow_call *call)
{
	return s->code_len != 0 && s->code[0] == 0x5f && s->last_sp == call->slot;
}

static bool is_kept(const struct shadow *s)
{
	return s->vfork_slot != 0;
}

static void remove_call(struct shadow *s, size_t i)
{
	memmove(&s->calls.data[i], &s->calls.data[i + 1],
		(s->calls.len - i - 1) * sizeof(s->calls.data[0]));
	s->calls.len--;
}

/* Drop calls whose slot the stack pointer has passed (longjmp, and epilogues that adjust first).
 * Those of other stacks stay until their turn comes again. */
static void drop_passed(struct shadow *s, const struct target *t)
{
	for (size_t i = s->calls.len; i > 0; i--) {
		const struct shadow_call *call = &s->calls.data[i - 1];
		if (call->interrupted)
			return;
		if (t->regs.rsp - call->slot > (1u << 20) && call->slot - t->regs.rsp > (1u << 20))
			continue;
		if (call->slot >= t->regs.rsp || call->slot == s->vfork_slot)
			return;
		remove_call(s, i - 1);
	}
}

/* Between the pop of the return address and the return or push that follows. */
static void watch_vfork(struct shadow *s, const struct target *t)
{
	const struct shadow_call *top = s->calls.len ? &s->calls.data[s->calls.len - 1] : NULL;
	if (top && !top->interrupted && pops_return_address(s, top))
		s->vfork_slot = top->slot;
	else if (is_kept(s) && t->regs.rsp != s->vfork_slot + 8)
		s->vfork_slot = 0;
}

void shadow_after(struct shadow *s, const struct target *t)
{
	uint64_t slot = t->regs.rsp, ra = 0;
	/* A handler's third argument, the context, lies right above its return address. */
	if (s->delivering && t->regs.rip != s->last_pc && t->regs.rdx == slot + 8) {
		push_signal(s, t, s->last_pc);
		return;
	}
	if (is_call(s) && slot == s->last_sp - 8 && target_read(t, slot, &ra, 8) &&
	    ra - s->last_pc <= 9 && ra > s->last_pc) {
		push(s, slot, ra, false);
	} else if (is_syscall(s) && s->last_rax == SYS_rt_sigreturn) {
		pop_signal(s);
	}
	watch_vfork(s, t);
	drop_passed(s, t);
}

static const struct target_region *region_of(const struct target *t, uint64_t address)
{
	for (size_t i = 0; i < t->stacks.len; i++)
		if (address >= t->stacks.data[i].start && address < t->stacks.data[i].end)
			return &t->stacks.data[i];
	return NULL;
}

size_t shadow_frames(const struct shadow *s, const struct target *t, uint64_t *pcs, size_t max)
{
	size_t n = 0;
	const struct target_region *stack = region_of(t, t->regs.rsp);
	if (n < max)
		pcs[n++] = t->regs.rip;
	for (size_t i = s->calls.len; i > 0 && n < max; i--) {
		const struct shadow_call *call = &s->calls.data[i - 1];
		uint64_t pc = call->return_address;
		if (stack && region_of(t, call->slot) != stack)
			continue; /* a coroutine that waits, or the code it was entered from */
		/* What was interrupted may have been on another stack. */
		if (call->interrupted)
			stack = i > 1 ? region_of(t, s->calls.data[i - 2].slot) : NULL;
		if (call->slot == s->vfork_slot) {
			pcs[n++] = pc;
			continue;
		}
		/* Handlers and C++'s unwinder may have changed where it goes on. */
		target_read(t, call->slot + (call->interrupted ? 8 + SIGFRAME_PC : 0), &pc,
			    sizeof(pc));
		pcs[n++] = pc;
	}
	return n;
}

void shadow_release(struct shadow *s)
{
	vec_release(&s->calls);
}
