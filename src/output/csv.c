/* Fields of CSV. */
#include "output/csv.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "analysis/percent.h"
#include "base/text.h"

void csv_text(struct bytes *out, const char *text)
{
	struct bytes safe = { 0 };
	bool quoted =
		strpbrk(text, ",\"") || *text == ' ' || (*text && text[strlen(text) - 1] == ' ');

	text_append_printable(&safe, text, strlen(text));
	if (quoted)
		bytes_u8(out, '"');
	for (size_t i = 0; i < safe.len; i++) {
		if (safe.data[i] == '"')
			bytes_u8(out, '"');
		bytes_u8(out, safe.data[i]);
	}
	if (quoted)
		bytes_u8(out, '"');
	bytes_release(&safe);
}

void csv_error(struct bytes *out, double error)
{
	bytes_u8(out, ',');
	if (!isnan(error))
		percent_append_exact_fraction(out, error);
}

void csv_percent(struct bytes *out, uint64_t part, uint64_t all)
{
	bytes_u8(out, ',');
	if (all)
		percent_append_exact(out, part, all);
}
