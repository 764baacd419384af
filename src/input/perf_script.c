/*
 * What perf script prints: for each sample a line "comm pid/tid [cpu] seconds: period event:", then
 * a line "address symbol+offset (object)" for each frame, innermost first, and an empty one. Frames
 * of
 * "(inlined)" functions come before the function that their code is in, at the same address.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "input/formats.h"
#include "input/lines.h"
#include "input/stacks.h"

struct text {
	const char *at;
	size_t len;
};

struct header {
	struct text comm, event, frame; /* frame: where there are no call chains */
	uint64_t time_ns, period;
	uint32_t pid, tid;
	uint16_t cpu;
	bool has_period;
};

struct printed_frame {
	uint64_t address;
	uint32_t name, object; /* strings; name 0: unknown */
	bool is_inlined;
};

struct script {
	struct stacks stacks;
	struct profile_sample sample; /* whose frames are being read, if has_sample */
	bool has_sample;
	VEC(struct printed_frame) frames;
	struct hmap tasks;  /* comm << 32 | tid → task */
	struct hmap events; /* name → event */
	uint64_t skipped, first_skipped;
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

static struct text trimmed(struct text t)
{
	for (; t.len && is_space(t.at[0]); t.at++, t.len--)
		;
	for (; t.len && is_space(t.at[t.len - 1]); t.len--)
		;
	return t;
}

/* The last word of *t, which is cut off. */
static struct text last_word(struct text *t)
{
	*t = trimmed(*t);
	size_t start = t->len;
	while (start && !is_space(t->at[start - 1]))
		start--;
	struct text word = { t->at + start, t->len - start };
	t->len = start;
	return word;
}

static struct text first_word(struct text *t)
{
	size_t len = 0;

	*t = trimmed(*t);
	while (len < t->len && !is_space(t->at[len]))
		len++;
	struct text word = { t->at, len };
	t->at += len;
	t->len -= len;
	return word;
}

/* Decimal digits at the beginning of *t, which are cut off: how many, 0 as well when they are too
 * many. */
static size_t take_number(struct text *t, uint64_t *value)
{
	size_t n = 0;

	for (*value = 0; n < t->len && t->at[n] >= '0' && t->at[n] <= '9'; n++)
		*value = *value * 10 + (uint64_t)(t->at[n] - '0');
	t->at += n;
	t->len -= n;
	return n <= 18 ? n : 0;
}

static bool is_number(struct text t, uint64_t max, uint64_t *value)
{
	return take_number(&t, value) > 0 && t.len == 0 && *value <= max;
}

/* "2015.925059:" */
static bool is_time(struct text t, uint64_t *ns)
{
	uint64_t seconds, fraction;

	if (!take_number(&t, &seconds) || seconds > UINT32_MAX || !t.len || *t.at != '.')
		return false;
	t.at++;
	t.len--;
	size_t digits = take_number(&t, &fraction);
	if (digits == 0 || digits > 9 || t.len != 1 || *t.at != ':')
		return false;
	for (; digits < 9; digits++)
		fraction *= 10;
	*ns = seconds * 1000000000 + fraction;
	return true;
}

/* "comm pid/tid [cpu]" */
static bool parse_task(struct text t, struct header *h)
{
	uint64_t number = 0, other;
	struct text word = last_word(&t);

	h->cpu = PROFILE_CPU_UNKNOWN;
	if (word.len > 2 && word.at[0] == '[' && word.at[word.len - 1] == ']') {
		if (!is_number((struct text){ word.at + 1, word.len - 2 }, UINT16_MAX, &number))
			return false;
		h->cpu = (uint16_t)number;
		word = last_word(&t);
	}
	const char *slash = word.len ? memchr(word.at, '/', word.len) : NULL;
	struct text tid = word, pid = word;
	if (slash) {
		pid.len = (size_t)(slash - word.at);
		tid = (struct text){ slash + 1, word.len - pid.len - 1 };
	}
	if (!is_number(tid, INT32_MAX, &number) || !is_number(pid, INT32_MAX, &other))
		return false;
	h->tid = (uint32_t)number;
	h->pid = (uint32_t)other;
	h->comm = trimmed(t);
	return h->comm.len > 0;
}

/* "period event: frame", what follows the time. */
static bool parse_event(struct text t, struct header *h)
{
	struct text word = first_word(&t);
	uint64_t number;

	h->period = 1;
	h->has_period = is_number(word, INT64_MAX, &number);
	if (h->has_period) {
		h->period = number;
		word = first_word(&t);
	}
	if (word.len < 2 || word.at[word.len - 1] != ':')
		return false;
	h->event = (struct text){ word.at, word.len - 1 };
	h->frame = trimmed(t);
	return true;
}

/* Commands may be called anything, and tracepoints say anything behind: the first word that is a
 * time, with a task before and an event behind. */
static bool parse_header(const char *line, size_t len, struct header *out)
{
	struct text left = { line, len };

	*out = (struct header){ 0 };
	while (left.len) {
		struct text word = first_word(&left);
		struct text before = { line, (size_t)(word.at - line) };
		if (word.len && is_time(word, &out->time_ns) && parse_task(before, out) &&
		    parse_event(left, out))
			return true;
	}
	return false;
}

/* Hexadecimal digits at the beginning of *t, which are cut off. */
static bool take_address(struct text *t, uint64_t *value)
{
	size_t n = 0;

	*value = 0;
	for (; n < t->len; n++) {
		char c = t->at[n];
		unsigned digit = c >= '0' && c <= '9'	? (unsigned)(c - '0')
				 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
							: 16;
		if (digit > 15)
			break;
		*value = *value << 4 | digit;
	}
	t->at += n;
	t->len -= n;
	return n > 0 && n <= 16 && (t->len == 0 || is_space(t->at[0]));
}

/* What the brackets around the end of *t hold; they are cut off. */
static struct text take_object(struct text *t)
{
	size_t depth = 0;

	for (size_t i = t->len; i-- > 0;) {
		depth += t->at[i] == ')';
		if (t->at[i] != '(' || --depth > 0)
			continue;
		struct text object = { t->at + i + 1, t->len - i - 2 };
		t->len = i;
		*t = trimmed(*t);
		return object;
	}
	return (struct text){ t->at + t->len, 0 };
}

/* Without "+0x1f". */
static struct text without_offset(struct text name)
{
	for (size_t i = name.len; i-- > 0;) {
		if (name.at[i] == '+' && name.len - i > 3 && name.at[i + 1] == '0' &&
		    name.at[i + 2] == 'x')
			return (struct text){ name.at, i };
		if (!strchr("0123456789abcdefx", name.at[i]))
			break;
	}
	return name;
}

static bool equals(struct text t, const char *word)
{
	return t.len == strlen(word) && memcmp(t.at, word, t.len) == 0;
}

static bool begins(struct text t, const char *word)
{
	return t.len >= strlen(word) && memcmp(t.at, word, strlen(word)) == 0;
}

static uint32_t intern(struct script *s, struct text t)
{
	return strtab_add(&s->stacks.p->strings, t.at, t.len);
}

static bool parse_frame(struct script *s, struct text t, struct printed_frame *out)
{
	*out = (struct printed_frame){ 0 };
	if (!take_address(&t, &out->address))
		return false;
	t = trimmed(t);
	struct text object = { t.at, 0 };
	if (t.len && t.at[t.len - 1] == ')')
		object = take_object(&t);
	struct text name = without_offset(t);
	out->name = equals(name, "[unknown]") ? 0 : intern(s, name);
	out->is_inlined = equals(object, "inlined");
	out->object = equals(object, "[unknown]") ? 0 : intern(s, object);
	return true;
}

/* perf's names of what is no file. */
static uint8_t kind_of(struct text object)
{
	if (begins(object, "[kernel") || begins(object, "[guest.kernel") ||
	    (begins(object, "[") && !begins(object, "[vdso") && !begins(object, "[unknown")))
		return MODULE_KERNEL; /* "[ext4]": a module of it */
	if (begins(object, "[vdso"))
		return MODULE_VDSO;
	if (begins(object, "/tmp/perf-") || begins(object, "//anon") || begins(object, "jitted-"))
		return MODULE_JIT;
	return object.len ? MODULE_FILE : MODULE_UNKNOWN;
}

static uint32_t module_of(struct script *s, uint32_t object)
{
	const struct strtab *strings = &s->stacks.p->strings;
	struct text path = { strtab_get(strings, object), strtab_len(strings, object) };

	return stacks_module(&s->stacks, path.at, path.len, kind_of(path));
}

/* Frames [first, end) are at one address, the last of them not inlined. */
static struct stacks_place place_of(struct script *s, size_t first, size_t end)
{
	const struct printed_frame *f = s->frames.data;
	const struct strtab *strings = &s->stacks.p->strings;
	uint32_t module = module_of(s, f[end - 1].object);

	if (f[end - 1].name == 0 && end - first == 1)
		return (struct stacks_place){ f[first].address, module };
	uint32_t location = PROFILE_NONE;
	for (size_t i = end; i-- > first;) {
		const char *name = f[i].name ? strtab_get(strings, f[i].name) : "[unknown]";
		location = location == PROFILE_NONE
				   ? stacks_function(&s->stacks, name, strlen(name), module)
				   : stacks_inline(&s->stacks, location, name, strlen(name));
	}
	return stacks_place(&s->stacks, location);
}

/* Where the code of the frames that end before end begins. */
static size_t first_of_place(const struct script *s, size_t end)
{
	const struct printed_frame *f = s->frames.data;
	size_t first = end - 1;

	while (first > 0 && f[first - 1].is_inlined && f[first - 1].address == f[end - 1].address)
		first--;
	return first;
}

static uint32_t task_of(struct script *s, const struct header *h)
{
	uint32_t comm = intern(s, h->comm);
	uint64_t key = (uint64_t)comm << 32 | h->tid;
	uint32_t id = hmap_get(&s->tasks, key);

	if (id != HMAP_NONE)
		return id;
	struct profile_task task = {
		.pid = h->pid, .tid = h->tid, .comm = comm, .space = PROFILE_NONE
	};
	id = (uint32_t)s->stacks.p->tasks.len;
	vec_push(&s->stacks.p->tasks, task);
	hmap_put(&s->tasks, key, id);
	return id;
}

static uint32_t event_of(struct script *s, const struct header *h)
{
	uint32_t name = intern(s, h->event);
	uint32_t id = hmap_get(&s->events, name);

	if (id != HMAP_NONE)
		return id;
	bool is_clock = begins(h->event, "cpu-clock") || begins(h->event, "task-clock");
	struct profile_event event = { .name = name,
				       .unit = is_clock && h->has_period ? UNIT_NS : UNIT_COUNT };
	id = (uint32_t)s->stacks.p->events.len;
	vec_push(&s->stacks.p->events, event);
	hmap_put(&s->events, name, id);
	return id;
}

static void finish_sample(struct script *s)
{
	uint32_t node = PROFILE_NONE;

	if (!s->has_sample)
		return;
	s->has_sample = false;
	if (s->frames.len == 0)
		vec_push(&s->frames, ((struct printed_frame){ 0 }));
	size_t end = s->frames.len, first = first_of_place(s, end);
	for (; first > 0; end = first, first = first_of_place(s, end))
		node = stacks_call(&s->stacks, node, place_of(s, first, end), false);
	stacks_sample(&s->stacks, node, place_of(s, 0, end), &s->sample);
	vec_clear(&s->frames);
}

static void begin_sample(struct script *s, const struct header *h)
{
	struct printed_frame frame;

	finish_sample(s);
	s->sample = (struct profile_sample){ .time_ns = h->time_ns,
					     .weight = h->period,
					     .task = task_of(s, h),
					     .cpu = h->cpu,
					     .event = (uint16_t)event_of(s, h) };
	s->has_sample = true;
	/* Without call chains the one frame is on the same line. */
	if (h->frame.len && parse_frame(s, h->frame, &frame))
		vec_push(&s->frames, frame);
}

static void add_line(void *ctx, const char *line, size_t len, uint64_t number)
{
	struct script *s = ctx;
	struct text t = trimmed((struct text){ line, len });
	struct printed_frame frame;
	struct header h;

	if (t.len == 0) {
		finish_sample(s);
	} else if (*line != '#' || s->has_sample) {
		if (*line != '\t' && s->stacks.p->events.len < UINT16_MAX &&
		    parse_header(line, len, &h))
			begin_sample(s, &h);
		else if (s->has_sample && parse_frame(s, t, &frame))
			vec_push(&s->frames, frame);
		else
			s->first_skipped = s->skipped++ ? s->first_skipped : number;
	}
}

static int finish(struct script *s, const char *name, uint32_t *warnings, struct error *err)
{
	struct profile *p = s->stacks.p;

	if (p->samples.len == 0)
		return error_set(err, ERROR_FORMAT, "%s: has no sample with a time", name);
	p->health.complete = 1;
	if (s->skipped) {
		char text[160];
		snprintf(
			text, sizeof(text),
			"%" PRIu64
			" line%s neither a sample's nor a frame's and left out (the first: line %" PRIu64
			")",
			s->skipped, s->skipped == 1 ? " is" : "s are", s->first_skipped);
		vec_push(&p->notes, strtab_add_str(&p->strings, text));
		++*warnings;
	}
	return 0;
}

static int read_perf_script(struct profile *p, int fd, const char *name, uint32_t *warnings,
			    struct error *err)
{
	struct script s = { 0 };

	stacks_init(&s.stacks, p);
	int rc = lines_each(fd, add_line, &s, name, err);
	finish_sample(&s);
	if (rc == 0)
		rc = finish(&s, name, warnings, err);
	stacks_release(&s.stacks);
	hmap_release(&s.tasks);
	hmap_release(&s.events);
	vec_release(&s.frames);
	return rc;
}

/* The first line that is no comment is a sample's; a header of comments may be longer than what is
 * looked at. */
static bool matches(const void *bytes, size_t len)
{
	const char *at = bytes, *end = at + len, *eol;
	static const char comments[] = "# ========\n# captured on";
	struct header h;

	for (; at < end; at = eol + 1) {
		eol = memchr(at, '\n', (size_t)(end - at));
		size_t n = (size_t)((eol ? eol : end) - at);
		if (n > 0 && *at != '#')
			return parse_header(at, n, &h);
		if (!eol)
			break;
	}
	return len >= sizeof(comments) - 1 && memcmp(bytes, comments, sizeof(comments) - 1) == 0;
}

const struct input_format input_perf_script = { "perf script", matches, read_perf_script };
