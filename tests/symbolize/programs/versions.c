/* A library with two versions of burn, and a function that a resolver chooses. */
#define NOINLINE __attribute__((noinline, noipa))

NOINLINE unsigned long old_burn(unsigned long n)
{
	return n * 3 / (n | 1);
}

NOINLINE unsigned long new_burn(unsigned long n)
{
	return n * 5 / (n | 1);
}

__asm__(".symver old_burn, burn@V_1");
__asm__(".symver new_burn, burn@@V_2");

NOINLINE static unsigned long chosen(unsigned long n)
{
	return n * 7 / (n | 1);
}

static void *resolve_chosen(void)
{
	return (void *)chosen;
}

unsigned long indirect(unsigned long) __attribute__((ifunc("resolve_chosen")));

/* A resolver without a name of its own. */
__asm__(".text\n.globl bare_indirect\n.type bare_indirect, @gnu_indirect_function\n"
	"bare_indirect:\n\tlea chosen(%rip), %rax\n\tret\n.size bare_indirect, . - bare_indirect\n");

unsigned long drive(unsigned long n)
{
	return old_burn(n) + new_burn(n) + indirect(n);
}
