/* Hand-written code: without CFI and frame pointer, with a frame pointer used for something else, with a
 * call as its very last instruction. */
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone))
#define OPAQUE() __asm__ volatile("" ::: "memory")

void no_cfi(long n);
void no_cfi_frame(long n);
void no_cfi_branches(long n);
void clobber(long n);
void ends_with_call(void);

NOINLINE void callback(long n)
{
	for (volatile long i = 0; i < n; i++)
		;
}

NOINLINE void decoy(void)
{
	OPAQUE();
}

__asm__(".text\n"
	".globl callback\n"
	".type no_cfi,@function\n"
	"no_cfi:\n"
	" push %r12\n push %r13\n sub $24,%rsp\n"
	" mov %rdi,%r12\n mov %rdi,%r13\n"
	"1: dec %r13\n jnz 1b\n"
	" mov %r12,%rdi\n call callback\n"
	" add $24,%rsp\n pop %r13\n pop %r12\n ret\n"
	".size no_cfi,.-no_cfi\n"
	".type no_cfi_frame,@function\n"
	"no_cfi_frame:\n"
	" push %rbp\n mov %rsp,%rbp\n push %rbx\n sub $40,%rsp\n"
	" mov %rdi,%rbx\n and $-32,%rsp\n"
	" call callback\n"
	" mov %rbx,%rdi\n call callback\n"
	" mov -8(%rbp),%rbx\n leave\n ret\n"
	".size no_cfi_frame,.-no_cfi_frame\n"
	".type no_cfi_branches,@function\n"
	"no_cfi_branches:\n"
	" push %rbx\n cmp $2,%rdi\n jl 3f\n"
	" lea -128(%rsp),%rsp\n movups %xmm0,16(%rsp)\n"
	" mov %rdi,%rbx\n"
	"2: vpaddd 64(%rsp,%rbx,4),%ymm1,%ymm2\n"
	" lea -1(%rbx),%rdi\n call no_cfi_branches\n"
	" test $1,%bl\n jne 4f\n"
	" lea 128(%rsp),%rsp\n pop %rbx\n ret\n"
	"3: pop %rbx\n movabs $0x1122334455667788,%rax\n jmp 5f\n ud2\n"
	"4: addq $128,%rsp\n pop %rbx\n"
	"5: repz ret\n"
	".size no_cfi_branches,.-no_cfi_branches\n"
	".type clobber,@function\n"
	"clobber:\n"
	".cfi_startproc\n"
	" push %rbp\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %rbp,0\n"
	" sub $32,%rsp\n.cfi_adjust_cfa_offset 32\n"
	" lea decoy+1(%rip),%rax\n mov %rax,16(%rsp)\n"
	" lea 24(%rsp),%rax\n mov %rax,8(%rsp)\n movq $0,24(%rsp)\n"
	" lea 8(%rsp),%rbp\n"
	"1: dec %rdi\n jnz 1b\n"
	" add $32,%rsp\n.cfi_adjust_cfa_offset -32\n"
	" pop %rbp\n.cfi_adjust_cfa_offset -8\n.cfi_restore %rbp\n"
	" ret\n"
	".cfi_endproc\n"
	".size clobber,.-clobber\n"
	".type ends_with_call,@function\n"
	"ends_with_call:\n"
	".cfi_startproc\n"
	" push %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %rbx,0\n"
	" sub $64,%rsp\n.cfi_adjust_cfa_offset 64\n"
	" call finish\n"
	".cfi_endproc\n"
	".size ends_with_call,.-ends_with_call\n"
	".type next_victim,@function\n"
	"next_victim:\n"
	".cfi_startproc\n"
	" ret\n"
	".cfi_endproc\n"
	".size next_victim,.-next_victim\n");

__attribute__((noreturn, used, noinline)) void finish(void);
void finish(void)
{
	callback(3);
	exit(0);
}

int main(void)
{
	no_cfi(3);
	no_cfi_frame(3);
	no_cfi_branches(5);
	clobber(3);
	decoy();
	ends_with_call();
	return 1;
}
