/* Nearest names, by edit distance and by one containing the other. */
#include "analysis/near.h"

#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"

#define SHOWN_BYTES ((size_t)60)

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

static void offer_some(struct near *n, const char *name)
{
	for (unsigned i = 0; i < n->some_count; i++) {
		if (strcmp(n->some[i], name) == 0)
			return;
	}
	n->offered++;
	if (n->some_count < NEAR_COUNT)
		n->some[n->some_count++] = name;
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
	if (!*name)
		return;
	offer_some(n, name);
	unsigned d = distance(n->wanted, name);
	if (d <= distance_limit(n->wanted))
		insert_best(n, name, d);
}

static void append_name(struct bytes *out, const char *name)
{
	size_t len = strlen(name), shown = len < SHOWN_BYTES ? len : SHOWN_BYTES;

	/* Do not cut inside a character. */
	while (shown < len && shown > 0 && ((unsigned char)name[shown] & 0xc0) == 0x80)
		shown--;
	text_append_printable(out, name, shown);
	if (shown < len)
		bytes_printf(out, "...");
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
		append_name(out, n->best_count ? n->best[i].name : n->some[i]);
	}
	if (n->best_count)
		bytes_printf(out, "?");
	else if (n->offered > count)
		bytes_printf(out, ", ...");
}
