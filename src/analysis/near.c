/* Nearest names, by edit distance and by one containing the other. */
#include "analysis/near.h"

#include <string.h>
#include <strings.h>

#include "analysis/function_name.h"
#include "base/memory.h"
#include "base/text.h"

/* A longer name is not offered: cut, it could not be typed. */
#define SHOWN_BYTES ((size_t)120)

void near_init(struct near *n, const char *wanted)
{
	memset(n, 0, sizeof(*n));
	n->wanted = wanted;
}

static unsigned distance_limit(const char *wanted)
{
	size_t len = strlen(wanted);

	return len < 4 ? 1 : len < 9 ? 2 : 3;
}

static unsigned distance(const char *wanted, const char *name)
{
	if (strcasecmp(wanted, name) == 0)
		return 0;
	unsigned limit = distance_limit(wanted), d = text_distance(wanted, name, limit);
	if (d > limit && strlen(wanted) >= 3 && strcasestr(name, wanted))
		return limit;
	return d;
}

/* A typing error in a function's own name is near, however much stands around it. */
static unsigned distance_of_last(const char *wanted, const char *name)
{
	struct bytes last = { 0 };

	function_name_append_last(&last, name);
	bytes_u8(&last, '\0');
	unsigned d = distance(wanted, (const char *)last.data);
	bytes_release(&last);
	return d;
}

static void offer_some(struct near *n, const char *name, uint64_t weight)
{
	unsigned at = 0;

	for (unsigned i = 0; i < n->some_count; i++) {
		if (strcmp(n->some[i], name) == 0)
			return;
	}
	n->offered++;
	while (at < n->some_count && n->some_weights[at] >= weight)
		at++;
	if (at == NEAR_COUNT || strlen(name) > SHOWN_BYTES)
		return;
	if (n->some_count < NEAR_COUNT)
		n->some_count++;
	for (unsigned i = n->some_count - 1; i > at; i--) {
		n->some[i] = n->some[i - 1];
		n->some_weights[i] = n->some_weights[i - 1];
	}
	n->some[at] = name;
	n->some_weights[at] = weight;
}

static void insert_best(struct near *n, const char *name, unsigned d)
{
	unsigned at = 0;

	for (unsigned i = 0; i < n->best_count; i++) {
		if (strcmp(n->best[i].name, name) == 0)
			return;
	}
	while (at < n->best_count && n->best[at].distance <= d)
		at++;
	if (at == NEAR_COUNT)
		return;
	if (n->best_count < NEAR_COUNT)
		n->best_count++;
	for (unsigned i = n->best_count - 1; i > at; i--)
		n->best[i] = n->best[i - 1];
	n->best[at].name = name;
	n->best[at].distance = d;
}

void near_offer(struct near *n, const char *name)
{
	near_offer_weighted(n, name, 0);
}

void near_offer_weighted(struct near *n, const char *name, uint64_t weight)
{
	if (!*name)
		return;
	offer_some(n, name, weight);
	unsigned d = distance(n->wanted, name), last = distance_of_last(n->wanted, name);
	if (last < d)
		d = last;
	if (strlen(name) <= SHOWN_BYTES && d <= distance_limit(n->wanted))
		insert_best(n, name, d);
}

void near_append(const struct near *n, struct bytes *out)
{
	unsigned count = n->best_count ? n->best_count : n->some_count;

	for (unsigned i = 0; i < count; i++) {
		const char *first = n->best_count ? "; did you mean " : "; there are ";
		bytes_printf(out, "%s",
			     i == 0			       ? first
			     : i + 1 == count && n->best_count ? " or "
							       : ", ");
		const char *name = n->best_count ? n->best[i].name : n->some[i];
		bytes_append(out, name, strlen(name));
	}
	if (n->best_count)
		bytes_printf(out, "?");
	else if (count && n->offered > count)
		bytes_printf(out, ", ...");
}
