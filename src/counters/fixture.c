/* Fixtures: the parser of their lines, and the source that replays them. */
#include "counters/fixture.h"

#include <stdlib.h>
#include <string.h>

#include "counters/fixture_scan.h"

struct parser {
	struct counter_fixture *fixture;
	struct fixture_scan scan;
	const char *name;
	size_t line;
	struct error *err;
};

static int bad(struct parser *p, const char *what)
{
	return error_set(p->err, ERROR_FORMAT, "%s:%zu: %s", p->name, p->line, what);
}

/* ---- an event ---- */

struct event_words {
	char name[FIXTURE_TEXT_MAX], type[FIXTURE_TEXT_MAX], unit[FIXTURE_TEXT_MAX],
		reason[FIXTURE_TEXT_MAX], state[FIXTURE_TEXT_MAX];
	double scale;
	uint64_t group;
	bool software;
};

static bool take_bool(struct fixture_scan *s, bool *out)
{
	*out = fixture_take_word(s, "true");
	return *out || fixture_take_word(s, "false");
}

/* The value behind a key; false: no such key, or not such a value. */
static bool take_event_value(struct parser *p, const char *key, struct event_words *w)
{
	struct fixture_scan *s = &p->scan;

	if (strcmp(key, "type") == 0)
		return fixture_take_text(s, w->type);
	if (strcmp(key, "unit") == 0)
		return fixture_take_text(s, w->unit);
	if (strcmp(key, "reason") == 0)
		return fixture_take_text(s, w->reason);
	if (strcmp(key, "state") == 0)
		return fixture_take_text(s, w->state);
	if (strcmp(key, "group") == 0)
		return fixture_take_u64(s, &w->group) && w->group <= UINT32_MAX;
	if (strcmp(key, "scale") == 0)
		return fixture_take_double(s, &w->scale) && w->scale > 0;
	if (strcmp(key, "software") == 0)
		return take_bool(s, &w->software);
	return false;
}

static bool find_state(const char *text, enum counter_state *out)
{
	static const enum counter_state states[] = { COUNTER_COUNTED, COUNTER_NOT_COUNTED,
						     COUNTER_NOT_SUPPORTED, COUNTER_REFUSED };

	for (size_t i = 0; i < ARRAY_LEN(states); i++) {
		if (strcmp(text, counter_state_text(states[i])) == 0) {
			*out = states[i];
			return true;
		}
	}
	return false;
}

static int add_event(struct parser *p, const struct event_words *w)
{
	struct counter_fixture *f = p->fixture;
	enum counter_state state = COUNTER_COUNTED;
	struct counter_event event = {
		.name = (char *)(uintptr_t)w->name,
		.type = (char *)(uintptr_t)w->type,
		.unit = (char *)(uintptr_t)w->unit,
		.reason = (char *)(uintptr_t)w->reason,
		.scale = w->scale,
		.group = (uint32_t)w->group,
		.is_software = w->software,
	};

	if (f->table.rows.len || f->times_ns.len)
		return bad(p, "an event behind rows or readings");
	if (f->table.events.len == COUNTER_FIXTURE_MAX_EVENTS)
		return bad(p, "too many events");
	if (*w->state && !find_state(w->state, &state))
		return bad(p, "an unknown state");
	counter_table_add_event(&f->table, &event);
	vec_push(&f->states, state);
	return 0;
}

static int parse_event(struct parser *p)
{
	struct event_words w = { .scale = 1, .group = p->fixture->table.events.len + 1 };
	char key[FIXTURE_TEXT_MAX];

	if (!fixture_take_text(&p->scan, w.name) || !*w.name)
		return bad(p, "the event has no name");
	while (fixture_take(&p->scan, ',')) {
		if (!fixture_take_text(&p->scan, key) || !fixture_take(&p->scan, ':') ||
		    !take_event_value(p, key, &w))
			return bad(p, "a word about an event that is not known, or its value");
	}
	return add_event(p, &w);
}

/* ---- a row ---- */

static bool find_kind(const char *text, enum counter_row_kind *out)
{
	static const char *const kinds[] = { "all", "thread", "cpu", "core", "socket", "type" };

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (strcmp(text, kinds[i]) == 0) {
			*out = (enum counter_row_kind)i;
			return true;
		}
	}
	return false;
}

static bool take_row_value(struct parser *p, const char *key, struct counter_row *row, char *label)
{
	uint64_t number;

	if (strcmp(key, "label") == 0)
		return fixture_take_text(&p->scan, label);
	if (!fixture_take_u64(&p->scan, &number) || number > UINT32_MAX)
		return false;
	if (strcmp(key, "id") == 0)
		row->id = (uint32_t)number;
	else if (strcmp(key, "id2") == 0)
		row->id2 = (uint32_t)number;
	else
		return false;
	return true;
}

static int parse_row(struct parser *p)
{
	struct counter_fixture *f = p->fixture;
	char kind[FIXTURE_TEXT_MAX], key[FIXTURE_TEXT_MAX], label[FIXTURE_TEXT_MAX] = "";
	struct counter_row row = { .label = label };

	if (!fixture_take_text(&p->scan, kind) || !find_kind(kind, &row.kind))
		return bad(p, "a row is all, thread, cpu, core, socket or type");
	while (fixture_take(&p->scan, ',')) {
		if (!fixture_take_text(&p->scan, key) || !fixture_take(&p->scan, ':') ||
		    !take_row_value(p, key, &row, label))
			return bad(p, "a word about a row that is not known, or its value");
	}
	if (f->times_ns.len)
		return bad(p, "a row behind readings");
	if (f->table.rows.len == COUNTER_FIXTURE_MAX_ROWS)
		return bad(p, "too many rows");
	counter_table_add_row(&f->table, &row);
	return 0;
}

/* ---- readings ---- */

static bool take_reading(struct parser *p, enum counter_state state, struct counter_reading *r)
{
	struct fixture_scan *s = &p->scan;

	*r = (struct counter_reading){ .state = state == COUNTER_COUNTED ? COUNTER_NOT_COUNTED
									 : state };
	if (fixture_take_word(s, "null"))
		return true;
	r->state = state;
	return fixture_take(s, '[') && fixture_take_u64(s, &r->value) && fixture_take(s, ',') &&
	       fixture_take_u64(s, &r->enabled_ns) && fixture_take(s, ',') &&
	       fixture_take_u64(s, &r->running_ns) && fixture_take(s, ']');
}

static int take_readings(struct parser *p)
{
	struct counter_fixture *f = p->fixture;
	size_t events = f->table.events.len, count = f->table.rows.len * events;

	for (size_t i = 0; i < count; i++) {
		struct counter_reading r;
		if (i > 0 && !fixture_take(&p->scan, ','))
			return bad(p, "fewer readings than rows x events");
		if (!take_reading(p, f->states.data[i % events], &r))
			return bad(p, "a reading is [value, enabled, running] or null");
		vec_push(&f->readings, r);
	}
	return fixture_take(&p->scan, ']') ? 0 : bad(p, "more readings than rows x events");
}

static int parse_reading(struct parser *p)
{
	const struct counter_row all = { .kind = COUNTER_ROW_ALL };
	struct counter_fixture *f = p->fixture;
	char key[FIXTURE_TEXT_MAX];
	uint64_t time_ns;

	if (f->table.events.len == 0)
		return bad(p, "a reading before any event");
	if (f->table.rows.len == 0)
		counter_table_add_row(&f->table, &all);
	if (!fixture_take_u64(&p->scan, &time_ns))
		return bad(p, "time_ns is no time");
	if (f->times_ns.len && time_ns <= f->times_ns.data[f->times_ns.len - 1])
		return bad(p, "time does not go on");
	if (!fixture_take(&p->scan, ',') || !fixture_take_text(&p->scan, key) ||
	    strcmp(key, "read") != 0 || !fixture_take(&p->scan, ':') ||
	    !fixture_take(&p->scan, '['))
		return bad(p, "\"read\" is missing");
	vec_push(&f->times_ns, time_ns);
	return take_readings(p);
}

/* ---- the file ---- */

static int parse_line(struct parser *p)
{
	char kind[FIXTURE_TEXT_MAX];
	int result;

	if (fixture_is_at_end(&p->scan))
		return 0;
	if (!fixture_take(&p->scan, '{') || !fixture_take_text(&p->scan, kind) ||
	    !fixture_take(&p->scan, ':'))
		return bad(p, "not an object of a fixture");
	if (strcmp(kind, "event") == 0)
		result = parse_event(p);
	else if (strcmp(kind, "row") == 0)
		result = parse_row(p);
	else if (strcmp(kind, "time_ns") == 0)
		result = parse_reading(p);
	else
		return bad(p, "a line begins with \"event\", \"row\" or \"time_ns\"");
	if (result < 0)
		return -1;
	return fixture_take(&p->scan, '}') && fixture_is_at_end(&p->scan)
		       ? 0
		       : bad(p, "the line does not end there");
}

int counter_fixture_parse(struct counter_fixture *f, const char *name, const char *text, size_t len,
			  struct error *err)
{
	struct parser p = { .fixture = f, .name = name, .err = err };
	const char *at = text, *end = text + len;

	*f = (struct counter_fixture){ 0 };
	if (len > COUNTER_FIXTURE_MAX_BYTES)
		return error_set(err, ERROR_LIMIT, "%s: a fixture has at most %zu bytes", name,
				 COUNTER_FIXTURE_MAX_BYTES);
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		p.line++;
		p.scan = (struct fixture_scan){ at, stop };
		if (parse_line(&p) < 0)
			return -1;
		at = newline ? newline + 1 : end;
	}
	return f->times_ns.len ? 0 : bad(&p, "there is no reading");
}

void counter_fixture_release(struct counter_fixture *f)
{
	counter_table_release(&f->table);
	vec_release(&f->states);
	vec_release(&f->times_ns);
	vec_release(&f->readings);
	f->next = 0;
}

/* ---- replaying ---- */

static int read_next(void *ctx, struct counter_table *t, struct error *err)
{
	struct counter_fixture *f = ctx;
	size_t count = f->table.rows.len * f->table.events.len;

	(void)err;
	if (f->next == f->times_ns.len)
		return 0;
	memcpy(t->readings.data, f->readings.data + f->next * count,
	       count * sizeof(*f->readings.data));
	t->time_ns = f->times_ns.data[f->next++];
	return 1;
}

static void forget(void *ctx)
{
	(void)ctx; /* the fixture is its owner's */
}

struct counter_source counter_fixture_source(struct counter_fixture *f, struct counter_table *t)
{
	for (size_t i = 0; i < f->table.events.len; i++)
		counter_table_add_event(t, &f->table.events.data[i]);
	for (size_t i = 0; i < f->table.rows.len; i++)
		counter_table_add_row(t, &f->table.rows.data[i]);
	f->next = 0;
	return (struct counter_source){ .read = read_next, .release = forget, .ctx = f };
}
