#include "perf_file.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "record_build.h"
#include "tests.h"

struct perf_data *source_open(struct source *s, const void *bytes, size_t len, struct error *err)
{
	s->fd = memfd_create("perf.data", MFD_CLOEXEC);
	assert_true(s->fd >= 0);
	assert_int_equal(io_write_full(s->fd, bytes, len), 0);
	assert_int_equal(lseek(s->fd, 0, SEEK_SET), 0);
	int status = perf_data_open(&s->data, s->fd, "test.data", err);
	assert_int_equal(status == 0, s->data != NULL);
	return s->data;
}

void source_close(struct source *s)
{
	perf_data_free(s->data);
	close(s->fd);
}

void read_seed(const char *name, struct bytes *out)
{
	struct error err = { 0 };
	char *path = xasprintf("%s/corpus/perf_data/%s", PROF_TEST_DIR, name);

	if (io_read_file(path, out, (size_t)1 << 20, &err) < 0)
		fail_msg("%s", err.text);
	free(path);
}

void put_u64_at(struct bytes *b, size_t at, uint64_t v)
{
	memcpy(b->data + at, &v, sizeof(v));
}

static void write_attr(struct bytes *b, uint64_t config, uint64_t ids_at)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.size = sizeof(attr),
					.config = config,
					.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
						       PERF_SAMPLE_TIME,
					.sample_id_all = 1 };

	bytes_append(b, &attr, sizeof(attr));
	bytes_u64(b, ids_at);
	bytes_u64(b, 8);
}

void writer_begin(struct writer *w)
{
	struct bytes *b = &w->file;

	memset(w, 0, sizeof(*w));
	bytes_append(b, "PERFILE2", 8);
	bytes_u64(b, 104);
	bytes_u64(b, sizeof(struct perf_event_attr) + 16);
	bytes_u64(b, 104 + 16); /* attributes follow the ids */
	bytes_u64(b, 2 * (sizeof(struct perf_event_attr) + 16));
	for (int i = 0; i < 8; i++)
		bytes_u64(b, 0); /* data, event types, features: filled in later */
	bytes_u64(b, 100);
	bytes_u64(b, 200);
	write_attr(b, 5, 104);
	write_attr(b, 6, 112);
	w->data_at = b->len;
}

void write_sample(struct writer *w, uint64_t id, uint64_t time_ns)
{
	build_begin(&w->record, PERF_RECORD_SAMPLE, 0);
	bytes_u64(&w->record, id);
	bytes_u64(&w->record, time_ns + 1000);
	bytes_u64(&w->record, time_ns);
	build_end(&w->record);
	bytes_append(&w->file, w->record.data, w->record.len);
}

void write_round_end(struct writer *w)
{
	build_begin(&w->record, 68, 0);
	build_end(&w->record);
	bytes_append(&w->file, w->record.data, w->record.len);
}

void writer_end(struct writer *w)
{
	put_u64_at(&w->file, 40, w->data_at);
	put_u64_at(&w->file, 48, w->file.len - w->data_at);
}

void writer_release(struct writer *w)
{
	bytes_release(&w->file);
	bytes_release(&w->record);
}
