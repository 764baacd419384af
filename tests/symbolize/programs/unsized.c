/* A library whose one exported label has no size; what follows it is another function. */
__asm__(".text\n.globl label\n.type label, @function\nlabel:\n\tnop\n\tret\n"
	"\t.p2align 4\n"
	".type hidden_one, @function\n"
	"hidden_one:\n\t.cfi_startproc\n\tnop\n\tnop\n\tret\n\t.cfi_endproc\n"
	".size hidden_one, . - hidden_one\n");
