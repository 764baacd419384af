/* Functions that are easy to name wrongly: with several names, chosen by the dynamic linker
 * (IFUNC), without a size, without a symbol, and one whose frame pointer register points to a false
 * frame record with a false caller. Truth: states the time of each by the name it must have;
 * "[gap]" has none. decoy_frame never runs. */
#include "burn.h"

NOINLINE void real_name(unsigned long n)
{
	SPIN(n);
}

extern void weak_alias(unsigned long n) __attribute__((weak, alias("real_name")));
extern void __internal_alias(unsigned long n) __attribute__((alias("real_name")));

static NOINLINE void chosen_here(unsigned long n)
{
	SPIN(n);
}

static void (*choose(void))(unsigned long)
{
	return chosen_here;
}

void chosen(unsigned long n) __attribute__((ifunc("choose")));

NOINLINE void decoy_frame(void)
{
	OPAQUE();
}

#if defined(__x86_64__)
#define LOOP "\tmov %rdi, %rax\n1:\tdec %rax\n\tjnz 1b\n"
__asm__(".text\n"
	".globl sized_before\n.type sized_before, @function\n"
	"sized_before:\n\tret\n.size sized_before, . - sized_before\n"
	"\t.p2align 4\n\t.fill 64, 1, 0x90\n"
	".Lgap:\n" LOOP "\tret\n"
	"\t.p2align 4\n"
	".globl zero_size\n.type zero_size, @function\n"
	"zero_size:\n" LOOP "\tret\n"
	".globl gap_address\n.type gap_address, @function\n"
	"gap_address:\n\tlea .Lgap(%rip), %rax\n\tret\n.size gap_address, . - gap_address\n"
	".globl clobber\n.type clobber, @function\n"
	"clobber:\n.cfi_startproc\n"
	"\tpush %rbp\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %rbp, 0\n"
	"\tsub $32, %rsp\n.cfi_adjust_cfa_offset 32\n"
	"\tlea decoy_frame+1(%rip), %rax\n\tmov %rax, 16(%rsp)\n"
	"\tlea 24(%rsp), %rax\n\tmov %rax, 8(%rsp)\n\tmovq $0, 24(%rsp)\n"
	"\tlea 8(%rsp), %rbp\n" LOOP "\tadd $32, %rsp\n.cfi_adjust_cfa_offset -32\n"
	"\tpop %rbp\n.cfi_adjust_cfa_offset -8\n.cfi_restore %rbp\n\tret\n"
	".cfi_endproc\n.size clobber, . - clobber\n");
void sized_before(void);
void zero_size(unsigned long n);
void *gap_address(void);
void clobber(unsigned long n);
#endif

enum { PARTS = 5, PART_NS = 1000000 };

static NOINLINE void caller(void (*f)(unsigned long), unsigned long n, uint64_t *spent)
{
	uint64_t start = cpu_ns(), now;

	do {
		f(n);
		now = cpu_ns();
	} while (now < start + PART_NS);
	*spent += now - start;
}

int main(int argc, char **argv)
{
#if defined(__x86_64__)
	uint64_t end = cpu_ns() + ms_argument(argc, argv, 400), spent[PARTS] = { 0 };
	void (*gap)(unsigned long) = (void (*)(unsigned long))(uintptr_t)gap_address();

	sized_before();
	while (cpu_ns() < end) {
		caller(weak_alias, 100000, &spent[0]);
		caller(chosen, 100000, &spent[1]);
		caller(gap, 500000, &spent[2]);
		caller(zero_size, 500000, &spent[3]);
		caller(clobber, 500000, &spent[4]);
	}
	static const char *const names[PARTS] = { "real_name", "chosen_here", "[gap]", "zero_size",
						  "clobber" };
	for (int i = 0; i < PARTS; i++)
		state_truth(names[i], spent[i]);
	return 0;
#else
	(void)argc, (void)argv;
	return 77;
#endif
}
