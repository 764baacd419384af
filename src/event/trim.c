/* Samples without the unused part of their stack copy. */
#include <linux/perf_event.h>
#include <string.h>

#include "event/record_layout.h"

/* A copy that is not full keeps this much behind its bytes, so that it still reads as not full. */
#define NOT_FULL_BYTES 16
#define MIN_SAVED      64

static void set_part(struct record_trim *t, size_t i, const void *bytes, size_t len)
{
	t->parts[i].bytes = bytes;
	t->parts[i].len = len;
}

size_t record_trim_stack(const struct record_decoder *d, const void *bytes, size_t len,
			 struct record_trim *t)
{
	struct perf_event_header header;
	struct record r;

	if (len < sizeof(header))
		return 0;
	memcpy(&header, bytes, sizeof(header));
	if (header.type != PERF_RECORD_SAMPLE || record_decode(d, bytes, len, &r) < 0)
		return 0;
	const struct record_sample *s = &r.u.sample;
	uint64_t kept = ((s->stack_len + 7) & ~7ull) + NOT_FULL_BYTES;
	if (!s->stack || kept + MIN_SAVED > s->stack_asked)
		return 0;
	const uint8_t *start = bytes, *asked_field = s->stack - sizeof(t->asked);
	const uint8_t *after = s->stack + s->stack_asked;
	header.size = (uint16_t)(len - (s->stack_asked - kept));
	memcpy(&t->header, &header, sizeof(header));
	t->asked = kept;
	set_part(t, 0, &t->header, sizeof(header));
	set_part(t, 1, start + sizeof(header), (size_t)(asked_field - start) - sizeof(header));
	set_part(t, 2, &t->asked, sizeof(t->asked));
	set_part(t, 3, s->stack, kept);
	set_part(t, 4, after, (size_t)(start + len - after));
	return 5;
}
