/* Parsing time ranges. */
#include "analysis/time_range.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static struct time_range range_of_samples(const struct profile *p)
{
	struct time_range r = { 0, 0 };

	if (p->samples.len) {
		r.from_ns = p->samples.data[0].time_ns;
		r.to_ns = p->samples.data[p->samples.len - 1].time_ns;
	}
	return r;
}

struct time_range time_range_of_profile(const struct profile *p)
{
	struct time_range r = range_of_samples(p);

	for (size_t i = 0; i < p->runs.len; i++) {
		const struct profile_run *run = &p->runs.data[i];
		if (run->start_ns && (i == 0 || run->start_ns < r.from_ns))
			r.from_ns = run->start_ns;
		if (run->end_ns > r.to_ns)
			r.to_ns = run->end_ns;
	}
	return r;
}

/* A time as the user wrote it, in ns from the start. Percentages: the number times 1e9 is scaled.
 */
static bool parse_end(const char *text, uint64_t span_ns, uint64_t *out)
{
	size_t len = strlen(text);
	uint64_t value;

	if (len < 2 || text[len - 1] != '%')
		return text_parse_seconds(text, out);
	CLEANUP_FREE char *number = xstrndup(text, len - 1);
	if (strspn(number, "0123456789.") != len - 1 || !text_parse_seconds(number, &value))
		return false;
	unsigned __int128 scaled =
		(unsigned __int128)value * span_ns / (100 * (uint64_t)1000000000);
	*out = scaled > UINT64_MAX ? UINT64_MAX : (uint64_t)scaled;
	return true;
}

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static int bad_range(const char *text, struct error *err)
{
	return error_set(
		err, ERROR_USAGE,
		"--time '%s': not a range; for example 1.5-3 (seconds from the start), 200ms,1s, 10%%-20%% or 2-",
		text);
}

int time_range_parse(struct time_range *out, const struct profile *p, const char *text,
		     struct error *err)
{
	struct time_range whole = time_range_of_profile(p);
	uint64_t span = whole.to_ns > whole.from_ns ? whole.to_ns - whole.from_ns : 0;
	uint64_t from = 0, to = UINT64_MAX;
	size_t first = strcspn(text, ",-");

	if (!text[first] || !text[1])
		return bad_range(text, err);
	CLEANUP_FREE char *begin = xstrndup(text, first);
	const char *end = text + first + 1;
	if ((*begin && !parse_end(begin, span, &from)) || (*end && !parse_end(end, span, &to)))
		return bad_range(text, err);
	if (from >= to)
		return error_set(err, ERROR_USAGE, "--time '%s': the range ends before it begins",
				 text);
	out->from_ns = add_saturated(whole.from_ns, from);
	out->to_ns = strcmp(end, "100%") == 0 ? UINT64_MAX : add_saturated(whole.from_ns, to);
	return 0;
}
