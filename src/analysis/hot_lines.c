/* Hottest lines: every line is summed, errors are measured of the few that are left. */
#include "analysis/hot_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/frames.h"
#include "analysis/jackknife.h"
#include "analysis/pairmap.h"

#define MOST_SLICES ((uint32_t)20480)

struct search {
	struct hot_lines *out;
	const struct profile *profile;
	const struct filter_result *samples;
	uint32_t event;
	bool no_inline;
	struct pairmap rows;	 /* (file, line) → row */
	struct pairmap places;	 /* (module, address) → row + 1; 0: no line */
	uint32_t *row_of_sample; /* row + 1 */
};

static uint32_t find_row(struct search *s, const struct profile_sample *sample)
{
	const struct profile *p = s->profile;
	uint32_t location = profile_find_location(p, sample->leaf_module, sample->leaf_address);

	if (location == PROFILE_NONE || !p->locations.data[location].frame_count)
		return 0;
	const struct profile_location *l = &p->locations.data[location];
	uint32_t at = s->no_inline ? l->frame_count - 1 : 0;
	const struct profile_frame *frame = &p->frames.data[l->first_frame + at];
	if (!frame->line || !*profile_str(p, frame->file))
		return 0;
	uint32_t *row = pairmap_at(&s->rows, frame->file, frame->line);
	if (*row == PAIRMAP_NONE) {
		struct hot_line line = { .file = frame->file,
					 .line = frame->line,
					 .function = frame->function };
		*row = (uint32_t)s->out->rows.len;
		vec_push(&s->out->rows, line);
	}
	return *row + 1;
}

static void sum_samples(struct search *s)
{
	uint64_t limit = frame_weight_limit(s->profile, s->samples);

	for (size_t i = 0; i < s->samples->samples.len; i++) {
		const struct profile_sample *sample =
			&s->profile->samples.data[s->samples->samples.data[i]];
		uint64_t weight = sample->weight < limit ? sample->weight : limit;
		if (sample->event != s->event)
			continue;
		s->out->total += weight;
		if (sample->flags & SAMPLE_SYNTHETIC)
			continue;
		uint32_t *row = pairmap_at(&s->places, sample->leaf_module, sample->leaf_address);
		if (*row == PAIRMAP_NONE)
			*row = find_row(s, sample);
		s->row_of_sample[i] = *row;
		if (*row) {
			s->out->rows.data[*row - 1].weight += weight;
			s->out->rows.data[*row - 1].count++;
		}
	}
}

struct rank {
	uint64_t weight;
	uint32_t row;
};

static int compare_ranks(const void *pa, const void *pb)
{
	const struct rank *a = pa, *b = pb;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->row < b->row ? -1 : 1;
}

static double measure_error(const struct search *s, const struct slices *slices, uint32_t row)
{
	double *sums = xcalloc(slices->count, sizeof(*sums));
	struct jackknife_row sum = { 0, 0, 0, 0 };

	for (size_t i = 0; slices->count && i < s->samples->samples.len; i++) {
		if (s->row_of_sample[i] == row + 1 && slices->of_sample[i] != PROFILE_NONE)
			sums[slices->of_sample[i]] +=
				(double)s->profile->samples.data[s->samples->samples.data[i]]
					.weight;
	}
	for (uint32_t i = 0; i < slices->count; i++) {
		if (sums[i] > 0)
			jackknife_add(&sum, slices, i, sums[i]);
	}
	free(sums);
	double sampled = s->out->total ? slices->total / (double)s->out->total : 0;
	return sampled * jackknife_half_width(&sum, slices);
}

/* The heaviest rows take the place of all. */
static void keep_heaviest(struct search *s, size_t most, bool with_errors)
{
	struct slices slices;
	size_t n = s->out->rows.len;
	struct rank *ranks = xcalloc(n, sizeof(*ranks));
	struct hot_line *rows = s->out->rows.data;

	for (uint32_t i = 0; i < n; i++)
		ranks[i] = (struct rank){ rows[i].weight, i };
	if (n)
		qsort(ranks, n, sizeof(*ranks), compare_ranks);
	memset(&s->out->rows, 0, sizeof(s->out->rows));
	slices_init(&slices, s->profile, s->samples, s->event, MOST_SLICES);
	for (size_t i = 0; i < n && i < most && ranks[i].weight; i++) {
		struct hot_line line = rows[ranks[i].row];
		line.error = with_errors ? measure_error(s, &slices, ranks[i].row) : NAN;
		vec_push(&s->out->rows, line);
	}
	slices_release(&slices);
	free(rows);
	free(ranks);
}

static void find(struct hot_lines *h, const struct profile *p, const struct filter_result *samples,
		 uint32_t event, bool no_inline, size_t most, bool with_errors)
{
	struct search s = {
		.out = h, .profile = p, .samples = samples, .event = event, .no_inline = no_inline
	};

	memset(h, 0, sizeof(*h));
	s.row_of_sample = xcalloc(samples->samples.len, sizeof(*s.row_of_sample));
	sum_samples(&s);
	keep_heaviest(&s, most, with_errors);
	pairmap_release(&s.rows);
	pairmap_release(&s.places);
	free(s.row_of_sample);
}

void hot_lines_find(struct hot_lines *h, const struct profile *p,
		    const struct filter_result *samples, uint32_t event, bool no_inline,
		    size_t most)
{
	find(h, p, samples, event, no_inline, most, true);
}

void hot_lines_find_all(struct hot_lines *h, const struct profile *p,
			const struct filter_result *samples, uint32_t event, bool no_inline)
{
	find(h, p, samples, event, no_inline, SIZE_MAX, false);
}

void hot_lines_release(struct hot_lines *h)
{
	vec_release(&h->rows);
}
