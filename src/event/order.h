/*
 * Time order across rings. Records are copied in as they are drained (per source, a single ring is
 * nearly but not surely sorted) and come out sorted by time. Bound: what was seen by the end of one
 * full round of all rings may come out after the next full round ends (perf's two-round rule); a
 * record older than what already came out is passed on at once and counted.
 */
#ifndef PROF_EVENT_ORDER_H
#define PROF_EVENT_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct order;
/* max_bytes bounds the copies held: beyond it order_pop hands out the oldest early (counted as
 * forced), so pop after every drained source. At least 8 kB. */
struct order *order_new(size_t max_bytes);
void order_free(struct order *o);
/* Copy one record. time_ns 0 means "as the previous one of this source". tag is the caller's
 * (source). A sample's stack copy may be shortened by the caller before: bytes need not be a kernel
 * record. */
void order_push(struct order *o, uint64_t time_ns, uint32_t tag, const void *bytes, size_t len);

/* The same for a record put together from several pieces. */
struct order_part {
	const void *bytes;
	size_t len;
};

void order_push_parts(struct order *o, uint64_t time_ns, uint32_t tag,
		      const struct order_part *parts, size_t count);
/* All rings have been drained once more. */
void order_end_round(struct order *o);
/* Records until time_ns may come out: the caller knows that no older ones will be pushed. */
void order_free_until(struct order *o, uint64_t time_ns);
/* More is held than was allowed: order_pop hands out the oldest early. */
bool order_is_full(const struct order *o);
/* Whether order_pop would yield a record, and its time. */
bool order_peek(const struct order *o, uint64_t *time_ns);
/* The next record that may come out, or NULL. Valid until it is called again, or
 * until the end of a round or a flush; records may be pushed meanwhile. */
const void *order_pop(struct order *o, size_t *len, uint32_t *tag, uint64_t *time_ns);
/* Everything left may come out now (end of recording). */
void order_flush(struct order *o);

struct order_stats {
	uint64_t out_of_order, forced, held_bytes;
};

void order_get_stats(const struct order *o, struct order_stats *out);

#endif
