/* "Did you mean": keeps the nearest names offered, by edit distance. */
#include "cmd/near.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

void near_init(struct near *n, const char *typed)
{
	memset(n, 0, sizeof(*n));
	n->typed = typed;
}

/* One slip in three letters, and at least two: "frequnecy" but not "xyz" for "pid". */
static unsigned limit_for(const char *typed)
{
	size_t len = strlen(typed);

	return len < 4 ? 1 : len < 9 ? 2 : (unsigned)(len < 90 ? len / 3 : 30);
}

static unsigned distance_to(const struct near *n, const char *name)
{
	unsigned limit = limit_for(n->typed);
	size_t len = strlen(n->typed);

	/* What somebody left off the end is no slip of the finger. */
	if (len >= 3 && strncmp(n->typed, name, len) == 0)
		return 0;
	return text_distance(n->typed, name, limit);
}

void near_offer(struct near *n, const char *name)
{
	unsigned distance = distance_to(n, name);
	size_t at = n->count;

	if (distance > limit_for(n->typed))
		return;
	while (at > 0 && n->distances[at - 1] > distance)
		at--;
	if (at == NEAR_MAX)
		return;
	if (n->count < NEAR_MAX)
		n->count++;
	for (size_t i = n->count - 1; i > at; i--) {
		n->names[i] = n->names[i - 1];
		n->distances[i] = n->distances[i - 1];
	}
	n->names[at] = name;
	n->distances[at] = distance;
}

const char *near_format(const struct near *n, const char *prefix, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < n->count && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s%s",
					 i ? ", " : " (did you mean ", prefix, n->names[i]);
	if (n->count && used < size)
		snprintf(buf + used, size - used, "?)");
	return buf;
}
