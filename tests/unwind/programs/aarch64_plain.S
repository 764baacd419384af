// Hand-written code without CFI.
	.text
	.macro function name
	.global \name
	.type \name, %function
\name:
	.endm
	.macro end name
	.size \name, . - \name
	.endm

	// Touches no stack: the return address stays in x30.
function plain_leaf
	mov x1, #0
1:	add x1, x1, x0
	subs x0, x0, #1
	b.gt 1b
	mov x0, x1
	ret
end plain_leaf

	// Saves the link register without a frame record.
function plain_saves
	sub sp, sp, #48
	str x30, [sp, #32]
	stp x19, x20, [sp, #16]
	mov x19, x0
	blr x1
	add x0, x0, x19
	ldp x19, x20, [sp, #16]
	ldr x30, [sp, #32]
	add sp, sp, #48
	ret
end plain_saves

	// The usual record.
function plain_record
	stp x29, x30, [sp, #-32]!
	mov x29, sp
	str x19, [sp, #16]
	mov x19, x0
	blr x1
	add x0, x0, x19
	ldr x19, [sp, #16]
	ldp x29, x30, [sp], #32
	ret
end plain_record

	// Two ways out, one before anything is saved.
function plain_branches
	cbz x0, 2f
	str x30, [sp, #-16]!
	cmp x0, #3
	b.lt 1f
	blr x1
1:	ldr x30, [sp], #16
	ret
2:	mov x0, #1
	ret
end plain_branches
	.section .note.GNU-stack, "", %progbits
