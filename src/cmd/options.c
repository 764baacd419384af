/* The option parser: finds the row for each word of argv and stores its value through the row's
 * offset. */
#include "cmd/options.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/text.h"

struct parser {
	const struct cmd_option *rows;
	void *out;
	char **argv;
	int argc, next; /* next: the first word not yet looked at */
	bool help;
	struct error *err;
};

void cmd_strings_add(struct cmd_strings *s, const char *item)
{
	if (s->len + 2 > s->cap)
		s->items = vec_grow_(s->items, &s->cap, s->len + 2, sizeof(*s->items));
	s->items[s->len++] = item;
	s->items[s->len] = NULL;
}

static void *field(const struct parser *p, size_t offset)
{
	return (char *)p->out + offset;
}

static bool takes_argument(const struct cmd_option *row)
{
	return row->kind != OPT_FLAG && row->kind != OPT_COUNT;
}

static void mark_given(const struct parser *p, const struct cmd_option *row)
{
	if (row->given_offset != OPTION_NOT_TOLD)
		*(bool *)field(p, row->given_offset) = true;
}

static int bad_value(const struct parser *p, const char *shown, const char *text, const char *want)
{
	return error_set(p->err, ERROR_USAGE, "%s: '%s' is not %s", shown, text, want);
}

static int set_choice(const struct parser *p, const struct cmd_option *row, const char *shown,
		      const char *text)
{
	char want[256];
	size_t used = (size_t)snprintf(want, sizeof(want), "one of");

	for (unsigned i = 0; row->choices[i]; i++) {
		if (strcmp(row->choices[i], text) == 0) {
			*(unsigned *)field(p, row->offset) = i;
			return 0;
		}
		if (used < sizeof(want))
			used += (size_t)snprintf(want + used, sizeof(want) - used, "%s%s",
						 i ? ", " : " ", row->choices[i]);
	}
	return bad_value(p, shown, text, want);
}

static int set_number(const struct parser *p, const struct cmd_option *row, const char *shown,
		      const char *text)
{
	uint64_t n;

	if (!text_parse_u64(text, &n))
		return bad_value(p, shown, text, "a whole number");
	if (n < row->least)
		return error_set(p->err, ERROR_USAGE, "%s: at least %" PRIu64, shown, row->least);
	*(uint64_t *)field(p, row->offset) = n;
	return 0;
}

static bool parse_millis(const char *text, uint64_t *ns)
{
	uint64_t ms;

	if (!text_parse_u64(text, &ms))
		return text_parse_seconds(text, ns); /* with a unit */
	return !__builtin_mul_overflow(ms, (uint64_t)1000000, ns);
}

static bool parse_double(const char *text, double *out)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end != '\0' || !isfinite(v) || v < 0)
		return false;
	*out = v;
	return true;
}

/* Store text as the value of a row that takes one. */
static int set_value(const struct parser *p, const struct cmd_option *row, const char *shown,
		     const char *text)
{
	void *at = field(p, row->offset);

	mark_given(p, row);
	switch (row->kind) {
	case OPT_STRING:
		*(const char **)at = text;
		return 0;
	case OPT_LIST:
		cmd_strings_add(at, text);
		return 0;
	case OPT_U64:
		return set_number(p, row, shown, text);
	case OPT_SIZE:
		return text_parse_size(text, at)
			       ? 0
			       : bad_value(p, shown, text, "a size (4096, 64k, 1M)");
	case OPT_SECONDS:
		return text_parse_seconds(text, at)
			       ? 0
			       : bad_value(p, shown, text, "a time (10, 1.5, 200ms)");
	case OPT_MILLIS:
		return parse_millis(text, at)
			       ? 0
			       : bad_value(p, shown, text, "a number of milliseconds");
	case OPT_DOUBLE:
		return parse_double(text, at) ? 0 : bad_value(p, shown, text, "a number");
	case OPT_CHOICE:
		return set_choice(p, row, shown, text);
	case OPT_FLAG:
	case OPT_COUNT:
		break;
	}
	return 0;
}

/* Set a row that takes no value. */
static void set_flag(const struct parser *p, const struct cmd_option *row, bool value)
{
	mark_given(p, row);
	if (row->kind == OPT_COUNT)
		*(unsigned *)field(p, row->offset) += 1;
	else
		*(bool *)field(p, row->offset) = value;
}

/* A long name as typed, resolved. */
struct match {
	const struct cmd_option *row;
	bool negated, exact, ambiguous;
	char others[128]; /* the names an ambiguous prefix stands for */
};

static void offer(struct match *m, const struct cmd_option *row, bool negated, const char *typed,
		  size_t len)
{
	const char *no = negated ? "no-" : "";
	char name[64];
	int n = snprintf(name, sizeof(name), "%s%s", no, row->name);

	if (m->exact || n < 0 || len > (size_t)n || strncmp(name, typed, len) != 0)
		return;
	size_t used = strlen(m->others);
	snprintf(m->others + used, sizeof(m->others) - used, "%s--%s", used ? ", " : "", name);
	m->ambiguous = m->row != NULL;
	m->row = row;
	m->negated = negated;
	if (len == (size_t)n) {
		m->exact = true;
		m->ambiguous = false;
	}
}

/* The names at the least distance from what was typed. */
struct near_options {
	unsigned distance, count;
	const char *names[2];
};

/* Short names are near to everything: a third of the letters may be wrong, at most two. */
static unsigned near_limit(const char *typed)
{
	size_t third = strlen(typed) / 3;

	return third < 2 ? (unsigned)third : 2;
}

static void add_near(struct near_options *near, const char *name, const char *typed)
{
	unsigned distance = text_distance(typed, name, near->distance);

	if (distance > near->distance)
		return;
	if (distance < near->distance)
		near->count = 0;
	near->distance = distance;
	if (near->count < sizeof(near->names) / sizeof(near->names[0]))
		near->names[near->count++] = name;
}

static int unknown_long(const struct parser *p, const char *typed, size_t len)
{
	CLEANUP_FREE char *name = xstrndup(typed, len);
	struct near_options near = { .distance = near_limit(name) };
	struct bytes hint = { 0 };

	for (const struct cmd_option *row = p->rows; row->name; row++)
		if (!row->hidden)
			add_near(&near, row->name, name);
	for (unsigned i = 0; i < near.count; i++)
		bytes_printf(&hint, "%s--%s", i ? " or " : "; did you mean ", near.names[i]);
	bytes_printf(&hint, near.count ? "?" : "");
	bytes_u8(&hint, '\0');
	error_set(p->err, ERROR_USAGE, "unknown option --%s%s", name, (const char *)hint.data);
	bytes_release(&hint);
	return -1;
}

static int find_long(const struct parser *p, const char *typed, size_t len, struct match *m)
{
	memset(m, 0, sizeof(*m));
	for (const struct cmd_option *row = p->rows; row->name; row++) {
		offer(m, row, false, typed, len);
		if (row->negatable)
			offer(m, row, true, typed, len);
	}
	if (!m->row)
		return unknown_long(p, typed, len);
	if (m->ambiguous)
		return error_set(p->err, ERROR_USAGE, "--%.*s can mean %s: write more of it",
				 (int)len, typed, m->others);
	return 0;
}

/* The value of an option: what is attached, else what is implied, else the next word. */
static int take_value(struct parser *p, const struct cmd_option *row, const char *shown,
		      const char *attached)
{
	if (attached)
		return set_value(p, row, shown, attached);
	if (row->implied)
		return set_value(p, row, shown, row->implied);
	if (p->next >= p->argc)
		return error_set(p->err, ERROR_USAGE, "%s needs a value (%s)", shown,
				 row->argument);
	return set_value(p, row, shown, p->argv[p->next++]);
}

static int parse_long(struct parser *p, const char *word)
{
	size_t len = strcspn(word, "=");
	const char *attached = word[len] == '=' ? word + len + 1 : NULL;
	struct match m;
	char shown[80];

	if (len >= 2 && strncmp(word, "help", len) == 0 && !attached) {
		p->help = true;
		return 0;
	}
	if (find_long(p, word, len, &m) < 0)
		return -1;
	snprintf(shown, sizeof(shown), "--%s%s", m.negated ? "no-" : "", m.row->name);
	if (!m.negated && takes_argument(m.row))
		return take_value(p, m.row, shown, attached);
	if (attached)
		return error_set(p->err, ERROR_USAGE, "%s takes no value", shown);
	set_flag(p, m.row, !m.negated);
	return 0;
}

static const struct cmd_option *find_letter(const struct parser *p, char letter)
{
	for (const struct cmd_option *row = p->rows; row->name; row++)
		if (row->letter == letter)
			return row;
	return NULL;
}

/* "-qvF99": flags, and at most one option with a value, which ends the word. */
static int parse_letters(struct parser *p, const char *letters)
{
	for (; *letters; letters++) {
		const struct cmd_option *row = find_letter(p, *letters);
		char shown[3] = { '-', *letters, '\0' };
		if (!row && *letters == 'h') {
			p->help = true;
			return 0;
		}
		if (!row)
			return error_set(p->err, ERROR_USAGE, "unknown option -%c", *letters);
		if (takes_argument(row))
			return take_value(p, row, shown, letters[1] ? letters + 1 : NULL);
		set_flag(p, row, true);
	}
	return 0;
}

static bool is_operand(const char *word)
{
	return word[0] != '-' || word[1] == '\0';
}

/* Parse up to the end of the options; operands before it move to the front. Returns how many, or
 * -1. */
static int parse_words(struct parser *p, bool stops_at_first_operand)
{
	int kept = 0;

	while (p->next < p->argc && !p->help) {
		char *word = p->argv[p->next];
		if (is_operand(word) && stops_at_first_operand)
			break;
		p->next++;
		if (is_operand(word)) {
			p->argv[kept++] = word;
			continue;
		}
		if (strcmp(word, "--") == 0)
			break;
		if ((word[1] == '-' ? parse_long(p, word + 2) : parse_letters(p, word + 1)) < 0)
			return -1;
	}
	return kept;
}

int options_parse(const struct cmd_option *rows, bool stops_at_first_operand, void *out,
		  struct words *words, struct error *err)
{
	struct parser p = {
		.rows = rows, .out = out, .argv = words->items, .argc = words->count, .err = err
	};
	int kept = parse_words(&p, stops_at_first_operand);

	if (kept < 0)
		return -1;
	if (stops_at_first_operand) {
		*words = (struct words){ p.argc - p.next, p.argv + p.next };
		return p.help;
	}
	while (p.next < p.argc)
		p.argv[kept++] = p.argv[p.next++];
	p.argv[kept] = NULL;
	words->count = kept;
	return p.help;
}

void options_release(const struct cmd_option *rows, void *out)
{
	for (const struct cmd_option *row = rows; row->name; row++) {
		if (row->kind != OPT_LIST)
			continue;
		struct cmd_strings *s = (struct cmd_strings *)((char *)out + row->offset);
		free_ptr(&s->items);
		s->len = s->cap = 0;
	}
}
