/*
 * Feature data: sections after a file's records, or FEATURE records of a pipe with the same
 * content. All of it is optional: what is damaged is left out.
 */
#include <time.h>

#include "event/perf_command.h"
#include "event/perf_data_parts.h"

/* enum of HEADER_… in tools/perf/util/header.h */
enum feature {
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_COMPRESSED = 27,
	FEATURE_CLOCK_DATA = 29,
	FEATURE_BITS = 256,
};

#define SECTION_MAX_BYTES  ((uint64_t)32 << 20)
#define BUILD_IDS_MAX	   262144
#define BUILD_ID_BYTES	   20
#define BUILD_ID_FIELD	   24 /* 20 bytes, their number, 3 unused */
#define MISC_BUILD_ID_SIZE (1u << 15)
#define PLAIN_LIMIT_MAX	   ((uint64_t)64 << 20)

/* u32 length, then as many bytes with the string's end among them. */
static const char *read_string(struct perf_data *p, struct bytes_reader *r)
{
	uint32_t len = reader_u32(r);
	const uint8_t *s = reader_take(r, len);

	return s ? arena_strndup(&p->arena, (const char *)s, strnlen((const char *)s, len)) : "";
}

static void read_command(struct perf_data *p, struct bytes_reader *r)
{
	uint32_t count = reader_u32(r);
	VEC(const char *) words = { 0 };
	struct bytes line = { 0 };

	for (uint32_t i = 0; i < count && !r->failed; i++)
		vec_push(&words, read_string(p, r));
	perf_command_describe(&line, words.data, words.len);
	vec_release(&words);
	p->info.command =
		arena_strndup(&p->arena, line.len ? (const char *)line.data : "", line.len);
	bytes_release(&line);
}

static void read_event_desc(struct perf_data *p, struct bytes_reader *r)
{
	uint32_t count = reader_u32(r), attr_size = reader_u32(r);

	vec_clear(&p->desc_names);
	for (uint32_t i = 0; i < count && !r->failed; i++) {
		reader_take(r, attr_size);
		uint32_t ids = reader_u32(r);
		const char *name = read_string(p, r);
		reader_take(r, 8 * (uint64_t)ids);
		if (!r->failed)
			vec_push(&p->desc_names, *name ? name : NULL);
	}
}

static void read_compressed(struct perf_data *p, struct bytes_reader *r)
{
	reader_u32(r); /* version */
	reader_u32(r); /* type: zstd is the only one */
	reader_u32(r); /* level */
	reader_u32(r); /* ratio */
	uint32_t mmap_len = reader_u32(r);
	if (!r->failed && mmap_len > p->plain_limit)
		p->plain_limit = mmap_len < PLAIN_LIMIT_MAX ? mmap_len : PLAIN_LIMIT_MAX;
}

static void read_clock_data(struct perf_data *p, struct bytes_reader *r)
{
	reader_u32(r); /* version */
	uint32_t id = reader_u32(r);
	if (!r->failed && id == CLOCK_MONOTONIC)
		p->info.clock = "monotonic";
}

void perf_build_id_add(struct perf_data *p, uint16_t misc, struct bytes_reader *r)
{
	struct perf_data_build_id b = { .pid = (int32_t)reader_u32(r) };
	const uint8_t *field = reader_take(r, BUILD_ID_FIELD);
	const char *path = (const char *)r->pos;
	size_t len = strnlen(path ? path : "", reader_left(r));
	unsigned mode = misc & RECORD_MISC_CPUMODE;

	if (!field || p->build_ids.len >= BUILD_IDS_MAX)
		return;
	memcpy(b.build_id, field, BUILD_ID_BYTES);
	b.len = misc & MISC_BUILD_ID_SIZE ? field[BUILD_ID_BYTES] : BUILD_ID_BYTES;
	if (b.len > BUILD_ID_BYTES)
		return;
	b.path = arena_strndup(&p->arena, path, len);
	b.is_kernel = mode == RECORD_MODE_KERNEL || mode == RECORD_MODE_GUEST_KERNEL;
	vec_push(&p->build_ids, b);
}

/* The section is a row of records, each with its own header. */
static void read_build_ids(struct perf_data *p, struct bytes_reader *r)
{
	while (reader_left(r) >= RECORD_HEADER_BYTES) {
		struct bytes_reader one;
		reader_u32(r);
		uint16_t misc = reader_u16(r), size = reader_u16(r);
		if (size < RECORD_HEADER_BYTES)
			return;
		const uint8_t *body = reader_take(r, size - RECORD_HEADER_BYTES);
		if (!body)
			return;
		reader_init(&one, body, size - RECORD_HEADER_BYTES);
		perf_build_id_add(p, misc, &one);
	}
}

void perf_feature_read(struct perf_data *p, uint64_t feature, struct bytes_reader *r)
{
	switch (feature) {
	case FEATURE_BUILD_ID:
		read_build_ids(p, r);
		break;
	case FEATURE_HOSTNAME:
		p->info.hostname = read_string(p, r);
		break;
	case FEATURE_OSRELEASE:
		p->info.kernel_release = read_string(p, r);
		break;
	case FEATURE_ARCH:
		p->info.architecture = read_string(p, r);
		break;
	case FEATURE_CPUDESC:
		p->info.cpu_model = read_string(p, r);
		break;
	case FEATURE_NRCPUS:
		p->info.cpu_count = reader_u32(r);
		break;
	case FEATURE_CMDLINE:
		read_command(p, r);
		break;
	case FEATURE_EVENT_DESC:
		read_event_desc(p, r);
		break;
	case FEATURE_COMPRESSED:
		read_compressed(p, r);
		break;
	case FEATURE_CLOCK_DATA:
		read_clock_data(p, r);
		break;
	default:
		break;
	}
}

static void read_feature_section(struct perf_data *p, uint64_t feature, uint64_t offset,
				 uint64_t size)
{
	struct bytes b = { 0 };
	struct bytes_reader r;

	if (size && size <= SECTION_MAX_BYTES &&
	    perf_input_read_at(p, offset, size, &b, NULL) == 0) {
		reader_init(&r, b.data, b.len);
		perf_feature_read(p, feature, &r);
	}
	bytes_release(&b);
}

static bool has_feature(const struct perf_data *p, unsigned bit)
{
	return p->features[bit / 64] >> (bit % 64) & 1;
}

/* One (offset, size) for every bit that is set, in order, right after the records. */
void perf_features_read(struct perf_data *p)
{
	struct bytes table = { 0 };
	struct bytes_reader r;
	uint64_t count = 0;

	for (size_t i = 0; i < ARRAY_LEN(p->features); i++)
		count += (uint64_t)__builtin_popcountll(p->features[i]);
	if (p->features_at == 0 || count == 0)
		return;
	if (perf_input_read_at(p, p->features_at, count * 16, &table, NULL) == 0) {
		reader_init(&r, table.data, table.len);
		for (unsigned bit = 0; bit < FEATURE_BITS; bit++) {
			if (!has_feature(p, bit))
				continue;
			uint64_t offset = reader_u64(&r), size = reader_u64(&r);
			read_feature_section(p, bit, offset, size);
		}
	}
	bytes_release(&table);
}
