/* The writer's life: epochs, flushes, the sink and what has been written so far. */
#include "profile/writer_private.h"

#include <errno.h>
#include <stdlib.h>

#include "base/io.h"
#include "profile/chunk.h"

#define DEFAULT_LEVEL 6

/* Hand w->out to the sink. After a failure nothing more is tried: what is in the file stays
 * readable. */
static int write_out(struct profile_writer *w)
{
	if (w->failure.code == ERROR_NONE && io_write_full(w->fd, w->out.data, w->out.len) < 0)
		error_set_errno(&w->failure, errno, "cannot write the profile");
	bytes_clear(&w->out);
	return w->failure.code == ERROR_NONE ? 0 : -1;
}

static int report_failure(const struct profile_writer *w, struct error *err)
{
	if (w->failure.code == ERROR_NONE)
		return 0;
	if (err && err->code == ERROR_NONE)
		*err = w->failure;
	return -1;
}

void writer_add_chunk(struct profile_writer *w, uint16_t type, uint64_t *account)
{
	/* The end chunk is found from the file's end: its size is fixed. */
	int level = type == CHUNK_END ? 0 : w->level;
	size_t size = chunk_encode(&w->out, type, w->epoch, &w->body, level);

	*account += size;
	w->stats.total_bytes += size;
	bytes_clear(&w->body);
}

static void open_epoch(struct profile_writer *w)
{
	struct epoch_entry entry = { .offset = w->stats.total_bytes, .epoch = ++w->epoch };

	vec_push(&w->epochs, entry);
	w->epoch_start_bytes = w->stats.total_bytes;
	for (size_t i = 0; i < TABLE_COUNT; i++)
		w->tables[i].first_id = 0;
	w->tables[TABLE_STRINGS].first_id = 1; /* 0 is "" without being written */
	/* Nothing can be read without a schema. A lost one is replaced by that of the epoch before;
	 * the first has none before it and comes twice. */
	for (int copies = w->epoch == 1 ? 2 : 1; copies; copies--) {
		schema_encode(&w->body);
		writer_add_chunk(w, CHUNK_SCHEMA, &w->stats.other_bytes);
	}
}

int profile_writer_new(struct profile_writer **out, const struct profile_writer_options *options,
		       struct error *err)
{
	struct profile_writer *w = xcalloc(1, sizeof(*w));

	*out = NULL;
	w->fd = options->fd;
	w->level = options->compression_level ? options->compression_level : DEFAULT_LEVEL;
	w->nodes.words = w->functions.words = w->aliases.words = 3;
	strtab_init(&w->strings);
	chunk_encode_file_header(&w->out);
	w->stats.total_bytes = w->stats.other_bytes = w->out.len;
	open_epoch(w);
	if (write_out(w) < 0) {
		report_failure(w, err);
		profile_writer_free(w);
		return -1;
	}
	*out = w;
	return 0;
}

void profile_writer_free(struct profile_writer *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < TABLE_COUNT; i++) {
		bytes_release(&w->tables[i].rows);
		bytes_release(&w->tables[i].blob);
		bytes_release(&w->tables[i].update_rows);
		vec_release(&w->tables[i].update_ids);
	}
	strtab_release(&w->strings);
	keyset_release(&w->nodes);
	keyset_release(&w->functions);
	keyset_release(&w->aliases);
	bytes_release(&w->out);
	bytes_release(&w->body);
	vec_release(&w->values);
	vec_release(&w->keys);
	vec_release(&w->epochs);
	free(w);
}

uint32_t profile_writer_epoch(const struct profile_writer *w)
{
	return w->epoch;
}

int profile_writer_flush(struct profile_writer *w, struct error *err)
{
	writer_encode_tables(w);
	write_out(w);
	return report_failure(w, err);
}

int profile_writer_begin_epoch(struct profile_writer *w, struct error *err)
{
	int result = profile_writer_flush(w, err);

	strtab_clear(&w->strings);
	keyset_clear(&w->nodes);
	keyset_clear(&w->functions);
	keyset_clear(&w->aliases);
	open_epoch(w);
	return result;
}

uint64_t profile_writer_epoch_bytes(const struct profile_writer *w)
{
	uint64_t bytes = w->stats.total_bytes - w->epoch_start_bytes;

	/* Rows shrink to about a quarter; bytes are taken as they are. */
	for (size_t i = 0; i < TABLE_COUNT; i++)
		bytes += w->tables[i].rows.len / 4 + w->tables[i].blob.len;
	return bytes;
}

static void encode_index(struct profile_writer *w)
{
	bytes_varint(&w->body, w->epochs.len);
	for (size_t i = 0; i < w->epochs.len; i++) {
		const struct epoch_entry *e = &w->epochs.data[i];
		bytes_varint(&w->body, e->epoch);
		bytes_varint(&w->body, e->offset);
		bytes_varint(&w->body, e->samples);
		bytes_varint(&w->body, e->first_ns);
		bytes_varint(&w->body, e->last_ns);
	}
}

int profile_writer_finish(struct profile_writer *w, struct error *err)
{
	writer_encode_tables(w);
	uint64_t index_offset = w->stats.total_bytes;
	encode_index(w);
	writer_add_chunk(w, CHUNK_INDEX, &w->stats.other_bytes);
	bytes_u64(&w->body, index_offset);
	bytes_u32(&w->body, w->incomplete ? 0 : END_COMPLETE);
	writer_add_chunk(w, CHUNK_END, &w->stats.other_bytes);
	write_out(w);
	return report_failure(w, err);
}

void profile_writer_get_stats(const struct profile_writer *w, struct profile_writer_stats *out)
{
	*out = w->stats;
}
