/*
 * Fuzz target of the prof.data reader. The first byte chooses: even, the rest is a file as it is;
 * odd, the rest is a list of chunk bodies (type, epoch, 16-bit length, body) around which right
 * headers and checksums are put, so that mutations reach the tables behind them.
 */
#include <stdlib.h>

#include "handmade.h"
#include "profile/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void wrap_chunks(struct bytes *file, struct bytes_reader *r)
{
	handmade_file_header(file, FORMAT_VERSION);
	while (reader_left(r) > 4) {
		uint8_t type = reader_u8(r), epoch = reader_u8(r);
		uint16_t len = reader_u16(r);
		struct bytes body = { 0 };
		if (len > reader_left(r))
			len = (uint16_t)reader_left(r);
		bytes_append(&body, reader_take(r, len), len);
		handmade_raw_chunk(file, type, 0, epoch, &body, len);
		bytes_release(&body);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes file = { 0 };
	struct bytes_reader r;
	struct profile p;

	if (size == 0)
		return 0;
	reader_init(&r, data + 1, size - 1);
	if (data[0] & 1)
		wrap_chunks(&file, &r);
	else
		bytes_append(&file, data + 1, size - 1);

	profile_init(&p);
	int result = profile_read_memory(&p, file.data, file.len, "fuzz", NULL, NULL);
	if (result == 0 && !profile_is_consistent(&p))
		abort();
	profile_release(&p);
	bytes_release(&file);
	return 0;
}
