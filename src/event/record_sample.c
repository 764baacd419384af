/*
 * Samples: the fields follow each other in the order of the PERF_SAMPLE list (comment at
 * PERF_RECORD_SAMPLE, linux/perf_event.h), each present when its bit is set. Fields that prof does
 * not use are stepped over.
 */
#include <linux/perf_event.h>
#include <string.h>

#include "event/record_layout.h"

#define BRANCH_ENTRY_BYTES 24
#define BRANCH_COUNTERS	   (1ull << 19) /* PERF_SAMPLE_BRANCH_COUNTERS, younger than our headers */

const uint8_t *record_read_format(const struct record_layout *layout, struct bytes_reader *r,
				  uint32_t *len)
{
	uint64_t format = layout->read_format;
	struct bytes_reader peek = *r;
	uint64_t times = (format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 8u : 0) +
			 (format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 8u : 0);
	uint64_t each =
		8u + (format & PERF_FORMAT_ID ? 8u : 0) + (format & PERF_FORMAT_LOST ? 8u : 0);
	uint64_t bytes = times + each;

	if (format & PERF_FORMAT_GROUP) {
		uint64_t count = reader_u64(&peek);
		if (count == 0 || count > reader_left(r) / each) {
			r->failed = true;
			return NULL;
		}
		bytes = 8 + times + count * each;
	}
	*len = (uint32_t)bytes;
	return reader_take(r, bytes);
}

static void clear_sample(struct record_sample *s)
{
	s->ip = s->addr = s->period = s->weight = 0;
	s->chain = s->stack = s->raw = s->read = NULL;
	s->chain_count = s->stack_len = s->stack_asked = 0;
	s->raw_len = s->read_count = s->read_stride = 0;
	s->enabled_ns = s->running_ns = 0;
	s->user_regs.abi = s->user_regs.mask = 0;
}

static void read_head(uint64_t type, struct bytes_reader *r, struct record *out)
{
	struct record_sample *s = &out->u.sample;

	if (type & PERF_SAMPLE_IDENTIFIER)
		out->id = reader_u64(r);
	if (type & PERF_SAMPLE_IP)
		s->ip = reader_u64(r);
	if (type & PERF_SAMPLE_TID) {
		out->pid = reader_u32(r);
		out->tid = reader_u32(r);
	}
	if (type & PERF_SAMPLE_TIME)
		out->time_ns = reader_u64(r);
	if (type & PERF_SAMPLE_ADDR)
		s->addr = reader_u64(r);
	if (type & PERF_SAMPLE_ID)
		out->id = reader_u64(r);
	if (type & PERF_SAMPLE_STREAM_ID)
		reader_u64(r);
	if (type & PERF_SAMPLE_CPU)
		out->cpu = (uint32_t)reader_u64(r);
	if (type & PERF_SAMPLE_PERIOD)
		s->period = reader_u64(r);
}

/* struct read_format in the comment above enum perf_event_read_format: a single value stands before
 * the times, a group's values behind them. */
static void read_counters(const struct record_layout *layout, struct bytes_reader *r,
			  struct record_sample *s)
{
	uint64_t format = layout->read_format;
	struct bytes_reader values;
	uint32_t len;
	const uint8_t *bytes = record_read_format(layout, r, &len);

	if (!bytes)
		return;
	reader_init(&values, bytes, len);
	uint64_t first = reader_u64(&values);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		s->enabled_ns = reader_u64(&values);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		s->running_ns = reader_u64(&values);
	bool is_group = format & PERF_FORMAT_GROUP;
	s->read = is_group ? values.pos : bytes;
	s->read_count = is_group ? (uint32_t)first : 1;
	s->read_stride =
		8u + (format & PERF_FORMAT_ID ? 8u : 0) + (format & PERF_FORMAT_LOST ? 8u : 0);
}

static void read_chain(struct bytes_reader *r, struct record_sample *s)
{
	uint64_t count = reader_u64(r);

	if (count > reader_left(r) / 8) {
		r->failed = true;
		return;
	}
	s->chain = reader_take(r, count * 8);
	s->chain_count = s->chain ? count : 0;
}

static void read_raw(struct bytes_reader *r, struct record_sample *s)
{
	uint32_t len = reader_u32(r);

	s->raw = reader_take(r, len);
	s->raw_len = s->raw ? len : 0;
}

static void skip_branches(const struct record_layout *layout, struct bytes_reader *r)
{
	uint64_t count = reader_u64(r);

	if (layout->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		reader_u64(r);
	if (count > reader_left(r) / BRANCH_ENTRY_BYTES) {
		r->failed = true;
		return;
	}
	reader_take(r, count * BRANCH_ENTRY_BYTES);
	if (layout->branch_sample_type & BRANCH_COUNTERS)
		reader_take(r, count * 8);
}

static void read_regs(uint64_t mask, struct bytes_reader *r, struct record_regs *regs)
{
	regs->abi = reader_u64(r);
	if (regs->abi == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	regs->mask = mask;
	/* Checked once: this is done for every sample. */
	struct bytes_reader values;
	size_t len = 8 * (size_t)__builtin_popcountll(mask);
	const uint8_t *bytes = reader_take(r, len);
	reader_init(&values, bytes, bytes ? len : 0);
	for (uint64_t left = mask; left; left &= left - 1)
		regs->value[__builtin_ctzll(left)] = reader_u64(&values);
}

static void skip_regs(uint64_t mask, struct bytes_reader *r)
{
	if (reader_u64(r) != PERF_SAMPLE_REGS_ABI_NONE)
		reader_take(r, 8 * (uint64_t)__builtin_popcountll(mask));
}

/* The copy's size as asked for, the bytes, and how many of them the kernel really filled. */
static void read_stack(struct bytes_reader *r, struct record_sample *s)
{
	uint64_t asked = reader_u64(r);

	if (asked == 0)
		return;
	s->stack = reader_take(r, asked);
	uint64_t filled = reader_u64(r);
	if (!s->stack || filled > asked) {
		r->failed = true;
		return;
	}
	s->stack_asked = asked;
	s->stack_len = filled;
}

static void read_tail(const struct record_layout *layout, struct bytes_reader *r,
		      struct record_sample *s)
{
	uint64_t type = layout->sample_type;

	if (type & PERF_SAMPLE_WEIGHT)
		s->weight = reader_u64(r);
	else if (type & PERF_SAMPLE_WEIGHT_STRUCT)
		s->weight = (uint32_t)reader_u64(r); /* var1_dw: the latency */
	if (type & PERF_SAMPLE_DATA_SRC)
		reader_u64(r);
	if (type & PERF_SAMPLE_TRANSACTION)
		reader_u64(r);
	if (type & PERF_SAMPLE_REGS_INTR)
		skip_regs(layout->regs_intr_mask, r);
	uint64_t words = type & (PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |
				 PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE);
	reader_take(r, 8 * (uint64_t)__builtin_popcountll(words));
	if (type & PERF_SAMPLE_AUX)
		reader_take(r, reader_u64(r));
}

int record_decode_sample(const struct record_layout *layout, struct bytes_reader *r,
			 struct record *out)
{
	struct record_sample *s = &out->u.sample;
	uint64_t type = layout->sample_type;

	out->kind = RECORD_SAMPLE;
	clear_sample(s);
	read_head(type, r, out);
	if (type & PERF_SAMPLE_READ)
		read_counters(layout, r, s);
	if (type & PERF_SAMPLE_CALLCHAIN)
		read_chain(r, s);
	if (type & PERF_SAMPLE_RAW)
		read_raw(r, s);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		skip_branches(layout, r);
	if (type & PERF_SAMPLE_REGS_USER)
		read_regs(layout->regs_user_mask, r, &s->user_regs);
	if (type & PERF_SAMPLE_STACK_USER)
		read_stack(r, s);
	read_tail(layout, r, s);
	return r->failed ? -1 : 0;
}
