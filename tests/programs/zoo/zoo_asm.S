/* f(n), called from frames that hold values no caller would find by chance. */
	.text
	.globl	asm_with_cfi
	.type	asm_with_cfi, @function
asm_with_cfi:
	.cfi_startproc
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	subq	$64, %rsp
	.cfi_adjust_cfa_offset 64
	movq	%rdi, %rax
	movq	%rsi, %rdi
	xorl	%ebp, %ebp
	movq	%rbp, (%rsp)
	call	*%rax
	addq	$64, %rsp
	.cfi_adjust_cfa_offset -64
	popq	%rbp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	asm_with_cfi, . - asm_with_cfi

	.globl	asm_without_cfi
	.type	asm_without_cfi, @function
asm_without_cfi:
	pushq	%rbx
	pushq	%r12
	subq	$40, %rsp
	movq	%rdi, %rax
	movq	%rsi, %rdi
	call	*%rax
	addq	$40, %rsp
	popq	%r12
	popq	%rbx
	ret
	.size	asm_without_cfi, . - asm_without_cfi
	.section .note.GNU-stack, "", @progbits
