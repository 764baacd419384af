; The same as zoo_asm.S by an assembler that knows no CFI.
section .text
global asm_with_cfi:function (asm_with_cfi.end - asm_with_cfi)
asm_with_cfi:
	push	rbx
	sub	rsp, 64
	mov	rax, rdi
	mov	rdi, rsi
	call	rax
	add	rsp, 64
	pop	rbx
	ret
.end:

global asm_without_cfi:function (asm_without_cfi.end - asm_without_cfi)
asm_without_cfi:
	push	rbx
	push	r12
	sub	rsp, 40
	mov	rax, rdi
	mov	rdi, rsi
	call	rax
	add	rsp, 40
	pop	r12
	pop	rbx
	ret
.end:
section .note.GNU-stack noalloc noexec nowrite progbits
