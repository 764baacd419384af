/* A metric as colour: values of functions, the steps between the least and the largest, the legend.
 */
#include "output/flame_colour.h"

#include <math.h>
#include <string.h>

#include "output/metrics.h"

#define STEPS	    7
#define LINE_PX	    16
#define SWATCH_PX   12
#define CHAR_PX	    7.0
#define LEAST_SHARE 0.005 /* smaller functions do not stretch the scale */
#define LOG_FROM    20	  /* largest by least: equal factors, not equal differences */

static const char style[] =
	".c0{stroke:#dcdee1}.c1{stroke:#9ecae8}.c2{stroke:#c7dfee}.c3{stroke:#e9edd0}"
	".c4{stroke:#fbe6a2}.c5{stroke:#fbc777}.c6{stroke:#f49c5c}.c7{stroke:#e8704f}"
	"@media (prefers-color-scheme:dark){"
	".c0{stroke:#35373b}.c1{stroke:#1d4e75}.c2{stroke:#2c4a5c}.c3{stroke:#44503a}"
	".c4{stroke:#5f4f1c}.c5{stroke:#724312}.c6{stroke:#7d3414}.c7{stroke:#8a241c}}";

int flame_colour_init(struct flame_colour *c, const struct profile *p, uint32_t event,
		      const char *metric, struct error *err)
{
	memset(c, 0, sizeof(*c));
	if (counted_init(&c->counted, p, event, "--color-by", metric, err) < 0)
		return -1;
	if (c->counted.columns.len == 1)
		return 0;
	counted_release(&c->counted);
	return error_set(err, ERROR_USAGE, "--color-by %s: one metric at a time", metric);
}

void flame_colour_release(struct flame_colour *c)
{
	counted_release(&c->counted);
	hmap_release(&c->steps);
	hmap_release(&c->cells);
	vec_release(&c->list);
}

/* Two of one hash would have one colour, which is no great harm. */
static uint64_t hash_of(const struct calltree_key *key)
{
	return hash_bytes(key->name, strlen(key->name), key->module);
}

static bool is_code(const struct calltree_key *key)
{
	return key->kind != CODE_SYNTHETIC && key->kind != CODE_THREAD;
}

static bool is_sure(const struct counted_cell *cell)
{
	return cell->state == METRIC_KNOWN && !isnan(cell->half_width);
}

static void count_keys(struct flame_colour *c, const struct calltree *t,
		       const struct flat_counts *counts)
{
	for (size_t i = 0; i < t->keys.len; i++) {
		struct counted_cell cell;
		if (!is_code(&t->keys.data[i]))
			continue;
		counted_cell(&c->counted, &counts->total, i, 0, &cell);
		hmap_put(&c->cells, hash_of(&t->keys.data[i]), (uint32_t)c->list.len);
		vec_push(&c->list, cell);
	}
}

static uint64_t *totals_of_keys(const struct calltree *t)
{
	uint64_t *totals = xcalloc(t->keys.len + 1, sizeof(*totals));

	for (size_t i = 1; i < t->nodes.len; i++)
		totals[t->nodes.data[i].key] += t->nodes.data[i].total;
	return totals;
}

static void find_range(struct flame_colour *c, const struct calltree *t)
{
	CLEANUP_FREE uint64_t *totals = totals_of_keys(t);

	for (size_t i = 0; i < t->keys.len; i++) {
		uint32_t at = hmap_get(&c->cells, hash_of(&t->keys.data[i]));
		if (at == HMAP_NONE || !is_sure(&c->list.data[at]) ||
		    (double)totals[i] < LEAST_SHARE * (double)t->total)
			continue;
		double value = c->list.data[at].value;
		c->low = c->is_known ? fmin(c->low, value) : value;
		c->high = c->is_known ? fmax(c->high, value) : value;
		c->is_known = true;
	}
	c->is_log = c->low > 0 && c->high > LOG_FROM * c->low;
}

/* 0 to 1 from low to high. */
static double place_of(const struct flame_colour *c, double value)
{
	double place = c->is_log ? log(fmax(value, c->low) / c->low) / log(c->high / c->low)
				 : (value - c->low) / (c->high - c->low);

	return c->high > c->low ? fmin(fmax(place, 0), 1) : 0.5;
}

static double value_at(const struct flame_colour *c, double place)
{
	return c->is_log ? c->low * pow(c->high / c->low, place)
			 : c->low + place * (c->high - c->low);
}

/* What is good is blue; where neither is, what is low. */
static bool is_turned(const struct flame_colour *c)
{
	return c->counted.columns.data[0]->metric->good == METRIC_HIGHER_IS_BETTER;
}

static uint32_t step_of(const struct flame_colour *c, const struct counted_cell *cell)
{
	if (!c->is_known || !is_sure(cell))
		return 0;
	double from = place_of(c, cell->value - cell->half_width);
	double to = place_of(c, cell->value + cell->half_width);
	if (to - from > 0.5) /* half of all steps */
		return 0;
	uint32_t step = (uint32_t)fmin(place_of(c, cell->value) * STEPS, STEPS - 1);
	return is_turned(c) ? STEPS - step : step + 1;
}

void flame_colour_count(struct flame_colour *c, const struct calltree *t,
			const struct filter_result *samples, const uint32_t *node_of_sample)
{
	struct flat_counts counts;

	flat_count_tree(&counts, &c->counted, t, samples, node_of_sample);
	count_keys(c, t, &counts);
	find_range(c, t);
	for (size_t i = 0; i < t->keys.len; i++) {
		uint64_t hash = hash_of(&t->keys.data[i]);
		uint32_t at = hmap_get(&c->cells, hash);
		if (at != HMAP_NONE)
			hmap_put(&c->steps, hash, step_of(c, &c->list.data[at]));
	}
	flat_counts_release(&counts);
}

unsigned flame_colour_step(const struct flame_colour *c, const struct calltree_key *key)
{
	uint32_t step = is_code(key) ? hmap_get(&c->steps, hash_of(key)) : HMAP_NONE;

	return step == HMAP_NONE ? 0 : step;
}

void flame_colour_append(struct bytes *out, const struct flame_colour *c,
			 const struct calltree_key *key)
{
	uint32_t at = is_code(key) ? hmap_get(&c->cells, hash_of(key)) : HMAP_NONE;

	if (at == HMAP_NONE || c->list.data[at].state != METRIC_KNOWN)
		return;
	bytes_printf(out, ", %s ", c->counted.columns.data[0]->metric->name);
	metrics_append_value(out, &c->list.data[at]);
	bytes_printf(out, " ±");
	metrics_append_error(out, &c->list.data[at]);
}

struct legend {
	struct bytes *out;
	double x, y, width;
};

static void add_key(struct legend *l, unsigned step, const char *text)
{
	double need = SWATCH_PX + 4 + (double)strlen(text) * CHAR_PX + 14;

	if (l->x > FLAME_MARGIN && l->x + need > l->width - FLAME_MARGIN) {
		l->x = FLAME_MARGIN;
		l->y += LINE_PX + 2;
	}
	bytes_printf(l->out,
		     "<g class=\"%c%u key\"><path d=\"M%ld %ldh%d\"/><text x=\"%ld\" y=\"%ld\">",
		     FLAME_COLOUR_LETTER, step, lround(l->x), lround(l->y) - 8, SWATCH_PX,
		     lround(l->x) + SWATCH_PX + 4, lround(l->y) - 4);
	flame_escape(l->out, text, strlen(text));
	bytes_printf(l->out, "</text></g>\n");
	l->x += need;
}

static void add_steps(struct legend *l, const struct flame_colour *c)
{
	double width = (c->high - c->low) / STEPS;
	struct bytes text = { 0 };

	for (unsigned step = 0; step < STEPS; step++) {
		struct counted_cell from = { value_at(c, (double)step / STEPS), width,
					     METRIC_KNOWN };
		if (c->is_log)
			from.half_width = from.value;
		bytes_printf(&text, step ? "from " : "%s from ",
			     c->counted.columns.data[0]->metric->name);
		metrics_append_value(&text, &from);
		bytes_u8(&text, '\0');
		add_key(l, is_turned(c) ? STEPS - step : step + 1, (const char *)text.data);
		bytes_clear(&text);
	}
	bytes_release(&text);
}

static void append_bound(struct bytes *out, const struct flame_colour *c, double value)
{
	struct counted_cell bound = { value, (c->high - c->low) / STEPS, METRIC_KNOWN };

	metrics_append_value(out, &bound);
}

/* The same in words, which stay when the script has a legend of its own. */
static void append_words(struct bytes *out, const struct flame_colour *c)
{
	const struct metric *m = c->counted.columns.data[0]->metric;
	double blue = is_turned(c) ? c->high : c->low, red = is_turned(c) ? c->low : c->high;

	bytes_printf(out, "colours: %s of each function with what it called", m->name);
	if (c->is_known) {
		bytes_printf(out, ", from ");
		append_bound(out, c, blue);
		bytes_printf(out, " (blue) to ");
		append_bound(out, c, red);
		bytes_printf(out, " (red)");
	}
	bytes_printf(out, ", grey where not sure: %s%s%s%s", m->title, *m->unit ? ", " : "",
		     m->unit, strstr(m->formula, "seconds") ? " of CPU time" : "");
}

double flame_colour_legend(struct bytes *out, const struct flame_colour *c, double y, double width)
{
	const struct metric *m = c->counted.columns.data[0]->metric;
	struct legend l = { out, FLAME_MARGIN, y + LINE_PX + 4, width };
	struct bytes text = { 0 };

	if (c->is_known)
		add_steps(&l, c);
	bytes_printf(&text, "%s not sure", m->name);
	bytes_u8(&text, '\0');
	add_key(&l, 0, (const char *)text.data);
	bytes_clear(&text);
	append_words(&text, c);
	double height = l.y - y + 4;
	height += flame_lines(out, "dim", y + height, LINE_PX, (const char *)text.data, text.len,
			      FLAME_COLUMNS(width));
	bytes_release(&text);
	return height;
}

void flame_colour_style(struct bytes *out)
{
	bytes_append(out, style, sizeof(style) - 1);
}
