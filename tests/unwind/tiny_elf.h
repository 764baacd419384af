/* The smallest ELF file that holds given code and CFI, in memory; file offsets are virtual
 * addresses. */
#ifndef TESTS_UNWIND_TINY_ELF_H
#define TESTS_UNWIND_TINY_ELF_H

#include <stddef.h>
#include <stdint.h>

#define TINY_TEXT	  0x400u
#define TINY_TEXT_MAX	  0x400u
#define TINY_EH_FRAME	  0x800u
#define TINY_EH_FRAME_MAX 0x1000u
#define TINY_HDR	  0x1800u
#define TINY_HDR_MAX	  0x400u
#define TINY_DEBUG	  0x1c00u
#define TINY_DEBUG_MAX	  0x800u
#define TINY_GO		  0x2400u
#define TINY_GO_MAX	  0x800u
#define TINY_SIZE	  0x3000u

struct tiny_part {
	const uint8_t *data;
	size_t len; /* 0: the section is left out; more than its room is cut */
};

struct tiny_elf {
	struct tiny_part text, eh_frame, hdr, debug_frame, go;
	uint16_t machine; /* EM_X86_64 or EM_AARCH64 */
	uint64_t entry;
};

/* Write TINY_SIZE bytes to out. */
void tiny_elf_write(const struct tiny_elf *t, uint8_t *out);

#endif
