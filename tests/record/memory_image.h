/* A made-up process's memory, and what a generator of code would put there. */
#ifndef MEMORY_IMAGE_H
#define MEMORY_IMAGE_H

#include <string.h>

#include "record/registered.h"

#define IMAGE_BASE  UINT64_C(0x10000)
#define IMAGE_BYTES ((size_t)64 << 10)
#define CODE	    UINT64_C(0x20000000) /* what is wanted */
#define CODE_BYTES  UINT64_C(0x100000)

struct image {
	uint8_t bytes[IMAGE_BYTES];
	size_t len;
	unsigned reads;
};

static inline void image_put(struct image *m, uint64_t address, const void *data, size_t len)
{
	memcpy(m->bytes + (address - IMAGE_BASE), data, len);
}

static inline void image_u64(struct image *m, uint64_t address, uint64_t v)
{
	image_put(m, address, &v, sizeof(v));
}

static inline void image_u32(struct image *m, uint64_t address, uint32_t v)
{
	image_put(m, address, &v, sizeof(v));
}

static inline ssize_t image_read(void *ctx, uint64_t address, void *out, size_t len)
{
	struct image *m = ctx;
	uint64_t offset = address - IMAGE_BASE;

	m->reads++;
	if (offset >= m->len)
		return -1;
	if (len > m->len - offset)
		len = (size_t)(m->len - offset);
	memcpy(out, m->bytes + offset, len);
	return (ssize_t)len;
}

static inline bool image_wants(void *ctx, uint64_t address)
{
	(void)ctx;
	return address >= CODE && address - CODE < CODE_BYTES;
}

#define CIE_BYTES 24u /* where its FDE begins */
#define CFI_BYTES 52u /* with the terminator */

/* Relative to where it stands; said to stand at another address with a shift. */
static inline void image_cfi(struct image *m, uint64_t address, uint64_t shift, uint64_t code,
			     uint32_t size)
{
	static const uint8_t cie[CIE_BYTES] = { 0x14, 0, 0,    0,    0, 0,    0,    0, 1, 'z',	'R',
						0,    1, 0x78, 0x10, 1, 0x1b, 0x0c, 7, 8, 0x90, 1 };
	static const uint8_t fde[] = { 0x14, 0, 0, 0, 0x1c, 0, 0, 0 };
	uint64_t field = address + CIE_BYTES + 8;

	memset(m->bytes + (address - IMAGE_BASE), 0, CFI_BYTES);
	image_put(m, address, cie, sizeof(cie));
	image_put(m, address + CIE_BYTES, fde, sizeof(fde));
	image_u32(m, field, (uint32_t)(code - (field + shift)));
	image_u32(m, field + 4, size);
}

#endif
