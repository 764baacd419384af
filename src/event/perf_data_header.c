/*
 * The start of a perf.data file: magic, then either nothing more (pipe format) or the places of
 * attributes and data. An attribute entry is a perf_event_attr of the writer's size, followed by
 * the place of its ids.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "event/perf_data_parts.h"

#define MAGIC		0x32454c4946524550ull /* "PERFILE2" */
#define MAGIC_SWAPPED	0x50455246494c4532ull
#define MAGIC_OLD	0x454c494646524550ull /* "PERFFILE" */
#define HEADER_BYTES	104
#define PIPE_BYTES	16
#define SECTION_BYTES	16 /* offset, size */
#define ATTRS_MAX_BYTES ((uint64_t)16 << 20)
#define IDS_MAX_BYTES	((uint64_t)16 << 20)
#define EVENTS_MAX	65536
#define ATTR_MAX_BYTES	4096

struct section {
	uint64_t offset, size;
};

static struct section read_section(struct bytes_reader *r)
{
	struct section s;

	s.offset = reader_u64(r);
	s.size = reader_u64(r);
	return s;
}

bool perf_data_has_magic(const void *data, size_t len)
{
	struct bytes_reader r;

	reader_init(&r, data, len);
	uint64_t magic = reader_u64(&r);
	return !r.failed && (magic == MAGIC || magic == MAGIC_SWAPPED || magic == MAGIC_OLD);
}

static bool is_known_clock(uint64_t type, uint64_t config)
{
	return type == PERF_TYPE_SOFTWARE &&
	       (config == PERF_COUNT_SW_CPU_CLOCK || config == PERF_COUNT_SW_TASK_CLOCK);
}

static const char *clock_name(int32_t id)
{
	switch (id) {
	case CLOCK_MONOTONIC:
		return "monotonic";
	case CLOCK_MONOTONIC_RAW:
		return "monotonic_raw";
	case CLOCK_REALTIME:
		return "realtime";
	case CLOCK_BOOTTIME:
		return "boottime";
	case CLOCK_TAI:
		return "tai";
	default:
		return "unknown";
	}
}

static void describe_event(struct perf_data_event *e, const struct perf_event_attr *attr)
{
	bool chain = attr->sample_type & PERF_SAMPLE_CALLCHAIN;

	*e = (struct perf_data_event){
		.type = attr->type,
		.config = attr->config,
		.period_or_freq = attr->sample_period,
		.is_freq = attr->freq,
		.exclude_kernel = attr->exclude_kernel,
		.is_clock = is_known_clock(attr->type, attr->config),
		.stack_bytes =
			attr->sample_type & PERF_SAMPLE_STACK_USER ? attr->sample_stack_user : 0,
		.has_user_chain = chain && !attr->exclude_callchain_user,
		.has_kernel_chain = chain && !attr->exclude_callchain_kernel,
	};
}

static void add_ids(struct perf_data *p, uint32_t event, struct bytes_reader *ids)
{
	while (reader_left(ids) >= 8)
		record_decoder_add_id(p->decoder, reader_u64(ids), event);
}

int perf_header_add_event(struct perf_data *p, const uint8_t *bytes, size_t len,
			  struct bytes_reader *ids)
{
	struct perf_event_attr attr = { 0 };
	struct perf_data_event e;

	if (len < PERF_ATTR_SIZE_VER0 || p->events.len >= EVENTS_MAX)
		return -1;
	memcpy(&attr, bytes, len < sizeof(attr) ? len : sizeof(attr));
	describe_event(&e, &attr);
	struct record_layout layout = {
		.sample_type = attr.sample_type,
		.read_format = attr.read_format,
		.regs_user_mask = attr.sample_regs_user,
		.regs_intr_mask = attr.sample_regs_intr,
		.branch_sample_type = attr.branch_sample_type,
		.sample_id_all = attr.sample_id_all,
	};
	uint32_t index = record_decoder_add_event(p->decoder, &layout);
	vec_push(&p->events, e);
	if (attr.use_clockid)
		p->info.clock = clock_name(attr.clockid);
	add_ids(p, index, ids);
	return 0;
}

static int read_attr_entry(struct perf_data *p, struct bytes_reader *entry, uint64_t attr_size,
			   struct error *err)
{
	const uint8_t *attr = reader_take(entry, attr_size);
	struct section s = read_section(entry);
	struct bytes ids = { 0 };
	struct bytes_reader r;
	int result = 0;

	if (!attr || s.size > IDS_MAX_BYTES)
		return error_set(err, ERROR_FORMAT, "an event's ids are damaged");
	if (s.size)
		result = perf_input_read_at(p, s.offset, s.size, &ids, err);
	reader_init(&r, ids.len ? ids.data : (const uint8_t *)"", ids.len);
	if (result == 0 && perf_header_add_event(p, attr, attr_size, &r) < 0)
		result = error_set(err, ERROR_FORMAT, "an event's attributes are damaged");
	bytes_release(&ids);
	return result;
}

static int read_attrs(struct perf_data *p, struct section s, uint64_t entry_size, struct error *err)
{
	struct bytes b = { 0 };
	struct bytes_reader r;

	if (entry_size < PERF_ATTR_SIZE_VER0 + SECTION_BYTES || entry_size > ATTR_MAX_BYTES ||
	    s.size == 0 || s.size > ATTRS_MAX_BYTES || s.size % entry_size)
		return error_set(err, ERROR_FORMAT, "the header's list of events is damaged");
	int result = perf_input_read_at(p, s.offset, s.size, &b, err);
	reader_init(&r, b.len ? b.data : (const uint8_t *)"", b.len);
	while (result == 0 && reader_left(&r) >= entry_size)
		result = read_attr_entry(p, &r, entry_size - SECTION_BYTES, err);
	bytes_release(&b);
	return result;
}

/* Where the records are; an unfinished or cut file is read as far as it goes. */
static void place_data(struct perf_data *p, struct section data)
{
	uint64_t offset = data.offset < p->file_size ? data.offset : p->file_size;
	uint64_t left = p->file_size - offset;

	p->in.offset = offset;
	p->in.buf.len = p->in.pos = 0;
	if (data.size == 0 || data.size > left) {
		p->info.truncated = true; /* perf was killed, or the copy is not whole */
		p->in.end = p->file_size;
		return;
	}
	p->in.end = offset + data.size;
	p->features_at = p->in.end;
}

static int read_file_header(struct perf_data *p, struct error *err)
{
	struct bytes_reader r;
	int status;
	const uint8_t *bytes = perf_input_peek(&p->in, HEADER_BYTES, &status, err);

	if (!bytes)
		return error_set(err, ERROR_TRUNCATED, "the header ends early");
	if (!p->in.seekable)
		return error_set(
			err, ERROR_UNSUPPORTED,
			"a perf.data file cannot be read through a pipe (name the file, or "
			"record with `perf record -o -`)");
	reader_init(&r, bytes + PIPE_BYTES, HEADER_BYTES - PIPE_BYTES);
	uint64_t entry_size = reader_u64(&r);
	struct section attrs = read_section(&r), data = read_section(&r);
	read_section(&r); /* event types: no longer written */
	for (size_t i = 0; i < ARRAY_LEN(p->features); i++)
		p->features[i] = reader_u64(&r);
	if (read_attrs(p, attrs, entry_size, err) < 0)
		return -1;
	place_data(p, data);
	return 0;
}

static int check_magic(uint64_t magic, struct error *err)
{
	if (magic == MAGIC)
		return 0;
	if (magic == MAGIC_SWAPPED)
		return error_set(err, ERROR_UNSUPPORTED,
				 "recorded on a machine of the other byte order; use `perf script` "
				 "there and import its text");
	if (magic == MAGIC_OLD)
		return error_set(err, ERROR_UNSUPPORTED,
				 "written by a perf older than Linux 3.6; this format is not read");
	return error_set(err, ERROR_FORMAT, "not a perf.data file");
}

static int read_magic(struct perf_data *p, uint64_t *header_size, struct error *err)
{
	struct bytes_reader r;
	int status;
	const uint8_t *bytes = perf_input_peek(&p->in, PIPE_BYTES, &status, err);

	if (!bytes)
		return status < 0 ? -1 : error_set(err, ERROR_FORMAT, "not a perf.data file");
	reader_init(&r, bytes, PIPE_BYTES);
	uint64_t magic = reader_u64(&r);
	*header_size = reader_u64(&r);
	return check_magic(magic, err);
}

static int read_header(struct perf_data *p, struct error *err)
{
	struct stat st;
	uint64_t header_size = 0;

	if (fstat(p->in.fd, &st) < 0)
		return error_set(err, ERROR_SYSTEM, "cannot be examined");
	if (S_ISDIR(st.st_mode))
		return error_set(err, ERROR_UNSUPPORTED,
				 "a perf.data directory (`perf record --threads`) is not read");
	p->in.seekable = S_ISREG(st.st_mode);
	p->file_size = p->in.seekable ? (uint64_t)st.st_size : 0;
	if (read_magic(p, &header_size, err) < 0)
		return -1;
	p->is_pipe = header_size == PIPE_BYTES;
	if (p->is_pipe) {
		perf_input_consume(&p->in, PIPE_BYTES);
		return 0;
	}
	return read_file_header(p, err);
}

int perf_header_read(struct perf_data *p, const char *name, struct error *err)
{
	if (read_header(p, err) < 0)
		return error_context(err, "%s", name);
	return 0;
}

static const char *made_up_name(struct perf_data *p, const struct perf_data_event *e)
{
	char buf[64];
	const char *known = e->type == PERF_TYPE_SOFTWARE   ? spec_software_name(e->config)
			    : e->type == PERF_TYPE_HARDWARE ? spec_hardware_name(e->config)
							    : NULL;

	if (known)
		return known;
	int len = snprintf(buf, sizeof(buf), "type %u config 0x%llx", e->type,
			   (unsigned long long)e->config);
	return arena_strndup(&p->arena, buf, (size_t)len);
}

void perf_header_settle(struct perf_data *p)
{
	for (size_t i = 0; i < p->events.len; i++) {
		struct perf_data_event *e = &p->events.data[i];
		if (i < p->desc_names.len && p->desc_names.data[i])
			e->name = p->desc_names.data[i];
		else if (!e->name)
			e->name = made_up_name(p, e);
	}
}
