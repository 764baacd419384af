/* "0-3,8" to numbers. */
#include "event/cpus.h"

#include <stdlib.h>

void event_cpus_release(struct event_cpus *c)
{
	vec_release(&c->items);
}

/* One of the list's numbers, which *s passes. */
static bool take_cpu(const char **s, uint32_t *out)
{
	uint32_t n = 0;

	if (**s < '0' || **s > '9')
		return false;
	for (; **s >= '0' && **s <= '9'; ++*s) {
		n = n * 10 + (uint32_t)(**s - '0');
		if (n > EVENT_CPU_MAX)
			return false;
	}
	*out = n;
	return true;
}

static bool take_range(struct event_cpus *c, const char **s)
{
	uint32_t first, last;

	if (!take_cpu(s, &first))
		return false;
	last = first;
	if (**s == '-' && (++*s, !take_cpu(s, &last)))
		return false;
	for (uint32_t cpu = first; cpu <= last; cpu++)
		vec_push(&c->items, cpu);
	return first <= last;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void sort_unique(struct event_cpus *c)
{
	size_t kept = 0;

	if (c->items.len)
		qsort(c->items.data, c->items.len, sizeof(*c->items.data), compare);
	for (size_t i = 0; i < c->items.len; i++)
		if (i == 0 || c->items.data[i] != c->items.data[kept - 1])
			c->items.data[kept++] = c->items.data[i];
	c->items.len = kept;
}

bool event_cpus_parse(struct event_cpus *c, const char *text)
{
	const char *s = text;
	size_t before = c->items.len;
	bool ok = true;

	if (*s && *s != '\n') {
		while ((ok = take_range(c, &s)) && *s == ',')
			s++;
	}
	if (*s == '\n')
		s++;
	if (!ok || *s) {
		c->items.len = before;
		return false;
	}
	sort_unique(c);
	return true;
}

bool event_cpus_have(const struct event_cpus *c, uint32_t cpu)
{
	for (size_t i = 0; i < c->items.len; i++)
		if (c->items.data[i] == cpu)
			return true;
	return false;
}
