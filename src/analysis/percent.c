/* Percentages without printf's locale. */
#include "analysis/percent.h"

#include <inttypes.h>
#include <math.h>

#define MOST_PERCENT 1e6

/* part / all in units of 1 / scale, rounded. */
static uint64_t scaled(uint64_t part, uint64_t all, uint64_t scale)
{
	if (all == 0)
		return 0;
	unsigned __int128 value = ((unsigned __int128)part * scale + all / 2) / all;
	return value > UINT64_MAX ? UINT64_MAX : (uint64_t)value;
}

void percent_append(struct bytes *out, uint64_t part, uint64_t all)
{
	uint64_t tenths = scaled(part, all, 1000);

	if (part < all && tenths == 1000)
		tenths = 999;
	if (part > 0 && tenths == 0 && all > 0)
		bytes_printf(out, "<0.1");
	else
		bytes_printf(out, "%" PRIu64 ".%" PRIu64, tenths / 10, tenths % 10);
}

void percent_append_fraction(struct bytes *out, double fraction)
{
	if (isnan(fraction) || fraction < 0)
		return;
	double percent = fraction * 100 < MOST_PERCENT ? fraction * 100 : MOST_PERCENT;
	uint64_t tenths = (uint64_t)(percent * 10 + 0.5);
	bytes_printf(out, "%" PRIu64 ".%" PRIu64, tenths / 10, tenths % 10);
}

void percent_append_error(struct bytes *out, const char *mark, double share, double error)
{
	double most = share > 0.5 ? share : 1 - share;
	bool below = error > share, above = error > 1 - share;

	if (isnan(error))
		return;
	/* From nothing to all: as far as that is. */
	if (below && above) {
		error = most;
		above = share > 0.5;
		below = share < 0.5;
	}
	bool shows = error >= 0.0005; /* more than "0.0" */
	bytes_printf(out, "%s", below && shows ? "+" : above && shows ? "-" : mark);
	percent_append_fraction(out, error);
}

static void append_millionths(struct bytes *out, uint64_t v)
{
	bytes_printf(out, "%" PRIu64 ".%06" PRIu64, v / 1000000, v % 1000000);
}

void percent_append_exact(struct bytes *out, uint64_t part, uint64_t all)
{
	append_millionths(out, scaled(part, all, 100000000));
}

void percent_append_exact_fraction(struct bytes *out, double fraction)
{
	double percent = fraction * 100 < MOST_PERCENT ? fraction * 100 : MOST_PERCENT;

	append_millionths(out, isnan(percent) || percent < 0 ? 0 : (uint64_t)(percent * 1e6 + 0.5));
}
