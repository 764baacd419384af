/* One address with several names; code without a symbol; a function without a size. */
__attribute__((noinline)) unsigned long real_name(unsigned long n)
{
	while (n > 1)
		n = n / 2 + n % 2;
	return n;
}

extern unsigned long weak_alias(unsigned long) __attribute__((weak, alias("real_name")));
extern unsigned long __internal_alias(unsigned long) __attribute__((alias("real_name")));

__asm__(".text\n"
	".globl sized_before\n.type sized_before, @function\n"
	"sized_before:\n\tret\n.size sized_before, . - sized_before\n"
	"\t.p2align 4\n"
	"gap:\n\tnop\n\tnop\n\tret\n"
	"\t.p2align 4\n"
	".globl zero_size\n.type zero_size, @function\n"
	"zero_size:\n\tnop\n\tnop\n\tnop\n\tret\n"
	".globl after\n.type after, @function\n"
	"after:\n\tnop\ninner_label:\n\tnop\n\tret\n.size after, . - after\n");

int main(int argc, char **argv)
{
	(void)argv;
	return weak_alias((unsigned long)argc) == 3;
}
