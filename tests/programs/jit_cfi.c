/*
 * Generated code without a frame pointer: only the CFI in its jitdump tells where its caller is.
 * It clears the frame pointer, and its way to the return leads through a register, so that
 * following it does not help. It calls jit_burn.
 *
 * usage: jit_cfi MILLISECONDS MODE
 *   cfi      jit-PID.dump in the working directory, with unwinding information
 *   replaced the same, where code with another frame stood before and was run
 *   bare     without
 */
#include "burn.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CODE_SIZE  64
#define FRAME	   0x50 /* bytes that the code takes of the stack, beside the frame pointer */
#define FRAME_AT   6	/* where that stands in it */
#define FRAME_BACK 0x24

typedef void callback(unsigned long ms);
typedef void function(callback *f, unsigned long ms);

#if defined(__x86_64__)
static const unsigned char code[] = {
	0x55,						 /* push rbp */
	0x31, 0xed,					 /* xor ebp, ebp */
	0x48, 0x83, 0xec, FRAME,			 /* sub rsp, FRAME */
	0x48, 0xc7, 0x04, 0x24,	 0x00, 0x00, 0x00, 0x00, /* mov qword [rsp], 0 */
	0x48, 0x89, 0xf8,				 /* mov rax, rdi */
	0x48, 0x89, 0xf7,				 /* mov rdi, rsi */
	0xff, 0xd0,					 /* call rax */
	0x48, 0x8d, 0x0d, 0x03,	 0x00, 0x00, 0x00,	 /* lea rcx, [rip + 3] */
	0xff, 0xe1,					 /* jmp rcx */
	0xcc,						 /* int3 */
	0x48, 0x83, 0xc4, FRAME,			 /* add rsp, FRAME */
	0x5d,						 /* pop rbp */
	0xc3,						 /* ret */
};
#else
static const unsigned char code[1];
#endif

/* CIE: CFA = rsp + 8, the return address at CFA - 8. FDE: 16 + FRAME from the sub on. */
static unsigned char eh_frame[] = {
	0x14,	    0,	  0,  0,    0,	  0, 0, 0, 1,	 'z', 'R', 0, 1,    0x78, 16, 1,
	0x1b,	    0x0c, 7,  8,    0x90, 1, 0, 0, 0x24, 0,   0,   0, 0x1c, 0,	  0,  0,
#define PC_BEGIN 32
	0,	    0,	  0,  0,       /* from here to the code */
	CODE_SIZE,  0,	  0,  0,    0, /* its length; no augmentation data */
	0x41,	    0x0e, 16, 0x86, 2, /* behind the push */
	0x46,	    0x0e,
#define CFA_OFFSET 48
	16 + FRAME,				   /* behind the sub */
	0x5e,	    0x0e, 16,			   /* behind the add */
	0x41,	    0x0e, 8,  0xc6,		   /* behind the pop */
	0,	    0,	  0,  0,    0,	  0, 0, 0, /* to the end of the FDE, and a terminator */
	0,	    0,	  0,  0,
};
static const unsigned char eh_frame_hdr[4] = { 1, 0xff, 0xff, 0xff }; /* no search table */

static void put(FILE *f, const void *data, size_t len)
{
	fwrite(data, 1, len, f);
}

static void put_u32(FILE *f, uint32_t v)
{
	put(f, &v, sizeof(v));
}

static void put_u64(FILE *f, uint64_t v)
{
	put(f, &v, sizeof(v));
}

static void put_time(FILE *f)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	put_u64(f, (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec);
}

static FILE *open_dump(void)
{
	char path[64];

	snprintf(path, sizeof(path), "jit-%d.dump", getpid());
	FILE *f = fopen(path, "w+");
	mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f), 0);
	put_u32(f, 0x4a695444);
	put_u32(f, 1);
	put_u32(f, 40);
	put_u32(f, 62);
	put_u32(f, 0);
	put_u32(f, (uint32_t)getpid());
	put_time(f);
	put_u64(f, 0);
	return f;
}

static void dump_unwinding(FILE *f, unsigned frame)
{
	int32_t to_code = -(CODE_SIZE + PC_BEGIN);

	memcpy(eh_frame + PC_BEGIN, &to_code, sizeof(to_code));
	eh_frame[CFA_OFFSET] = (unsigned char)(16 + frame);
	put_u32(f, 4);
	put_u32(f, 16 + 24 + sizeof(eh_frame) + sizeof(eh_frame_hdr));
	put_time(f);
	put_u64(f, sizeof(eh_frame) + sizeof(eh_frame_hdr));
	put_u64(f, sizeof(eh_frame_hdr));
	put_u64(f, 0);
	put(f, eh_frame, sizeof(eh_frame));
	put(f, eh_frame_hdr, sizeof(eh_frame_hdr));
}

static void dump_load(FILE *f, const unsigned char *at, const char *name)
{
	put_u32(f, 0);
	put_u32(f, (uint32_t)(56 + strlen(name) + 1 + CODE_SIZE));
	put_time(f);
	put_u32(f, (uint32_t)getpid());
	put_u32(f, (uint32_t)getpid());
	put_u64(f, (uint64_t)at);
	put_u64(f, (uint64_t)at);
	put_u64(f, CODE_SIZE);
	put_u64(f, 1);
	put(f, name, strlen(name) + 1);
	put(f, at, CODE_SIZE);
	fflush(f);
}

static NOINLINE void jit_burn(unsigned long ms)
{
	BURN_NS(ms * 1000000);
}

/* The code with this frame at the address, told, and run. */
static NOINLINE void run(FILE *f, unsigned char *at, unsigned frame, const char *name, int has_cfi,
			 unsigned long ms)
{
	memcpy(at, code, sizeof(code));
	at[FRAME_AT] = at[FRAME_BACK] = (unsigned char)frame;
	if (has_cfi)
		dump_unwinding(f, frame);
	dump_load(f, at, name);
	((function *)(uintptr_t)at)(jit_burn, ms);
	OPAQUE();
}

int main(int argc, char **argv)
{
	unsigned long ms = (unsigned long)(ms_argument(argc, argv, 1000) / 1000000);
	const char *mode = argc > 2 ? argv[2] : "cfi";
	unsigned char *region = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (sizeof(code) == 1 || region == MAP_FAILED)
		return 77;
	FILE *f = open_dump();
	if (!strcmp(mode, "replaced")) {
		run(f, region, FRAME, "jit_before", 1, ms / 2);
		ms -= ms / 2;
	}
	run(f, region, strcmp(mode, "replaced") ? FRAME : FRAME - 0x20, "jit_frameless",
	    strcmp(mode, "bare"), ms);
	fclose(f);
	return 0;
}
