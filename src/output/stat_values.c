/* Values of counters as text. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "output/stat_parts.h"

#define COUNT_MAX 1.8e19 /* below 2^64 */

const char *stat_number_text(char *buf, size_t size, double value)
{
	double size_of = fabs(value);
	int decimals = size_of >= 999.95 ? 0 : size_of >= 99.995 ? 1 : size_of >= 9.9995 ? 2 : 3;

	if (isnan(value))
		snprintf(buf, size, "?");
	else if (decimals == 0 && value > 0 && value < COUNT_MAX)
		text_count(buf, size, (uint64_t)llround(fmin(value, 9e18)));
	else if (value == 0)
		snprintf(buf, size, "0");
	else if (size_of < 0.001)
		snprintf(buf, size, "%.2g", value);
	else
		snprintf(buf, size, "%.*f", decimals, value);
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
