/* From JSON to ceilings. Nothing in it is believed: rates are positive and in order, counts
 * bounded. */
#include "input/ceilings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/io.h"
#include "input/json_read.h"

#define FORMAT	  "prof-ceilings"
#define VERSION	  1
#define ROWS_MAX  256
#define CPUS_MAX  65536
#define RATE_MOST 1e18 /* each second: more is nonsense */

struct source {
	const struct json_tree *tree;
	struct error *err;
};

static int fail(const struct source *s, const char *what)
{
	return error_set(s->err, ERROR_FORMAT, "%s (measure anew: prof roofline --save FILE)",
			 what);
}

/* ---- single values ---- */

static bool flag_of(const struct source *s, const struct json_value *at, const char *name)
{
	const struct json_value *v = json_member(s->tree, at, name);

	return v && v->kind == JSON_TRUE;
}

/* NaN: there is no such number. */
static double number_of(const struct source *s, const struct json_value *at, const char *name)
{
	const struct json_value *v = json_member(s->tree, at, name);

	return v && v->kind == JSON_NUMBER ? v->number : NAN;
}

/* A whole number of at most `most`; 0: there is none. */
static uint64_t count_of(const struct source *s, const struct json_value *at, const char *name,
			 double most)
{
	double n = number_of(s, at, name);

	return n >= 1 && n <= most ? (uint64_t)n : 0;
}

static double part_of(const struct source *s, const struct json_value *at, const char *name)
{
	double n = number_of(s, at, name);

	return n >= 0 && n <= 1 ? n : NAN;
}

static void string_of(const struct source *s, const struct json_value *at, const char *name,
		      char *out, size_t size)
{
	const struct json_value *v = json_member(s->tree, at, name);

	snprintf(out, size, "%s", v && v->kind == JSON_STRING ? v->string : "");
}

static int rate_of(const struct source *s, const struct json_value *at, const char *name,
		   struct ceiling_rate *out)
{
	const struct json_value *v = json_member(s->tree, at, name);

	if (!v || v->kind == JSON_NULL)
		return 0; /* not measured */
	out->best = number_of(s, v, "best");
	out->median = number_of(s, v, "median");
	out->least = number_of(s, v, "least");
	if (out->least > 0 && out->median >= out->least && out->best >= out->median &&
	    out->best <= RATE_MOST)
		return 0;
	return fail(s, "a rate that cannot be");
}

/* ---- rows ---- */

static int read_flops(const struct source *s, const struct json_value *at, struct ceilings *c)
{
	struct ceiling_flops row = { 0 };
	char precision[16];

	string_of(s, at, "name", row.name, sizeof(row.name));
	string_of(s, at, "precision", precision, sizeof(precision));
	row.is_double = strcmp(precision, "double") == 0;
	row.is_vector = flag_of(s, at, "vector");
	row.is_fma = flag_of(s, at, "fma");
	if (rate_of(s, at, "one", &row.one) < 0 || rate_of(s, at, "all", &row.all) < 0)
		return -1;
	if (!*row.name || (!row.is_double && strcmp(precision, "single") != 0))
		return fail(s, "an arithmetic ceiling without name or precision");
	vec_push(&c->flops, row);
	return 0;
}

static int read_bandwidth(const struct source *s, const struct json_value *at, struct ceilings *c)
{
	struct ceiling_bandwidth row = { 0 };

	string_of(s, at, "place", row.place, sizeof(row.place));
	string_of(s, at, "what", row.what, sizeof(row.what));
	row.one_bytes = count_of(s, at, "one_bytes", RATE_MOST);
	row.all_bytes = count_of(s, at, "all_bytes", RATE_MOST);
	if (rate_of(s, at, "one", &row.one) < 0 || rate_of(s, at, "all", &row.all) < 0)
		return -1;
	if (!*row.place || !*row.what)
		return fail(s, "a bandwidth without place or kernel");
	vec_push(&c->bandwidth, row);
	return 0;
}

static int read_cache(const struct source *s, const struct json_value *at, struct ceilings *c)
{
	struct ceiling_cache row = {
		.level = (uint32_t)count_of(s, at, "level", 16),
		.shared_by = (uint32_t)count_of(s, at, "shared_by", CPUS_MAX),
		.bytes = count_of(s, at, "bytes", RATE_MOST),
	};

	vec_push(&c->caches, row);
	return 0;
}

static int read_rows(const struct source *s, const char *name, struct ceilings *c,
		     int (*read_row)(const struct source *, const struct json_value *,
				     struct ceilings *))
{
	const struct json_value *rows = json_member(s->tree, s->tree->values.data, name);
	size_t count = 0;

	for (const struct json_value *v = json_first(s->tree, rows); v; v = json_next(s->tree, v)) {
		if (count++ == ROWS_MAX)
			return fail(s, "more rows than any machine has");
		if (read_row(s, v, c) < 0)
			return -1;
	}
	return 0;
}

static int read_machine(const struct source *s, struct ceilings *c)
{
	const struct json_value *whole = s->tree->values.data;

	string_of(s, whole, "processor", c->processor, sizeof(c->processor));
	string_of(s, whole, "architecture", c->architecture, sizeof(c->architecture));
	c->is_virtual = flag_of(s, whole, "virtual");
	c->caches_are_guessed = flag_of(s, whole, "caches_guessed");
	c->memory_is_small = flag_of(s, whole, "memory_small");
	c->is_quick = flag_of(s, whole, "quick");
	c->threads = (uint32_t)count_of(s, whole, "threads", CPUS_MAX);
	c->cores = (uint32_t)count_of(s, whole, "cores", CPUS_MAX);
	c->rounds = (uint32_t)count_of(s, whole, "rounds", 1e6);
	c->elapsed_ns = count_of(s, whole, "elapsed_ns", RATE_MOST);
	c->steal = part_of(s, whole, "steal");
	c->others = part_of(s, whole, "others");
	c->held_up = part_of(s, whole, "held_up");
	if (!c->threads || !c->cores || c->cores > c->threads)
		return fail(s, "no number of threads and cores");
	return 0;
}

static int read_tree(const struct source *s, struct ceilings *c)
{
	const struct json_value *whole = s->tree->values.data;
	char format[32];

	string_of(s, whole, "format", format, sizeof(format));
	if (strcmp(format, FORMAT) != 0)
		return fail(s, "no ceilings of prof roofline");
	if (count_of(s, whole, "version", 1e6) != VERSION)
		return fail(s, "ceilings of another version");
	if (read_machine(s, c) < 0 || read_rows(s, "caches", c, read_cache) < 0 ||
	    read_rows(s, "flops", c, read_flops) < 0 ||
	    read_rows(s, "bandwidth", c, read_bandwidth) < 0)
		return -1;
	return c->flops.len ? 0 : fail(s, "no arithmetic ceiling");
}

int ceilings_parse(struct ceilings *c, const char *text, size_t len, struct error *err)
{
	struct json_tree tree;
	struct source s = { .tree = &tree, .err = err };

	*c = (struct ceilings){ 0 };
	int rc = json_parse(&tree, text, len, err);
	if (rc == 0)
		rc = read_tree(&s, c);
	json_release(&tree);
	return rc;
}

int ceilings_read(struct ceilings *c, const char *path, struct error *err)
{
	struct bytes text = { 0 };
	int rc = -1;

	*c = (struct ceilings){ 0 };
	if (io_read_file(path, &text, CEILINGS_FILE_MAX, err) == 0) {
		rc = ceilings_parse(c, (const char *)text.data, text.len, err);
		if (rc < 0)
			error_context(err, "%s", path);
	}
	bytes_release(&text);
	return rc;
}
