/* A call that never returns is the caller's last instruction: its return address lies in the next
 * function. Truth: every stack is main;ends_with_call;forever, and next_victim, which never runs,
 * is in none. */
#include "burn.h"

static uint64_t burn_for;
void forever(void) __attribute__((noreturn));
void ends_with_call(void);
void next_victim(void);

NOINLINE void forever(void)
{
	BURN_NS(burn_for);
	_Exit(0);
}

#if defined(__aarch64__)
#define PUSH_AND_CALL                                                                                  \
	"	stp x29, x30, [sp, #-80]!\n.cfi_def_cfa_offset 80\n.cfi_offset 29,-80\n.cfi_offset 30,-72\n" \
	"	bl forever\n"
#else
#define PUSH_AND_CALL                                                    \
	"	push %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %rbx,0\n" \
	"	sub $64,%rsp\n.cfi_adjust_cfa_offset 64\n"                     \
	"	call forever\n"
#endif

__asm__(".text\n"
	".globl ends_with_call\n.type ends_with_call,@function\n"
	"ends_with_call:\n.cfi_startproc\n" PUSH_AND_CALL
	".cfi_endproc\n.size ends_with_call,.-ends_with_call\n"
	".globl next_victim\n.type next_victim,@function\n"
	"next_victim:\n.cfi_startproc\n	ret\n.cfi_endproc\n.size next_victim,.-next_victim\n");

int main(int argc, char **argv)
{
	burn_for = ms_argument(argc, argv, 400);
	ends_with_call();
	return 0;
}
