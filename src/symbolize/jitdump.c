/* Records of jitdump files. Every count and size in them is the writer's word only. */
#include "symbolize/jitdump.h"

#include <string.h>

#include "base/bytes.h"

#define MAGIC	       0x4a695444u
#define MAGIC_SWAPPED  0x4454694au
#define ARCH_TIMESTAMP UINT64_C(1)
#define LINE_MIN_BYTES 17 /* address, line, discriminator, "" */
#define MAX_LINES      ((uint64_t)1 << 16)
#define SAME_FILE      "\xff" /* as the entry before */
#define PADDING	       7      /* that may follow the last entry */

static uint32_t get_u32(const struct jitdump_header *h, struct bytes_reader *r)
{
	uint32_t v = reader_u32(r);

	return h->is_swapped ? __builtin_bswap32(v) : v;
}

static uint64_t get_u64(const struct jitdump_header *h, struct bytes_reader *r)
{
	uint64_t v = reader_u64(r);

	return h->is_swapped ? __builtin_bswap64(v) : v;
}

bool jitdump_read_header(const void *data, size_t len, struct jitdump_header *out)
{
	struct bytes_reader r;

	reader_init(&r, data, len);
	uint32_t magic = reader_u32(&r);
	*out = (struct jitdump_header){ .is_swapped = magic == MAGIC_SWAPPED };
	if (magic != MAGIC && magic != MAGIC_SWAPPED)
		return false;
	uint32_t version = get_u32(out, &r);
	out->size = get_u32(out, &r);
	reader_take(&r, 8); /* machine, padding */
	out->pid = get_u32(out, &r);
	reader_take(&r, 8); /* when it was begun */
	out->has_other_clock = (get_u64(out, &r) & ARCH_TIMESTAMP) != 0;
	return !r.failed && version == 1 && out->size >= JITDUMP_HEADER_BYTES;
}

static bool prefix(const struct jitdump_header *h, struct bytes_reader *r,
		   struct jitdump_prefix *out)
{
	out->kind = get_u32(h, r);
	out->size = get_u32(h, r);
	out->time_ns = get_u64(h, r);
	return !r->failed && out->size >= JITDUMP_PREFIX_BYTES;
}

bool jitdump_read_prefix(const struct jitdump_header *h, const void *data, size_t len,
			 struct jitdump_prefix *out)
{
	struct bytes_reader r;

	reader_init(&r, data, len);
	return prefix(h, &r, out);
}

/* A reader of the record's body, if it is of this kind. */
static bool open_record(const struct jitdump_header *h, const void *data, size_t len,
			enum jitdump_kind kind, struct bytes_reader *r, struct jitdump_prefix *p)
{
	reader_init(r, data, len);
	if (!prefix(h, r, p) || p->kind != kind)
		return false;
	if (p->size < len)
		r->end = (const uint8_t *)data + p->size;
	return true;
}

bool jitdump_read_load(const struct jitdump_header *h, const void *data, size_t len,
		       struct jitdump_load *out)
{
	struct jitdump_prefix p;
	struct bytes_reader r;

	if (!open_record(h, data, len, JITDUMP_LOAD, &r, &p))
		return false;
	reader_take(&r, 8 + 8); /* pid, tid, vma: the same as the address */
	out->address = get_u64(h, &r);
	out->size = get_u64(h, &r);
	reader_take(&r, 8); /* code index */
	out->name = reader_cstring(&r, &out->name_len);
	if (r.failed)
		return false;
	out->code_offset = (uint64_t)(r.pos - (const uint8_t *)data);
	return out->size <= p.size - out->code_offset;
}

bool jitdump_read_move(const struct jitdump_header *h, const void *data, size_t len,
		       struct jitdump_move *out)
{
	struct jitdump_prefix p;
	struct bytes_reader r;

	if (!open_record(h, data, len, JITDUMP_MOVE, &r, &p))
		return false;
	reader_take(&r, 8 + 8); /* pid, tid, vma */
	out->from = get_u64(h, &r);
	out->to = get_u64(h, &r);
	out->size = get_u64(h, &r);
	return !r.failed;
}

/* Node 20 writes names from memory it has freed. */
static bool is_file_name(const char *name)
{
	for (const char *c = name; *c; c++)
		if ((unsigned char)*c < ' ')
			return false;
	return *name != '\0';
}

bool jitdump_read_lines(const struct jitdump_header *h, const void *data, size_t len,
			struct jitdump_lines *out)
{
	struct jitdump_prefix p;
	struct bytes_reader r;
	const char *file = NULL;

	vec_clear(&out->list);
	if (!open_record(h, data, len, JITDUMP_DEBUG_INFO, &r, &p))
		return false;
	out->address = get_u64(h, &r);
	uint64_t count = get_u64(h, &r);
	if (r.failed || count > reader_left(&r) / LINE_MIN_BYTES)
		return false;
	for (uint64_t i = 0; i < count && i < MAX_LINES; i++) {
		uint64_t address = get_u64(h, &r);
		uint32_t line = get_u32(h, &r);
		reader_take(&r, 4); /* discriminator */
		const char *name = reader_cstring(&r, NULL);
		if (r.failed)
			return false;
		if (strcmp(name, SAME_FILE) != 0)
			file = name;
		uint64_t offset = address - out->address;
		if (file && is_file_name(file) && address >= out->address && offset <= UINT32_MAX)
			vec_push(&out->list, ((struct code_line){ (uint32_t)offset, line, file }));
	}
	/* Entries that do not fill the record are not what they seem. */
	return count > MAX_LINES || reader_left(&r) <= PADDING;
}

bool jitdump_read_unwinding(const struct jitdump_header *h, const void *data, size_t len,
			    struct jitdump_unwinding *out)
{
	struct jitdump_prefix p;
	struct bytes_reader r;

	if (!open_record(h, data, len, JITDUMP_UNWINDING_INFO, &r, &p))
		return false;
	uint64_t all = get_u64(h, &r), table = get_u64(h, &r);
	reader_take(&r, 8); /* mapped size */
	if (r.failed || table > all)
		return false;
	out->len = (size_t)(all - table);
	out->eh_frame = reader_take(&r, all - table);
	return !r.failed && out->len > 0;
}
