/*
 * Folded stacks, a line each: "root;caller;leaf 123", as stackcollapse scripts and prof folded
 * write them. A last number is the weight; two are those before and after a change, as difffolded
 * writes them, which become two events. "_[k]" behind a name says kernel, "_[j]" generated code,
 * "_[i]" that it is inlined into the one before.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "input/formats.h"
#include "input/lines.h"
#include "input/stacks.h"

#define MARK_BYTES  4 /* of "_[k]" */
#define WEIGHTS_MAX 2
#define WEIGHT_MAX  ((uint64_t)INT64_MAX)

/* A frame of a line, with what is inlined there. */
struct step {
	size_t start, end;
	uint32_t location; /* PROFILE_NONE: not looked up */
	uint32_t node;	   /* of a call made there; PROFILE_NONE: not looked up */
};

struct folded {
	struct stacks stacks;
	uint32_t modules[MODULE_SYNTHETIC]; /* by kind; PROFILE_NONE: none yet */
	VEC(struct step) steps;		    /* of the line before, which is in text */
	VEC(char) text;
	unsigned weights; /* that every line has */
	bool is_sorted;	  /* so far: what begins as no line just before did is new */
	uint64_t skipped, first_skipped, rounded, limited;
};

struct weight {
	uint64_t value;
	bool is_rounded, is_limited;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

static void read_weight(const char *at, const char *end, struct weight *out)
{
	*out = (struct weight){ 0 };
	for (; at < end && is_digit(*at); at++) {
		uint64_t digit = (uint64_t)(*at - '0');
		out->is_limited |= out->value > (WEIGHT_MAX - digit) / 10;
		out->value = out->is_limited ? WEIGHT_MAX : out->value * 10 + digit;
	}
	for (const char *digit = at + 1; digit < end; digit++)
		out->is_rounded |= *digit != '0';
	if (at + 1 < end && at[1] >= '5' && out->value < WEIGHT_MAX)
		out->value++;
}

/* The number, perhaps with a fraction, that ends the line behind a space. Returns the length of
 * what is before, 0 when there is none. */
static size_t cut_weight(const char *line, size_t len, struct weight *out)
{
	size_t at = len, dots = 0;

	for (; at > 0 && (is_digit(line[at - 1]) || line[at - 1] == '.'); at--)
		dots += line[at - 1] == '.';
	if (at == len || at == 0 || dots > 1 || !is_digit(line[at]) || !is_space(line[at - 1]))
		return 0;
	read_weight(line + at, line + len, out);
	while (at > 0 && is_space(line[at - 1]))
		at--;
	return at;
}

/* weights: how many to take at most. Returns the length of the stack, 0: it is no such line. */
static size_t cut_weights(const char *line, size_t len, unsigned max, struct weight *out,
			  unsigned *weights)
{
	while (len > 0 && is_space(line[len - 1]))
		len--;
	size_t left = cut_weight(line, len, &out[0]);
	*weights = 1;
	if (left == 0 || max < 2)
		return left;
	struct weight before;
	size_t less = cut_weight(line, left, &before);
	if (less == 0)
		return left;
	out[1] = out[0];
	out[0] = before;
	*weights = 2;
	return less;
}

static char mark_of(const char *name, size_t len)
{
	const char *mark = name + len - MARK_BYTES;
	bool is_marked = len > MARK_BYTES && mark[0] == '_' && mark[1] == '[' && mark[3] == ']' &&
			 strchr("kijw", mark[2]);

	return is_marked ? mark[2] : '\0';
}

static size_t name_end(const char *line, size_t start, size_t len)
{
	const char *end = memchr(line + start, ';', len - start);

	return end ? (size_t)(end - line) : len;
}

/* Where each frame behind those is that are known, with what is inlined into the last of them. */
static void find_steps(struct folded *f, const char *line, size_t len)
{
	struct step step = { .location = PROFILE_NONE, .node = PROFILE_NONE };
	size_t start = f->steps.len ? f->steps.data[f->steps.len - 1].end + 1 : 0;

	for (; start < len; start = step.end + 1) {
		step.start = start;
		step.end = name_end(line, start, len);
		if (step.end == start)
			continue;
		if (mark_of(line + start, step.end - start) == 'i' && f->steps.len)
			step.start = f->steps.data[--f->steps.len].start;
		vec_push(&f->steps, step);
	}
}

static uint32_t find_function(struct folded *f, const char *name, size_t len)
{
	char mark = mark_of(name, len);
	uint8_t kind = mark == 'k' ? MODULE_KERNEL : mark == 'j' ? MODULE_JIT : MODULE_FILE;
	uint32_t *module = &f->modules[kind];

	if (*module == PROFILE_NONE)
		*module = stacks_module(&f->stacks, "", 0, kind);
	return stacks_function(&f->stacks, name, mark ? len - MARK_BYTES : len, *module);
}

static uint32_t find_location(struct folded *f, const char *line, const struct step *step)
{
	size_t end = name_end(line, step->start, step->end);
	uint32_t location = find_function(f, line + step->start, end - step->start);

	while (end < step->end) {
		size_t start = end + 1;
		end = name_end(line, start, step->end);
		if (end > start)
			location = stacks_inline(&f->stacks, location, line + start,
						 end - start - MARK_BYTES);
	}
	return location;
}

static bool are_different(const char *a, const char *b)
{
	uint64_t x[4], y[4];

	memcpy(x, a, sizeof(x));
	memcpy(y, b, sizeof(y));
	return ((x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3])) != 0;
}

static size_t count_same(const char *a, const char *b, size_t len)
{
	const size_t block = 4 * sizeof(uint64_t);
	size_t n = 0;

	while (n + block <= len && !are_different(a + n, b + n))
		n += block;
	while (n < len && a[n] == b[n])
		n++;
	return n;
}

static bool is_end(const char *line, size_t len, size_t at)
{
	return at == len || line[at] == ';';
}

/* Lines are most often sorted: keep the frames that this one begins with as the one before did, and
 * take it for the next. */
static void take_over(struct folded *f, const char *line, size_t len)
{
	const char *before = f->text.data;
	size_t shorter = len < f->text.len ? len : f->text.len;
	size_t same = count_same(line, before, shorter);

	f->is_sorted = f->is_sorted && (same < shorter ? (uint8_t)line[same] > (uint8_t)before[same]
						       : len >= f->text.len);
	size_t whole = same + (is_end(line, len, same) && is_end(before, f->text.len, same));
	while (f->steps.len && f->steps.data[f->steps.len - 1].end >= whole)
		f->steps.len--;
	vec_reserve(&f->text, len);
	memcpy(f->text.data + same, line + same, len - same);
	f->text.len = len;
}

static void add_stack(struct folded *f, const char *line, size_t len, const struct weight *weights)
{
	uint32_t node = PROFILE_NONE;

	take_over(f, line, len);
	find_steps(f, line, len);
	for (size_t i = 0; i < f->steps.len; i++) {
		struct step *step = &f->steps.data[i];
		if (step->location == PROFILE_NONE)
			step->location = find_location(f, line, step);
		if (i + 1 == f->steps.len)
			break;
		if (step->node == PROFILE_NONE)
			step->node =
				stacks_call(&f->stacks, node,
					    stacks_place(&f->stacks, step->location), f->is_sorted);
		node = step->node;
	}
	for (uint16_t event = 0; event < f->weights; event++) {
		struct profile_sample like = { .weight = weights[event].value,
					       .cpu = PROFILE_CPU_UNKNOWN,
					       .event = event };
		f->rounded += weights[event].is_rounded;
		f->limited += weights[event].is_limited;
		if (like.weight)
			stacks_sample(
				&f->stacks, node,
				stacks_place(&f->stacks, f->steps.data[f->steps.len - 1].location),
				&like);
	}
}

static void add_line(void *ctx, const char *line, size_t len, uint64_t number)
{
	struct folded *f = ctx;
	struct weight weights[WEIGHTS_MAX] = { 0 };
	unsigned count = 0;

	if (len == 0)
		return;
	size_t stack =
		cut_weights(line, len, f->weights ? f->weights : WEIGHTS_MAX, weights, &count);
	bool has_frame = stack > 0 && memcmp(line, ";", 1) != 0;
	for (size_t i = 0; !has_frame && i < stack; i++)
		has_frame = line[i] != ';';
	if (!has_frame || (f->weights && count != f->weights)) {
		f->first_skipped = f->skipped++ ? f->first_skipped : number;
		return;
	}
	f->weights = count;
	add_stack(f, line, stack, weights);
}

static void note(struct profile *p, uint32_t *warnings, const char *text)
{
	vec_push(&p->notes, strtab_add_str(&p->strings, text));
	++*warnings;
}

static void note_losses(const struct folded *f, uint32_t *warnings)
{
	char text[160];

	if (f->skipped) {
		snprintf(text, sizeof(text),
			 "%" PRIu64
			 " line%s no stack with a weight and left out (the first: line %" PRIu64
			 ")",
			 f->skipped, f->skipped == 1 ? " is" : "s are", f->first_skipped);
		note(f->stacks.p, warnings, text);
	}
	if (f->rounded) {
		snprintf(text, sizeof(text), "%" PRIu64 " weights with a fraction were rounded",
			 f->rounded);
		note(f->stacks.p, warnings, text);
	}
	if (f->limited) {
		snprintf(text, sizeof(text),
			 "%" PRIu64 " weights are beyond 2^63 and were cut to it", f->limited);
		note(f->stacks.p, warnings, text);
	}
}

/* The text says nothing about threads. */
static void add_task(struct profile *p)
{
	struct profile_task task = { .space = PROFILE_NONE, .flags = TASK_UNKNOWN };

	vec_push(&p->tasks, task);
	p->health.complete = 1;
}

static void add_events(struct folded *f)
{
	static const char *const names[WEIGHTS_MAX][WEIGHTS_MAX] = { { "samples" },
								     { "before", "after" } };

	for (unsigned i = 0; i < f->weights; i++) {
		struct profile_event e = { .name = strtab_add_str(&f->stacks.p->strings,
								  names[f->weights - 1][i]),
					   .unit = UNIT_COUNT };
		vec_push(&f->stacks.p->events, e);
	}
}

static int read_folded(struct profile *p, int fd, const char *name, uint32_t *warnings,
		       struct error *err)
{
	struct folded f = { .is_sorted = true };

	stacks_init(&f.stacks, p);
	memset(f.modules, 0xff, sizeof(f.modules));
	add_task(p);
	int rc = lines_each(fd, add_line, &f, name, err);
	if (rc == 0 && f.weights == 0)
		rc = error_set(err, ERROR_FORMAT, "%s: has no stack with a weight", name);
	if (rc == 0) {
		add_events(&f);
		note_losses(&f, warnings);
	}
	stacks_release(&f.stacks);
	vec_release(&f.steps);
	vec_release(&f.text);
	return rc;
}

/* Names may have control characters, which are escaped where they are shown. */
static bool is_mostly_text(const char *head, size_t len)
{
	size_t controls = 0;

	for (size_t i = 0; i < len; i++)
		controls += (unsigned char)head[i] < ' ' && !strchr("\t\n\r", head[i]);
	return controls <= len / 8;
}

static bool is_stack(const char *line, size_t len)
{
	struct weight weight;
	unsigned weights;
	size_t stack = cut_weights(line, len, 1, &weight, &weights);

	return stack > 0 && (memchr(line, ';', stack) || !memchr(line, ' ', stack));
}

/* Most lines at the beginning are stacks with a weight; of a first line that is longer, that it has
 * frames must do. */
static bool matches(const void *bytes, size_t len)
{
	const char *head = bytes, *end = head + len, *eol;
	size_t stacks = 0, others = 0;

	if (memchr(head, 0, len))
		return false;
	for (; (eol = memchr(head, '\n', (size_t)(end - head))); head = eol + 1) {
		size_t n = (size_t)(eol - head) - (eol > head && eol[-1] == '\r');
		bool is_one = is_stack(head, n);
		stacks += is_one;
		others += !is_one && n > 0;
	}
	if (head == bytes && len == INPUT_HEAD_BYTES)
		return memchr(head, ';', len) && is_mostly_text(head, len);
	if (len < INPUT_HEAD_BYTES && head < end)
		stacks += is_stack(head, (size_t)(end - head));
	return stacks > others;
}

const struct input_format input_folded = { "folded stacks", matches, read_folded };
