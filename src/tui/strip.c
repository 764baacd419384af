/* Counting use over time, and the filter of time that a part of it becomes. */
#include "tui/strip.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/frames.h"
#include "analysis/percent.h"
#include "analysis/time_range.h"
#include "base/text.h"
#include "output/show.h"
#include "tui/actions.h"

#define ROOMY_HEIGHT	30u /* of the screen: from here on it is there unasked */
#define LEAST_HEIGHT	8u
#define LEAST_WIDTH	24u
#define LABELS		12u /* columns: "0 " before the slices, the length behind them */
#define LEFT_LABEL	2u
#define PAGE		10u
#define SECOND_NS	UINT64_C(1000000000)
#define FINEST_DECIMALS 9u

uint64_t strip_length_ns(const struct model *m)
{
	struct time_range r = time_range_of_profile(m->in->profile);

	return r.to_ns > r.from_ns ? r.to_ns - r.from_ns : 0;
}

bool strip_is_possible(const struct model *m)
{
	const struct profile *p = m->in->profile;

	return p->samples.len && strip_length_ns(m) > 0 &&
	       p->samples.data[0].time_ns < p->samples.data[p->samples.len - 1].time_ns;
}

bool strip_is_wanted(const struct model *m)
{
	unsigned least = m->strip.wish == STRIP_SHOWN ? LEAST_HEIGHT : ROOMY_HEIGHT;

	return m->strip.wish != STRIP_HIDDEN && m->height >= least && m->width >= LEAST_WIDTH &&
	       strip_is_possible(m);
}

void strip_release(struct strip *s)
{
	vec_release(&s->slices);
}

unsigned strip_left(void)
{
	return LEFT_LABEL;
}

/* ---- counting ---- */

static uint64_t scale(uint64_t value, uint64_t by, uint64_t to)
{
	return to ? (uint64_t)((unsigned __int128)value * by / to) : 0;
}

static void count(struct model *m, unsigned slices)
{
	const struct profile *p = m->in->profile;
	const struct filter_result *samples = view_samples_of_all_time(&m->view);
	uint64_t from = time_range_of_profile(p).from_ns, length = strip_length_ns(m);
	uint64_t limit = frame_weight_limit(p, samples);
	struct strip *s = &m->strip;

	vec_reserve(&s->slices, slices);
	s->slices.len = slices;
	memset(s->slices.data, 0, slices * sizeof(*s->slices.data));
	s->most = s->total = 0;
	for (size_t i = 0; i < samples->samples.len; i++) {
		const struct profile_sample *one = &p->samples.data[samples->samples.data[i]];
		if (one->event != m->view.event || one->flags & SAMPLE_SYNTHETIC)
			continue;
		uint64_t at = one->time_ns > from ? scale(one->time_ns - from, slices, length) : 0;
		uint64_t weight = one->weight < limit ? one->weight : limit;
		s->slices.data[at < slices ? at : slices - 1] += weight;
		s->total += weight;
	}
	for (unsigned i = 0; i < slices; i++)
		s->most = s->slices.data[i] > s->most ? s->slices.data[i] : s->most;
}

void strip_make(struct model *m)
{
	struct strip *s = &m->strip;
	uint64_t length = strip_length_ns(m);
	unsigned slices = m->width > LABELS ? m->width - LABELS : 1;

	slices = length < slices ? (unsigned)length : slices;
	if (s->made_of == m->built && s->slices.len == slices)
		return;
	if (s->slices.len != slices) {
		s->is_choosing = s->has_mark = s->is_held = false;
		s->at = s->mark = 0;
	}
	count(m, slices);
	s->made_of = m->built;
}

/* ---- parts of it ---- */

struct strip_span strip_chosen(const struct strip *s)
{
	unsigned mark = s->has_mark ? s->mark : s->at;

	return mark < s->at ? (struct strip_span){ mark, s->at + 1 }
			    : (struct strip_span){ s->at, mark + 1 };
}

/* The edge that is nearest. */
static unsigned edge_at(const struct model *m, uint64_t ns)
{
	uint64_t length = strip_length_ns(m), slices = m->strip.slices.len;

	return (unsigned)(ns < length ? scale(ns, 2 * slices, length) + 1 : 2 * slices) / 2;
}

struct strip_span strip_filtered(const struct model *m)
{
	const struct filters *f = &m->state.filters;
	unsigned slices = (unsigned)m->strip.slices.len;
	uint64_t start = time_range_of_profile(m->in->profile).from_ns;
	struct time_range r;

	for (size_t i = 0; i < f->items.len; i++) {
		const struct filter_item *item = &f->items.data[i];
		if (item->kind != FILTER_TIME ||
		    time_range_parse(&r, m->in->profile, item->word, NULL) < 0)
			continue;
		unsigned first = edge_at(m, r.from_ns - start), end = edge_at(m, r.to_ns - start);
		first = first < slices ? first : slices - 1;
		return (struct strip_span){ first, end > first ? end : first + 1 };
	}
	return (struct strip_span){ 0, slices };
}

/* As few decimals as tell slices apart. */
static unsigned decimals(const struct model *m)
{
	uint64_t slice = strip_length_ns(m) / m->strip.slices.len, step = SECOND_NS;
	unsigned n = 0;

	for (; n < FINEST_DECIMALS && step > slice / 10; n++)
		step /= 10;
	return n;
}

/* Seconds from the start, of a slice's left edge. */
static void append_edge(const struct model *m, struct bytes *out, unsigned edge)
{
	unsigned digits = decimals(m);
	uint64_t ns = scale(strip_length_ns(m), edge, m->strip.slices.len), unit = SECOND_NS;

	for (unsigned i = 0; i < digits; i++)
		unit /= 10;
	ns = (ns + unit / 2) / unit * unit;
	bytes_printf(out, "%" PRIu64, ns / SECOND_NS);
	if (digits)
		bytes_printf(out, ".%0*" PRIu64, (int)digits, ns % SECOND_NS / unit);
}

static char *word_of(const struct model *m, struct strip_span span)
{
	struct bytes word = { 0 };

	append_edge(m, &word, span.first);
	bytes_u8(&word, ',');
	if (span.end < m->strip.slices.len)
		append_edge(m, &word, span.end);
	bytes_u8(&word, '\0');
	return (char *)word.data;
}

void strip_describe(const struct model *m, struct bytes *out)
{
	const struct strip *s = &m->strip;
	struct strip_span span = strip_chosen(s);
	uint64_t sum = 0, length = scale(strip_length_ns(m), span.end - span.first, s->slices.len);
	uint8_t unit = model_unit(m);

	for (unsigned i = span.first; i < span.end; i++)
		sum += s->slices.data[i];
	append_edge(m, out, span.first);
	bytes_printf(out, m->in->unicode ? "\xe2\x80\x93" : "-");
	append_edge(m, out, span.end);
	bytes_printf(out, " s: ");
	show_weight(out, unit, sum);
	if (s->total) {
		bytes_printf(out, ", ");
		percent_append(out, sum, s->total);
		bytes_printf(out, "%%");
	}
	if (unit == UNIT_NS && length)
		bytes_printf(out, ", %.2f CPUs", (double)sum / (double)length);
}

/* ---- choosing ---- */

static void leave(struct strip *s)
{
	s->is_choosing = s->has_mark = s->is_held = false;
}

static void take(struct model *m)
{
	struct strip_span span = strip_chosen(&m->strip);
	struct state next = model_state(m);
	bool all = span.end - span.first == m->strip.slices.len;
	CLEANUP_FREE char *word = word_of(m, span);

	leave(&m->strip);
	if (all)
		filters_remove_kind(&next.filters, FILTER_TIME);
	else
		filters_add(&next.filters, FILTER_TIME, word, NULL);
	if (same_filters(&next.filters, &m->state.filters)) {
		state_release(&next);
		model_say(m, false, "this is shown");
	} else {
		act_change(m, &next);
	}
}

void strip_begin(struct model *m)
{
	struct strip *s = &m->strip;
	struct strip_span now;

	if (!strip_is_possible(m)) {
		model_say(m, true, "its samples have no times");
		return;
	}
	if (!m->places.strip.height) {
		s->wish = STRIP_SHOWN;
		model_arrange(m);
		model_lay_out(m);
	}
	if (!m->places.strip.height) {
		model_say(m, true, "no room for the strip: @ asks for a time");
		return;
	}
	s->is_choosing = true;
	now = strip_filtered(m);
	s->has_mark = now.end - now.first < s->slices.len;
	if (s->has_mark) {
		s->mark = now.first;
		s->at = now.end - 1;
	}
}

void strip_key(struct model *m, uint32_t key)
{
	struct strip *s = &m->strip;
	unsigned last = (unsigned)s->slices.len - 1;

	if (key == TUI_KEY_LEFT)
		s->at -= s->at > 0;
	else if (key == TUI_KEY_RIGHT)
		s->at += s->at < last;
	else if (key == TUI_KEY_PAGE_UP)
		s->at -= s->at < PAGE ? s->at : PAGE;
	else if (key == TUI_KEY_PAGE_DOWN)
		s->at = last - s->at < PAGE ? last : s->at + PAGE;
	else if (key == TUI_KEY_HOME)
		s->at = 0;
	else if (key == TUI_KEY_END)
		s->at = last;
	else if (key == ' ')
		s->has_mark = true, s->mark = s->at;
	else if (key == TUI_KEY_ENTER)
		take(m);
	else if (key == TUI_KEY_ESCAPE || key == 'p' || key == 'q')
		leave(s);
}

static unsigned slice_at(const struct strip *s, unsigned x)
{
	unsigned at = x > LEFT_LABEL ? x - LEFT_LABEL : 0, last = (unsigned)s->slices.len - 1;

	return at < last ? at : last;
}

/* The second click of two ends it, as letting go elsewhere does. */
void strip_press(struct model *m, unsigned x)
{
	struct strip *s = &m->strip;

	s->at = slice_at(s, x);
	if (s->is_choosing && s->has_mark) {
		take(m);
		return;
	}
	s->is_choosing = s->has_mark = s->is_held = true;
	s->mark = s->at;
}

void strip_let_go(struct model *m, unsigned x)
{
	struct strip *s = &m->strip;

	if (!s->is_held)
		return;
	s->is_held = false;
	s->at = slice_at(s, x);
	if (s->at != s->mark)
		take(m);
}
