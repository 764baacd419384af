/*
 * Generated code without a frame pointer: only the CFI in its jitdump tells where its caller is.
 * It calls jit_burn.
 *
 * usage: jit_cfi MILLISECONDS MODE
 *   cfi      jit-PID.dump in the working directory, with unwinding information
 *   replaced the same, where code with another frame stood before and was run
 *   bare     without
 */
#include "jit_dump.h"
#include "jit_frameless.h"
#include "old_map.h"

static void dump_unwinding(FILE *f, unsigned frame)
{
	static const unsigned char eh_frame_hdr[4] = { 1, 0xff, 0xff, 0xff }; /* no search table */
	unsigned char cfi[sizeof(frameless_cfi)];

	/* It is said as if it stood behind the code. */
	emit_frameless_cfi(cfi, -FRAMELESS_SIZE, frame);
	put_prefix(f, 4, 16 + 24 + sizeof(cfi) + sizeof(eh_frame_hdr));
	put_u64(f, sizeof(cfi) + sizeof(eh_frame_hdr));
	put_u64(f, sizeof(eh_frame_hdr));
	put_u64(f, 0);
	put(f, cfi, sizeof(cfi));
	put(f, eh_frame_hdr, sizeof(eh_frame_hdr));
}

/* The code with this frame at the address, told, and run. */
static NOINLINE void run(FILE *f, unsigned char *at, unsigned frame, const char *name, int has_cfi,
			 unsigned long ms)
{
	emit_frameless(at, frame);
	if (has_cfi)
		dump_unwinding(f, frame);
	dump_load(f, at, FRAMELESS_SIZE, name);
	((frameless_function *)(uintptr_t)at)(jit_burn, ms);
	OPAQUE();
}

int main(int argc, char **argv)
{
	unsigned long ms = (unsigned long)(ms_argument(argc, argv, 1000) / 1000000);
	const char *mode = argc > 2 ? argv[2] : "cfi";
	unsigned char *region = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!has_frameless() || region == MAP_FAILED)
		return 77;
	remove_old_map();
	FILE *f = open_dump();
	if (!strcmp(mode, "replaced")) {
		run(f, region, FRAMELESS_MOST, "jit_before", 1, ms / 2);
		ms -= ms / 2;
	}
	run(f, region, strcmp(mode, "replaced") ? FRAMELESS_MOST : FRAMELESS_MOST - 0x20,
	    "jit_frameless", strcmp(mode, "bare"), ms);
	fclose(f);
	return 0;
}
