/* Sentences and numbers that the text and the picture have in common. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "output/roofline.h"

#define WORTH_SAYING 0.02 /* part of the time that was not ours */
#define SEVERAL	     1.15 /* times: less is not worth a word */

const char *roofline_number(char *buf, size_t size, double n)
{
	if (!isfinite(n) || n <= 0)
		snprintf(buf, size, "0");
	else if (n >= 100)
		snprintf(buf, size, "%.0f", n);
	else {
		int digits = 2 - (int)floor(log10(n) + 0.002); /* 9.996 is 10.0 */
		snprintf(buf, size, "%.*f", digits > 9 ? 9 : digits < 0 ? 0 : digits, n);
	}
	return buf;
}

const char *roofline_rate(char *buf, size_t size, double rate, const char *unit)
{
	static const char prefixes[] = " kMGTP";
	char number[32];
	size_t prefix = 0;

	while (rate >= 999.5 && prefix + 2 < sizeof(prefixes)) {
		rate /= 1000;
		prefix++;
	}
	roofline_number(number, sizeof(number), rate);
	if (prefix)
		snprintf(buf, size, "%s %c%s", number, prefixes[prefix], unit);
	else
		snprintf(buf, size, "%s %s", number, unit);
	return buf;
}

const char *roofline_cores(char *buf, size_t size, const struct ceilings *c, bool all)
{
	if (!all || c->threads == 1)
		snprintf(buf, size, "one core");
	else if (c->threads == c->cores)
		snprintf(buf, size, "%u cores", c->cores);
	else
		snprintf(buf, size, "%u threads on %u core%s", c->threads, c->cores,
			 c->cores == 1 ? "" : "s");
	return buf;
}

void roofline_machine(struct bytes *out, const struct ceilings *c)
{
	char cores[64];
	const char *name = *c->processor ? c->processor : "a processor that has no name here";

	text_append_printable(out, name, strlen(name));
	bytes_printf(out, ", ");
	text_append_printable(out, c->architecture, strlen(c->architecture));
	bytes_printf(out, "%s, %s", c->is_virtual ? ", virtual machine" : "",
		     roofline_cores(cores, sizeof(cores), c, true));
}

static void append_part(struct bytes *out, double part, const char *before, const char *behind,
			bool *any)
{
	if (!(part >= WORTH_SAYING))
		return;
	bytes_printf(out, "%s%s %.0f %% %s", *any ? ", " : "not alone on this machine: ", before,
		     100 * part, behind);
	*any = true;
}

static void append_load(struct bytes *out, const struct ceilings *c)
{
	bool any = false;

	append_part(out, c->others, "other processes had", "of the CPUs' time", &any);
	append_part(out, c->steal, "the host gave", "of it to others", &any);
	append_part(out, c->held_up, "our threads were held up for", "of theirs", &any);
	if (any)
		bytes_printf(out, "; ceilings may be too low\n");
}

void roofline_cautions(struct bytes *out, const struct ceilings *c)
{
	append_load(out, c);
	if (c->is_virtual)
		bytes_printf(out,
			     "in a virtual machine: what the host does besides is not seen from "
			     "here\n");
	if (c->caches_are_guessed)
		bytes_printf(out, "the kernel tells nothing of caches here; their sizes are the C "
				  "library's, and of the last level maybe all together\n");
	if (c->memory_is_small)
		bytes_printf(out,
			     "what stands for memory is less than 4 times the last cache: some "
			     "of it may have come from there\n");
}

/* ---- a point ---- */

static void append_standing(struct bytes *out, const struct ceilings *c,
			    const struct roofline_point *p, const struct roofline_place *place)
{
	char buf[64];

	bytes_printf(out, "%s", roofline_rate(buf, sizeof(buf), place->rate, "FLOP/s"));
	if (isnan(place->intensity))
		bytes_printf(out, "; bytes were not counted, so its intensity is not known");
	else
		bytes_printf(out, "%s %s FLOP/byte", place->is_at_most ? ", at most" : " at",
			     roofline_number(buf, sizeof(buf), place->intensity));
	if (!isnan(p->cpus))
		bytes_printf(out, ", %s CPUs used", roofline_number(buf, sizeof(buf), p->cpus));
	bytes_printf(out, "; compared with %s, %s precision%s\n",
		     roofline_cores(buf, sizeof(buf), c, place->is_all),
		     place->is_single ? "single" : "double",
		     isnan(p->single) ? " (the processor does not tell which)" : "");
}

static void append_memory_bound(struct bytes *out, const struct roofline_place *p)
{
	double roof = ceiling_bandwidth_rate(p->memory, p->is_all)->best;
	char buf[64];

	bytes_printf(out, "memory limits it: %s", roofline_rate(buf, sizeof(buf), roof, "B/s"));
	bytes_printf(out, " x %s FLOP/byte", roofline_number(buf, sizeof(buf), p->intensity));
	bytes_printf(out, " = %s", roofline_rate(buf, sizeof(buf), p->attainable, "FLOP/s"));
}

static void append_ceiling(struct bytes *out, const struct roofline_place *p)
{
	char buf[64];

	if (p->bound == ROOFLINE_BOUND_MEMORY) {
		append_memory_bound(out, p);
		return;
	}
	bytes_printf(out,
		     p->bound == ROOFLINE_BOUND_ARITHMETIC ? "arithmetic limits it: %s"
							   : "at most %s by arithmetic",
		     roofline_rate(buf, sizeof(buf), p->attainable, "FLOP/s"));
	bytes_printf(out, " (%s)", p->peak->name);
}

static void append_gain(struct bytes *out, const struct roofline_place *p)
{
	char buf[64];

	if (p->gain < 1) {
		bytes_printf(out, "; it is above that ceiling, so that was measured too low\n");
		return;
	}
	bytes_printf(out, "; it has %.0f %% of that", 100 / p->gain);
	if (p->gain > SEVERAL)
		bytes_printf(out, ", up to %s times as fast is possible",
			     roofline_number(buf, sizeof(buf), p->gain));
	bytes_printf(out, p->bound == ROOFLINE_BOUND_MEMORY
				  ? "; more needs fewer bytes for each operation\n"
				  : "\n");
}

/* Without vectors it could not be faster; with them it could. */
static void append_vectors(struct bytes *out, const struct roofline_place *p)
{
	char buf[64];

	if (!p->plain)
		return;
	double plain = ceiling_flops_rate(p->plain, p->is_all)->best;
	if (p->rate <= plain && p->attainable > SEVERAL * plain)
		bytes_printf(out,
			     "it is below the ceiling of code without vectors (%s): see whether "
			     "its loops use them\n",
			     roofline_rate(buf, sizeof(buf), plain, "FLOP/s"));
}

void roofline_verdict(struct bytes *out, const struct ceilings *c,
		      const struct roofline_point *point)
{
	struct roofline_place place;

	if (!roofline_place(&place, c, point)) {
		bytes_printf(out, "no floating-point operation was counted: nothing to place\n");
		return;
	}
	append_standing(out, c, point, &place);
	append_ceiling(out, &place);
	append_gain(out, &place);
	append_vectors(out, &place);
	if (point->running < 1)
		bytes_printf(out,
			     "events took turns: the one that was counted least was for %.0f %% "
			     "of the time, and is scaled up\n",
			     100 * point->running);
	if (!isnan(place.intensity) && place.is_at_most)
		bytes_printf(out,
			     "bytes are cache lines fetched from memory: what was written back is "
			     "not among them, so the intensity is lower\n");
	if (point->is_whole_machine)
		bytes_printf(out, "of everything that ran on the machine meanwhile\n");
}
