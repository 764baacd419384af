/* Values of counters as text. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "output/stat_parts.h"

#define COUNT_MAX 9e18 /* llround can */

/* Behind the point: four significant digits above 1, three below. */
static int decimals_of(double size)
{
	int decimals = size >= 999.95 ? 0 : size >= 99.995 ? 1 : size >= 9.9995 ? 2 : 3;

	for (double below = 0.1; size < below && decimals < 9; below /= 10)
		decimals++;
	return decimals;
}

const char *stat_number_text(char *buf, size_t size, double value)
{
	int decimals = decimals_of(fabs(value));

	if (isnan(value))
		snprintf(buf, size, "?");
	else if (decimals == 0 && value > 0 && value < COUNT_MAX)
		text_count(buf, size, (uint64_t)llround(value));
	else if (fabs(value) < 1e-9)
		snprintf(buf, size, "0");
	else
		snprintf(buf, size, "%.*f", decimals, value);
	return buf;
}

const char *stat_spread_text(char *buf, size_t size, double share)
{
	double percent = 100 * share;

	if (percent >= 9.95)
		snprintf(buf, size, "±%.0f %%", percent);
	else if (percent >= 0.01 || percent <= 0)
		snprintf(buf, size, "±%.2g %%", percent > 0 ? percent : 0);
	else
		snprintf(buf, size, "±<0.01 %%");
	return buf;
}

/* Four significant digits in the largest unit that is not above it. */
static const char *time_text(char *buf, size_t size, double ns)
{
	static const struct scale {
		double size;
		const char *unit;
	} scales[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" } };

	size_t i = 0;
	char number[48];

	while (i + 1 < ARRAY_LEN(scales) && ns < scales[i].size)
		i++;
	snprintf(buf, size, "%s %s", stat_number_text(number, sizeof(number), ns / scales[i].size),
		 scales[i].unit);
	return buf;
}

const char *stat_value_text(char *buf, size_t size, const struct counter_event *event, double value)
{
	double scaled = value * (event->scale > 0 ? event->scale : 1);
	char number[48];

	if (isnan(value))
		snprintf(buf, size, "?");
	else if (strcmp(event->unit, "ns") == 0)
		time_text(buf, size, scaled);
	else if (!*event->unit && scaled >= 0 && scaled < 9e18)
		text_count(buf, size, (uint64_t)llround(scaled));
	else
		snprintf(buf, size, "%s %s", stat_number_text(number, sizeof(number), scaled),
			 event->unit);
	return buf;
}

const char *stat_short_text(char *buf, size_t size, double value)
{
	static const struct scale {
		double size;
		const char *letter;
	} scales[] = { { 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" } };

	for (size_t i = 0; i < ARRAY_LEN(scales); i++) {
		if (value < scales[i].size)
			continue;
		snprintf(buf, size, "%.2f%s", value / scales[i].size, scales[i].letter);
		return buf;
	}
	if (value >= 1e4)
		snprintf(buf, size, "%.1fk", value / 1e3);
	else
		snprintf(buf, size, "%.0f", value);
	return buf;
}
