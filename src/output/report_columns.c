/* The columns of a report's table. */
#include "output/report_columns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "output/metrics.h"

#define WIDE		((size_t)110) /* from here on modules have a column of their own */
#define NARROW		((size_t)60)  /* below, it is not told where the code is */
#define NUMBERS_WIDTH	((size_t)21)
#define GROUPS_WIDTH	((size_t)37) /* numbers of threads, CPUs, … */
#define MODULE_WIDTH	((size_t)20)
#define WHERE_WIDTH	((size_t)24)
#define LEAST_WHERE	((size_t)14)
#define GOOD_WHERE	((size_t)17) /* longer ones give way to the columns behind */
#define LEAST_NAME	((size_t)16)
#define LONG_NAME	((size_t)40) /* longer ones make no room for themselves */
#define TWIN_NAME	((size_t)44) /* of names that differ in arguments only */
#define BAR_WIDTH	((size_t)10)
#define SMALL_BAR_WIDTH ((size_t)5)
#define THREADS_WIDTH	((size_t)4)
#define EXTRAS_WIDTH	(THREADS_WIDTH + SMALL_BAR_WIDTH + 1)
#define BETWEEN		((size_t)2) /* columns */

static size_t width_of(const char *text)
{
	return text_width(text, strlen(text));
}

static size_t max_size(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t minus(size_t a, size_t b)
{
	return a > b ? a - b : 0;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* The module's file, whatever its length. */
static char *module_name(const struct report *r, const struct flat_row *row)
{
	if (row->kind == CODE_SYNTHETIC)
		return xstrdup("");
	return show_name(&r->show, base_name(facts_module_path(r->profile, row->module)));
}

/* File and line, or where there is none and modules have no column the module. */
static char *place_name(const struct report_columns *c, const struct report *r,
			const struct flat_row *row)
{
	const char *path = profile_str(r->profile, row->file);

	if (!*path)
		return c->modules ? xstrdup("") : module_name(r, row);
	CLEANUP_FREE char *text = row->line ? xasprintf("%s:%" PRIu32, base_name(path), row->line)
					    : xstrdup(base_name(path));
	return show_name(&r->show, text);
}

char *report_columns_module(const struct report_columns *c, const struct report *r,
			    const struct flat_row *row)
{
	CLEANUP_FREE char *name = module_name(r, row);

	return show_elide(&r->show, c->module ? name : "", c->module);
}

char *report_columns_where(const struct report_columns *c, const struct report *r,
			   const struct flat_row *row)
{
	CLEANUP_FREE char *place = place_name(c, r, row);

	return show_elide(&r->show, c->where ? place : "", c->where);
}

/* What the names need at least, with what stands behind them. Of those that are the same once they
 * are short something of what was left out is needed, too. */
static size_t needed_for_names(const struct report *r, const struct flat *f, size_t rows,
			       size_t room)
{
	size_t needed = strlen("FUNCTION");
	struct strtab known;

	strtab_init(&known);
	for (size_t i = 0; i < rows; i++) {
		const struct flat_row *row = &f->rows.data[i];
		CLEANUP_FREE char *mark = report_folded_mark(r, f, row, room);
		CLEANUP_FREE char *name = show_function_shortest(&r->show, row->name);
		size_t before = known.strings.len;
		strtab_add_str(&known, name);
		size_t width = known.strings.len == before ? TWIN_NAME : width_of(name);
		needed = max_size(needed, width + width_of(mark));
	}
	strtab_release(&known);
	return needed;
}

static void choose_modules(struct report_columns *c, const struct report *r, const struct flat *f,
			   size_t rows)
{
	size_t widest = strlen("MODULE");

	for (size_t i = 0; i < rows; i++) {
		CLEANUP_FREE char *name = module_name(r, &f->rows.data[i]);
		widest = max_size(widest, width_of(name));
	}
	c->module = min_size(widest, MODULE_WIDTH);
	c->name = minus(c->name, c->module + BETWEEN);
}

static size_t widest_place(const struct report_columns *c, const struct report *r,
			   const struct flat *f, size_t rows)
{
	size_t widest = 0;

	for (size_t i = 0; i < rows; i++) {
		CLEANUP_FREE char *place = place_name(c, r, &f->rows.data[i]);
		widest = max_size(widest, width_of(place));
	}
	return widest ? max_size(widest, strlen("WHERE")) : 0;
}

/* Long places give way to names, as far as they stay places, and by reserve columns more to what
 * stands behind them, as far as they stay good ones. */
static void choose_places(struct report_columns *c, size_t widest, size_t needed, size_t reserve)
{
	size_t left = minus(c->name, min_size(needed, LONG_NAME) + BETWEEN);
	size_t good = min_size(max_size(minus(left, reserve), GOOD_WHERE), left);

	if (!widest)
		return;
	c->where = min_size(widest, min_size(max_size(good, LEAST_WHERE), WHERE_WIDTH));
	c->name = max_size(minus(c->name, c->where + BETWEEN), LEAST_NAME);
}

/* Threads and bars are there where the names leave room for them. */
static void choose_extras(struct report_columns *c, const struct report *r, size_t needed)
{
	size_t spare = minus(c->name, needed);
	bool threads = !c->groups && r->facts.threads > 1;

	c->threads = threads && spare >= THREADS_WIDTH &&
		     (spare >= EXTRAS_WIDTH || spare <= SMALL_BAR_WIDTH);
	spare -= c->threads ? THREADS_WIDTH : 0;
	c->bar = spare > BAR_WIDTH ? BAR_WIDTH : spare > SMALL_BAR_WIDTH ? SMALL_BAR_WIDTH : 0;
	c->name -= (c->threads ? THREADS_WIDTH : 0) + (c->bar ? c->bar + 1 : 0);
}

void report_columns_choose(struct report_columns *c, const struct report *r, const struct flat *f,
			   size_t rows)
{
	size_t width = r->show.width;
	enum flat_by by = r->options->by;

	*c = (struct report_columns){ .groups = by >= FLAT_BY_THREAD };
	size_t numbers = (c->groups ? GROUPS_WIDTH : NUMBERS_WIDTH) +
			 (r->counted ? metrics_width(r->counted) : 0);
	c->name = max_size(minus(width, numbers), LEAST_NAME);
	size_t needed = needed_for_names(r, f, rows, c->name);
	bool places = !c->groups && by != FLAT_BY_MODULE && width >= NARROW;
	c->modules = places && width >= WIDE;
	if (c->modules)
		choose_modules(c, r, f, rows);
	size_t room = c->name, widest = places ? widest_place(c, r, f, rows) : 0;
	choose_places(c, widest, needed, EXTRAS_WIDTH);
	choose_extras(c, r, needed);
	if (by == FLAT_BY_EVENT) /* their weights do not compare */
		c->bar = 0;
	if (!c->bar && !c->threads) {
		c->name = room;
		choose_places(c, widest, needed, 0);
	}
}
