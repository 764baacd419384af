/*
 * The record decoder on any layout and any bytes. Input: number of events, then per event 26 bytes
 * of layout, then one record, whose header gets the right size so that the decoder looks inside.
 * The record lies in a block of exactly its size, and everything decoded is read.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "event/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_layout(struct bytes_reader *r, struct record_layout *layout)
{
	layout->sample_type = reader_u32(r);
	layout->read_format = reader_u8(r);
	layout->regs_user_mask = reader_u64(r);
	layout->regs_intr_mask = reader_u64(r);
	layout->branch_sample_type = reader_u32(r);
	layout->sample_id_all = reader_u8(r) & 1;
}

static uint64_t sum_bytes(const uint8_t *p, size_t len)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < len; i++)
		sum += p[i];
	return sum;
}

static uint64_t read_sample(const struct record_sample *s)
{
	uint64_t sum = s->ip + s->addr + s->period + s->weight;

	for (uint64_t i = 0; i < s->chain_count; i++)
		sum += record_chain(s, i);
	for (uint64_t left = s->user_regs.mask; left; left &= left - 1)
		sum += s->user_regs.value[__builtin_ctzll(left)];
	sum += sum_bytes(s->stack, s->stack_len) + sum_bytes(s->raw, s->raw_len);
	for (uint32_t i = 0; i < s->read_count; i++)
		sum += record_read_value(s, i);
	return sum;
}

static uint64_t read_all(const struct record *r)
{
	switch (r->kind) {
	case RECORD_SAMPLE:
		return read_sample(&r->u.sample);
	case RECORD_MMAP:
		if (r->u.mmap.build_id_len > sizeof(r->u.mmap.build_id))
			abort();
		return strlen(r->u.mmap.path);
	case RECORD_COMM:
		return strlen(r->u.comm.name);
	case RECORD_CGROUP:
		return strlen(r->u.cgroup.path);
	case RECORD_KSYMBOL:
		return strlen(r->u.ksymbol.name);
	case RECORD_READ:
		return r->u.read.value + r->u.read.enabled_ns + r->u.read.running_ns;
	default:
		return 0;
	}
}

/* A trimmed sample decodes to what the whole one does. */
static void check_trim(const struct record_decoder *d, const uint8_t *bytes, size_t len,
		       const struct record *whole)
{
	struct record_trim trim;
	struct bytes b = { 0 };
	struct record r;
	size_t parts = record_trim_stack(d, bytes, len, &trim);

	for (size_t i = 0; i < parts; i++)
		bytes_append(&b, trim.parts[i].bytes, trim.parts[i].len);
	if (parts && (b.len >= len || record_decode(d, b.data, b.len, &r) < 0 ||
		      r.u.sample.stack_len != whole->u.sample.stack_len ||
		      r.u.sample.ip != whole->u.sample.ip || read_all(&r) != read_all(whole)))
		abort();
	bytes_release(&b);
}

static void decode(const struct record_decoder *d, const uint8_t *bytes, size_t len)
{
	uint8_t *exact = xmalloc(len);
	uint16_t size = (uint16_t)len;
	struct record r;
	volatile uint64_t sink;

	memcpy(exact, bytes, len);
	if (len >= 8)
		memcpy(exact + 6, &size, sizeof(size));
	sink = record_time(d, exact, len);
	if (record_decode(d, exact, len, &r) == 0) {
		if (r.event > 3)
			abort();
		sink = read_all(&r);
		check_trim(d, exact, len, &r);
	}
	(void)sink;
	free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct record_decoder *d = record_decoder_new();
	struct bytes_reader r;

	reader_init(&r, data, size);
	unsigned events = reader_u8(&r) & 3;
	for (unsigned i = 0; i <= events; i++) {
		struct record_layout layout;
		read_layout(&r, &layout);
		record_decoder_add_id(d, i + 1, record_decoder_add_event(d, &layout));
	}
	if (!r.failed && reader_left(&r) <= UINT16_MAX)
		decode(d, r.pos, reader_left(&r));
	record_decoder_free(d);
	return 0;
}
