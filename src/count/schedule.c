/* Absolute schedules. */
#include "count/schedule.h"

void schedule_every(struct schedule *s, uint64_t from_ns, uint64_t every_ns)
{
	*s = (struct schedule){ .at_ns = every_ns ? from_ns + every_ns : 0, .every_ns = every_ns };
}

void schedule_once(struct schedule *s, uint64_t at_ns)
{
	*s = (struct schedule){ .at_ns = at_ns };
}

bool schedule_is_due(struct schedule *s, uint64_t now_ns)
{
	if (!s->at_ns || now_ns < s->at_ns)
		return false;
	if (s->every_ns)
		s->at_ns += ((now_ns - s->at_ns) / s->every_ns + 1) * s->every_ns;
	else
		s->at_ns = 0;
	return true;
}

uint64_t schedule_earlier(const struct schedule *s, uint64_t other_ns)
{
	return s->at_ns && s->at_ns < other_ns ? s->at_ns : other_ns;
}
