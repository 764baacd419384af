/*
 * Writes the seeds of the fuzz target profile_reader into a folder: each small file as it is (first
 * byte 0) and as a list of inflated chunk bodies (first byte 1). Run by hand when the format
 * changes: ninja make_profile_seeds && tests/profile/make_profile_seeds
 * ../tests/corpus/profile_reader
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/compress.h"
#include "base/io.h"
#include "compare.h"
#include "groups.h"
#include "profile/chunk.h"
#include "sample_profile.h"
#include "synthetic.h"

static void save(const char *folder, const char *name, const struct bytes *seed)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || io_write_full(fd, seed->data, seed->len) < 0)
		perror(path);
	if (fd >= 0)
		close(fd);
}

static void append_body(struct bytes *seed, const struct chunk *c)
{
	struct bytes body = { 0 };

	if (c->flags & CHUNK_ZLIB)
		zlib_inflate(&body, c->body, c->stored_len, c->inflated_len, NULL);
	else
		bytes_append(&body, c->body, c->stored_len);
	if (body.len <= UINT16_MAX) {
		bytes_u8(seed, (uint8_t)c->type);
		bytes_u8(seed, (uint8_t)c->epoch);
		bytes_u16(seed, (uint16_t)body.len);
		bytes_append(seed, body.data, body.len);
	}
	bytes_release(&body);
}

static void save_both(const char *folder, const char *name, struct bytes *file)
{
	struct bytes raw = { 0 }, bodies = { 0 };
	struct profile_read_report report = { 0 };
	struct chunk_source source;
	struct chunk c;
	char text[64];

	bytes_u8(&raw, 0);
	bytes_append(&raw, file->data, file->len);
	snprintf(text, sizeof(text), "%s.file", name);
	save(folder, text, &raw);

	bytes_u8(&bodies, 1);
	chunk_source_memory(&source, file->data, file->len);
	source.pos = FILE_HEADER_LEN;
	while (chunk_next(&source, &c, &report))
		append_body(&bodies, &c);
	snprintf(text, sizeof(text), "%s.bodies", name);
	save(folder, text, &bodies);
	bytes_release(&raw);
	bytes_release(&bodies);
	bytes_clear(file);
}

int main(int argc, char **argv)
{
	struct synthetic tiny = { .samples = 40,
				  .samples_per_flush = 20,
				  .leaves = 10,
				  .leaf_span = 5000,
				  .nodes = 12,
				  .flushes_per_epoch = 1,
				  .names = 1,
				  .seed = 1 };
	struct profile_writer_stats stats;
	struct bytes file = { 0 };
	struct profile p;

	if (argc != 2)
		return 2;
	sample_profile(&p);
	write_profile(&p, &file);
	save_both(argv[1], "whole", &file);
	synthetic_record(&tiny, &file, &stats);
	save_both(argv[1], "epochs", &file);
	profile_release(&p);
	bytes_release(&file);
	return 0;
}
