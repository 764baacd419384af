#include "record_build.h"

#include <string.h>

#include "base/memory.h"

void build_begin(struct bytes *b, uint32_t type, uint16_t misc)
{
	bytes_clear(b);
	bytes_u32(b, type);
	bytes_u16(b, misc);
	bytes_u16(b, 0);
}

void build_two_u32(struct bytes *b, uint32_t first, uint32_t second)
{
	bytes_u32(b, first);
	bytes_u32(b, second);
}

void build_string(struct bytes *b, const char *s)
{
	bytes_append(b, s, strlen(s) + 1);
	while (b->len % 8)
		bytes_u8(b, 0);
}

void build_end(struct bytes *b)
{
	uint16_t size = (uint16_t)b->len;

	memcpy(b->data + 6, &size, sizeof(size));
}

void build_trailer(struct bytes *b, uint64_t id)
{
	build_two_u32(b, 7, 8);
	bytes_u64(b, 1000);
	build_two_u32(b, 3, 0);
	bytes_u64(b, id);
	build_end(b);
}

void fixture_open(void **state, const struct record_layout *layout)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	f->decoder = record_decoder_new();
	record_decoder_add_event(f->decoder, layout);
	*state = f;
}

int fixture_close(void **state)
{
	struct fixture *f = *state;

	record_decoder_free(f->decoder);
	bytes_release(&f->b);
	free_ptr(&f);
	return 0;
}

int fixture_decode(struct fixture *f)
{
	return record_decode(f->decoder, f->b.data, f->b.len, &f->r);
}
