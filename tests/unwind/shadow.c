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

/* Drop calls whose slot the stack pointer has passed (longjmp, and epilogues that adjust first). */
static void drop_passed(struct shadow *s, const struct target *t)
{
	while (s->calls.len != 0) {
		const struct shadow_call *top = &s->calls.data[s->calls.len - 1];
		if (top->interrupted || top->slot >= t->regs.rsp ||
		    t->regs.rsp - top->slot > (1u << 20))
			return;
		s->calls.len--;
	}
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
	drop_passed(s, t);
}

size_t shadow_frames(const struct shadow *s, const struct target *t, uint64_t *pcs, size_t max)
{
	size_t n = 0;
	if (n < max)
		pcs[n++] = t->regs.rip;
	for (size_t i = s->calls.len; i > 0 && n < max; i--) {
		const struct shadow_call *call = &s->calls.data[i - 1];
		uint64_t pc = call->return_address;
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
