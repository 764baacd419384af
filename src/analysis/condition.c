/* Reading a condition, and measuring the share that it is about. */
#include "analysis/condition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/build.h"
#include "analysis/frames.h"
#include "analysis/jackknife.h"
#include "analysis/pattern.h"

#define MOST_SLICES ((uint32_t)20480)

static void skip_spaces(const char **at)
{
	*at += strspn(*at, " \t");
}

static bool take(const char **at, const char *word)
{
	size_t len = strlen(word);

	skip_spaces(at);
	if (strncmp(*at, word, len) != 0)
		return false;
	*at += len;
	return true;
}

static bool take_kind(struct condition *c, const char **at)
{
	c->is_total = take(at, "total");
	return (c->is_total || take(at, "self")) && take(at, "(");
}

/* In quotes, which names with parentheses need, or as it is. */
static bool take_functions(struct condition *c, const char **at)
{
	skip_spaces(at);
	char quote = **at == '"' || **at == '\'' ? **at : ')';
	const char *begin = quote == ')' ? *at : *at + 1, *end = strchr(begin, quote);

	if (!end || end == begin)
		return false;
	c->functions = xasprintf("%.*s", (int)(end - begin), begin);
	*at = quote == ')' ? end : end + 1;
	return take(at, ")");
}

static bool take_comparison(struct condition *c, const char **at)
{
	c->is_below = take(at, "<");
	if (!c->is_below && !take(at, ">"))
		return false;
	c->with_equal = **at == '=';
	*at += c->with_equal;
	return true;
}

/* Digits and a point, in every locale. */
static bool take_percent(struct condition *c, const char **at)
{
	double value = 0, scale = 1;
	size_t digits = 0;

	skip_spaces(at);
	for (; **at >= '0' && **at <= '9' && digits < 9; ++*at, digits++)
		value = value * 10 + (**at - '0');
	if (**at == '.') {
		for (++*at; **at >= '0' && **at <= '9' && digits < 9; ++*at, digits++) {
			scale /= 10;
			value += (**at - '0') * scale;
		}
	}
	c->limit = value / 100;
	return digits && value <= 100 && take(at, "%");
}

int condition_parse(struct condition *c, const char *text, struct error *err)
{
	const char *at = text;

	memset(c, 0, sizeof(*c));
	if (strlen(text) < 4096 && take_kind(c, &at) && take_functions(c, &at) &&
	    take_comparison(c, &at) && take_percent(c, &at)) {
		skip_spaces(&at);
		if (!*at)
			return 0;
	}
	condition_release(c);
	error_set(
		err, ERROR_USAGE,
		"'%.200s' is no condition: one is like self(\"memcpy\") > 5%% or total(main) <= 90%%",
		text);
	return -1;
}

void condition_release(struct condition *c)
{
	free_ptr(&c->functions);
}

/* Per key: it is meant. NULL with an error when the functions are no pattern. */
static bool *find_keys(const struct condition *c, const struct calltree *t, bool *found,
		       struct error *err)
{
	struct patterns ps;
	bool *fits = xcalloc(t->keys.len, sizeof(*fits));
	int rc = patterns_parse(&ps, "--fail-if", c->functions, err);

	*found = false;
	for (size_t i = 1; rc == 0 && i < t->keys.len; i++)
		patterns_see_function(&ps, t->keys.data[i].name);
	for (size_t i = 1; rc == 0 && i < t->keys.len; i++) {
		fits[i] = patterns_match_function(&ps, t->keys.data[i].name);
		*found |= fits[i];
	}
	patterns_release(&ps);
	if (rc < 0)
		free_ptr(&fits);
	return fits;
}

/* Per node: a sample that ends there counts. Parents precede children. */
static bool *find_nodes(const struct condition *c, const struct calltree *t, const bool *fits)
{
	bool *counts = xcalloc(t->nodes.len, sizeof(*counts));

	for (size_t i = 1; i < t->nodes.len; i++)
		counts[i] = fits[t->nodes.data[i].key] ||
			    (c->is_total && counts[t->nodes.data[i].parent]);
	return counts;
}

/* Of a share of which there is no sample at all, 95 % of the truths are below this. The number of
 * stacks that another tool summed up is no number of samples. */
static double error_of_nothing(const struct calltree *t)
{
	return t->sample_count && !t->profile->is_summed ? 3.7 / (double)t->sample_count : NAN;
}

static void measure(const struct calltree *t, const struct filter_result *samples,
		    const uint32_t *node_of_sample, const bool *counts,
		    struct condition_result *result)
{
	const struct profile *p = t->profile;
	uint64_t limit = frame_weight_limit(p, samples);
	struct slices slices;
	struct jackknife_row row = { 0, 0, 0, 0 };
	double weight = 0, all = (double)t->total;

	slices_init(&slices, p, samples, t->event, MOST_SLICES);
	double *sums = xcalloc(slices.count, sizeof(*sums));
	for (size_t i = 0; i < samples->samples.len; i++) {
		const struct profile_sample *s = &p->samples.data[samples->samples.data[i]];
		if (node_of_sample[i] == PROFILE_NONE || !counts[node_of_sample[i]])
			continue;
		weight += (double)(s->weight < limit ? s->weight : limit);
		if (slices.count && slices.of_sample[i] != PROFILE_NONE)
			sums[slices.of_sample[i]] += (double)s->weight;
	}
	for (uint32_t i = 0; i < slices.count; i++) {
		if (sums[i] > 0)
			jackknife_add(&row, &slices, i, sums[i]);
	}
	result->share = all > 0 ? weight / all : 0;
	result->error = weight > 0 && all > 0
				? slices.total / all * jackknife_half_width(&row, &slices)
				: error_of_nothing(t);
	free(sums);
	slices_release(&slices);
}

static bool is_beyond(const struct condition *c, double share)
{
	if (share == c->limit)
		return c->with_equal;
	return c->is_below ? share < c->limit : share > c->limit;
}

static enum condition_verdict judge(const struct condition *c, const struct condition_result *r)
{
	double low = r->share - r->error > 0 ? r->share - r->error : 0;
	double high = r->share + r->error < 1 ? r->share + r->error : 1;

	if (isnan(r->error) || is_beyond(c, low) != is_beyond(c, high))
		return CONDITION_UNKNOWN;
	return is_beyond(c, low) ? CONDITION_HOLDS : CONDITION_NOT;
}

int condition_evaluate(const struct condition *c, const struct profile *p,
		       const struct filter_result *samples, uint32_t event,
		       const struct calltree_options *options, struct condition_result *result,
		       struct error *err)
{
	struct calltree t;
	struct calltree_options frames = { .no_inline = options->no_inline,
					   .names = options->names,
					   .no_end_markers = true };
	uint32_t *node_of_sample = xcalloc(samples->samples.len, sizeof(*node_of_sample));

	memset(result, 0, sizeof(*result));
	calltree_build_upright(&t, p, samples, event, &frames, node_of_sample);
	bool *fits = find_keys(c, &t, &result->found, err);
	if (fits) {
		bool *counts = find_nodes(c, &t, fits);
		measure(&t, samples, node_of_sample, counts, result);
		result->verdict = judge(c, result);
		free(counts);
	}
	calltree_release(&t);
	free(node_of_sample);
	int rc = fits ? 0 : -1;
	free(fits);
	return rc;
}
