/* When things are due, on an absolute schedule: a late turn does not make the next one late. */
#ifndef PROF_COUNT_SCHEDULE_H
#define PROF_COUNT_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct schedule { /* zeroed: never */
	uint64_t at_ns, every_ns;
};

/* The first at from + every; 0: never. */
void schedule_every(struct schedule *s, uint64_t from_ns, uint64_t every_ns);
void schedule_once(struct schedule *s, uint64_t at_ns);
/* True once for each turn. Turns that were missed altogether are left out: the next one is the
 * first that lies ahead, still a multiple of every from where it began. */
bool schedule_is_due(struct schedule *s, uint64_t now_ns);
/* The earlier of the next turn and other. */
uint64_t schedule_earlier(const struct schedule *s, uint64_t other_ns);

#endif
