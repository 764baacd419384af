/* .gnu_debugdata: an xz-compressed ELF file with the symbols that .dynsym lacks (Fedora's
 * "minidebuginfo"). */
#include <lzma.h>

#include "elf/elf_private.h"

#define MAX_MINI_BYTES	   ((size_t)256 << 20)
#define DECODER_MEMORY	   ((uint64_t)128 << 20)
#define FIRST_OUTPUT_BYTES ((size_t)64 << 10)

static bool unxz(const uint8_t *data, size_t len, struct bytes *out)
{
	lzma_stream z = LZMA_STREAM_INIT;
	lzma_ret status = lzma_stream_decoder(&z, DECODER_MEMORY, 0);

	z.next_in = data;
	z.avail_in = len;
	while (status == LZMA_OK && out->len < MAX_MINI_BYTES) {
		bytes_reserve(out, out->len > FIRST_OUTPUT_BYTES ? out->len : FIRST_OUTPUT_BYTES);
		size_t room = out->cap - out->len;
		z.next_out = out->data + out->len;
		z.avail_out = room;
		status = lzma_code(&z, LZMA_FINISH);
		out->len += room - z.avail_out;
	}
	lzma_end(&z);
	return status == LZMA_STREAM_END;
}

struct elf_image *elf_minidebug(struct elf_image *e)
{
	struct elf_section s;

	if (e->mini_known)
		return e->mini;
	e->mini_known = true;
	if (!elf_image_section(e, ".gnu_debugdata", &s) || !s.data)
		return NULL;
	struct bytes plain = { 0 };
	if (unxz(s.data, s.len, &plain))
		elf_image_open_memory(&e->mini, plain.data, plain.len, ".gnu_debugdata", NULL);
	bytes_release(&plain);
	/* An image inside an image inside an image is nobody's honest work. */
	if (e->mini)
		e->mini->mini_known = true;
	return e->mini;
}
