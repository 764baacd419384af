/*
 * Machine code without a frame pointer, and the CFI that tells where its caller is: nothing else
 * does. It clears the frame pointer, and its way to the return leads through a register, so that
 * following it does not help. It calls what it is given.
 */
#ifndef JIT_FRAMELESS_H
#define JIT_FRAMELESS_H

#include "burn.h"

#include <string.h>

#define FRAMELESS_SIZE 64
#define FRAMELESS_MOST 0x50 /* bytes that the code takes of the stack, beside the frame pointer */

typedef void frameless_callback(unsigned long ms);
typedef void frameless_function(frameless_callback *f, unsigned long ms);

#if defined(__x86_64__)
#define FRAMELESS_AT   6 /* where the size of its frame stands in it */
#define FRAMELESS_BACK 0x24
static const unsigned char frameless_code[] = {
	0x55,							  /* push rbp */
	0x31, 0xed,						  /* xor ebp, ebp */
	0x48, 0x83, 0xec, FRAMELESS_MOST,			  /* sub rsp, FRAME */
	0x48, 0xc7, 0x04, 0x24,		  0x00, 0x00, 0x00, 0x00, /* mov qword [rsp], 0 */
	0x48, 0x89, 0xf8,					  /* mov rax, rdi */
	0x48, 0x89, 0xf7,					  /* mov rdi, rsi */
	0xff, 0xd0,						  /* call rax */
	0x48, 0x8d, 0x0d, 0x03,		  0x00, 0x00, 0x00,	  /* lea rcx, [rip + 3] */
	0xff, 0xe1,						  /* jmp rcx */
	0xcc,							  /* int3 */
	0x48, 0x83, 0xc4, FRAMELESS_MOST,			  /* add rsp, FRAME */
	0x5d,							  /* pop rbp */
	0xc3,							  /* ret */
};
#else
#define FRAMELESS_AT   0
#define FRAMELESS_BACK 0
static const unsigned char frameless_code[1];
#endif

/* CIE: CFA = rsp + 8, the return address at CFA - 8. FDE: 16 + the frame from the sub on; behind it
 * a terminator. Zeroes: where the code is, its length, the CFA. */
static const unsigned char frameless_cfi[] = {
	0x14, 0,    0,	  0,	0,    0, 0, 0,	  1,	'z', 'R',  0,	 1,    0x78, 16, 1,    0x1b,
	0x0c, 7,    8,	  0x90, 1,    0, 0, 0x24, 0,	0,   0,	   0x1c, 0,    0,    0,	 0,    0,
	0,    0,    0,	  0,	0,    0, 0, 0x41, 0x0e, 16,  0x86, 2,	 0x46, 0x0e, 0,	 0x5e, 0x0e,
	16,   0x41, 0x0e, 8,	0xc6, 0, 0, 0,	  0,	0,   0,	   0,	 0,    0,    0,	 0,    0,
};
#define FRAMELESS_ENCODING 16 /* of where the code is */
#define FRAMELESS_FDE	   24
#define FRAMELESS_PC_BEGIN 32 /* where those stand */
#define FRAMELESS_LENGTH   36
#define FRAMELESS_CFA	   48

/* Whether there is such code for this architecture. */
static inline int has_frameless(void)
{
	return sizeof(frameless_code) > 1;
}

static inline void emit_frameless(unsigned char *at, unsigned frame)
{
	memcpy(at, frameless_code, sizeof(frameless_code));
	at[FRAMELESS_AT] = at[FRAMELESS_BACK] = (unsigned char)frame;
}

/* The CFI of such code, to stand so far in front of it (of its own beginning). */
static inline void emit_frameless_cfi(unsigned char *out, long to_code, unsigned frame)
{
	int32_t from_field = (int32_t)(to_code - FRAMELESS_PC_BEGIN);

	memcpy(out, frameless_cfi, sizeof(frameless_cfi));
	memcpy(out + FRAMELESS_PC_BEGIN, &from_field, sizeof(from_field));
	out[FRAMELESS_LENGTH] = FRAMELESS_SIZE;
	out[FRAMELESS_CFA] = (unsigned char)(16 + frame);
}

static NOINLINE void jit_burn(unsigned long ms)
{
	BURN_NS(ms * 1000000);
}

#endif
