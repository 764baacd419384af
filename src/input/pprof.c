/*
 * pprof's profile.proto (github.com/google/pprof, proto/profile.proto), as Go and many others write
 * it: gzip or plain. Each kind of value is an event; stacks have their innermost frame first, as
 * have the functions of a location that are inlined. Labels "thread" and "tid" say the thread.
 */
#include <inttypes.h>
#include <string.h>

#include "base/compress.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/memory.h"
#include "input/formats.h"
#include "input/protobuf.h"
#include "input/stacks.h"

#define FILE_MAX    ((size_t)1 << 30)
#define MESSAGE_MAX ((size_t)4 << 30)
#define EVENTS_MAX  64
#define STACK_MAX   65536
#define FRAMES_MAX  1024 /* at one location */

/* Numbers of fields, by message. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME = 9,
	PROFILE_DURATION = 10,
	PROFILE_DEFAULT_TYPE = 14,
	PROFILE_FIELDS = 15,
};

enum { TYPE_TYPE = 1, TYPE_UNIT = 2 };

enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };

enum { LABEL_KEY = 1, LABEL_STRING = 2, LABEL_NUMBER = 3 };

enum { MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_BUILD_ID = 6 };

enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4 };

enum { LINE_FUNCTION = 1, LINE_LINE = 2 };

enum {
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_LINKAGE = 3,
	FUNCTION_FILE = 4,
	FUNCTION_LINE = 5
};

struct pprof {
	struct profile *p;
	struct stacks stacks;
	struct bytes_reader message;
	VEC(uint32_t) strings;			/* pprof's → the profile's */
	VEC(struct profile_function) functions; /* without module */
	VEC(struct stacks_place) places;	/* of locations */
	struct hmap function_of, module_of,
		place_of;  /* ids of pprof → in functions, modules, places */
	struct hmap added; /* function << 32 | module → the profile's */
	struct hmap tasks; /* comm << 32 | tid → task */
	uint32_t unknown_module;
	uint64_t scale[EVENTS_MAX]; /* of a value to the event's unit */
	uint64_t negative, limited;
	uint64_t time_ns, duration_ns;
	uint64_t default_type;	       /* string number; 0: the last one */
	uint16_t event_of[EVENTS_MAX]; /* of a value: what is shown by itself is the first */
	VEC(uint64_t) stack;	       /* of the sample at hand: ids, innermost first */
	VEC(uint64_t) values;
};

static uint32_t string_at(const struct pprof *r, uint64_t number)
{
	return number < r->strings.len ? r->strings.data[number] : 0;
}

static void take_string(struct pprof *r, struct protobuf_field *f)
{
	size_t len = reader_left(&f->bytes);
	const uint8_t *text = reader_take(&f->bytes, len);

	vec_push(&r->strings, len ? strtab_add(&r->p->strings, (const char *)text, len) : 0);
}

static void take_type(struct pprof *r, struct protobuf_field *message)
{
	static const struct {
		const char *name;
		uint8_t unit;
		uint64_t scale;
	} units[] = { { "nanoseconds", UNIT_NS, 1 },	    { "microseconds", UNIT_NS, 1000 },
		      { "milliseconds", UNIT_NS, 1000000 }, { "seconds", UNIT_NS, 1000000000 },
		      { "bytes", UNIT_BYTES, 1 },	    { "kilobytes", UNIT_BYTES, 1024 },
		      { "megabytes", UNIT_BYTES, 1 << 20 } };
	struct profile_event event = { .unit = UNIT_COUNT };
	struct protobuf_field f;
	const char *unit = "";

	while (protobuf_next(&message->bytes, &f)) {
		if (f.number == TYPE_TYPE)
			event.name = string_at(r, f.value);
		else if (f.number == TYPE_UNIT)
			unit = profile_str(r->p, string_at(r, f.value));
	}
	if (r->p->events.len == EVENTS_MAX)
		return;
	uint64_t scale = 1;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (strcmp(unit, units[i].name) == 0) {
			event.unit = units[i].unit;
			scale = units[i].scale;
		}
	}
	r->scale[r->p->events.len] = scale;
	vec_push(&r->p->events, event);
}

/* What is meant to be looked at comes first. */
static void order_events(struct pprof *r)
{
	size_t count = r->p->events.len, first = count - 1;
	uint32_t wanted = string_at(r, r->default_type);

	for (size_t i = 0; wanted && i < count; i++)
		if (r->p->events.data[i].name == wanted)
			first = i;
	struct profile_event event = r->p->events.data[first];
	memmove(&r->p->events.data[1], r->p->events.data, first * sizeof(event));
	r->p->events.data[0] = event;
	for (size_t i = 0; i < count; i++)
		r->event_of[i] = (uint16_t)(i == first ? 0 : i < first ? i + 1 : i);
}

static void take_function(struct pprof *r, struct protobuf_field *message)
{
	struct profile_function function = { 0 };
	struct protobuf_field f;
	uint64_t id = 0;

	while (protobuf_next(&message->bytes, &f)) {
		switch (f.number) {
		case FUNCTION_ID:
			id = f.value;
			break;
		case FUNCTION_NAME:
			function.name = string_at(r, f.value);
			break;
		case FUNCTION_LINKAGE:
			function.linkage = string_at(r, f.value);
			break;
		case FUNCTION_FILE:
			function.file = string_at(r, f.value);
			break;
		case FUNCTION_LINE:
			function.line = f.value <= INT32_MAX ? (uint32_t)f.value : 0;
			break;
		}
	}
	if (function.name == 0)
		function.name = function.linkage;
	if (function.linkage == function.name)
		function.linkage = 0;
	hmap_put(&r->function_of, id, (uint32_t)r->functions.len);
	vec_push(&r->functions, function);
}

static bool begins(const char *text, const char *word)
{
	return strncmp(text, word, strlen(word)) == 0;
}

static void take_mapping(struct pprof *r, struct protobuf_field *message)
{
	struct protobuf_field f;
	uint64_t id = 0;
	uint32_t path = 0, build_id = 0;

	while (protobuf_next(&message->bytes, &f)) {
		if (f.number == MAPPING_ID)
			id = f.value;
		else if (f.number == MAPPING_FILE)
			path = string_at(r, f.value);
		else if (f.number == MAPPING_BUILD_ID)
			build_id = string_at(r, f.value);
	}
	const char *text = profile_str(r->p, path);
	uint8_t kind = begins(text, "[vdso]")	    ? MODULE_VDSO
		       : begins(text, "[kernel")    ? MODULE_KERNEL
		       : begins(text, "/tmp/perf-") ? MODULE_JIT
						    : MODULE_FILE;
	uint32_t module = stacks_module(&r->stacks, text, strlen(text), kind);
	struct profile_module *m = &r->p->modules.data[module];
	if (build_id && !m->build_id) {
		m->build_id = build_id;
		m->identity = IDENTITY_GNU_BUILD_ID;
	}
	hmap_put(&r->module_of, id, module);
}

/* The profile's function: each is of one module. */
static uint32_t function_in(struct pprof *r, uint64_t id, uint32_t module)
{
	uint32_t function = hmap_get(&r->function_of, id);

	if (function == HMAP_NONE) { /* unnamed, for all that are missing */
		function = (uint32_t)r->functions.len;
		vec_push(&r->functions, ((struct profile_function){ 0 }));
		hmap_put(&r->function_of, id, function);
	}
	uint64_t key = (uint64_t)function << 32 | module;
	uint32_t added = hmap_get(&r->added, key);
	if (added == HMAP_NONE) {
		struct profile_function f = r->functions.data[function];
		f.module = module;
		added = (uint32_t)r->p->functions.len;
		vec_push(&r->p->functions, f);
		hmap_put(&r->added, key, added);
	}
	return added;
}

static void take_line(struct pprof *r, struct protobuf_field *message, uint32_t module)
{
	struct protobuf_field f;
	uint64_t function = 0, line = 0;

	while (protobuf_next(&message->bytes, &f)) {
		if (f.number == LINE_FUNCTION)
			function = f.value;
		else if (f.number == LINE_LINE)
			line = f.value;
	}
	struct profile_frame frame = { .function = function_in(r, function, module) };
	if (line <= INT32_MAX)
		frame.line = (uint32_t)line;
	frame.file = r->p->functions.data[frame.function].file;
	vec_push(&r->p->frames, frame);
}

static void take_location(struct pprof *r, struct protobuf_field *message)
{
	struct bytes_reader again = message->bytes;
	struct protobuf_field f;
	uint64_t id = 0, address = 0, mapping = 0;
	uint32_t first = (uint32_t)r->p->frames.len, lines = 0;

	while (protobuf_next(&message->bytes, &f)) {
		if (f.number == LOCATION_ID)
			id = f.value;
		else if (f.number == LOCATION_MAPPING)
			mapping = f.value;
		else if (f.number == LOCATION_ADDRESS)
			address = f.value;
	}
	uint32_t module = hmap_get(&r->module_of, mapping);
	if (module == HMAP_NONE)
		module = r->unknown_module;
	while (protobuf_next(&again, &f)) {
		if (f.number == LOCATION_LINE && lines++ < FRAMES_MAX)
			take_line(r, &f, module);
	}
	struct stacks_place place = { .address = address, .module = module };
	if (lines)
		place = stacks_place(&r->stacks, stacks_location(&r->stacks, module, first));
	hmap_put(&r->place_of, id, (uint32_t)r->places.len);
	vec_push(&r->places, place);
}

struct thread {
	uint32_t name; /* string */
	uint64_t tid;
};

static void take_label(struct pprof *r, struct protobuf_field *message, struct thread *out)
{
	struct protobuf_field f;
	const char *key = "";
	uint64_t string = 0, number = 0;

	while (protobuf_next(&message->bytes, &f)) {
		if (f.number == LABEL_KEY)
			key = profile_str(r->p, string_at(r, f.value));
		else if (f.number == LABEL_STRING)
			string = f.value;
		else if (f.number == LABEL_NUMBER)
			number = f.value;
	}
	if (strcmp(key, "thread") == 0 || strcmp(key, "thread_name") == 0)
		out->name = string_at(r, string);
	else if ((strcmp(key, "tid") == 0 || strcmp(key, "thread_id") == 0) && number <= INT32_MAX)
		out->tid = number;
}

static uint32_t task_of(struct pprof *r, const struct thread *thread)
{
	uint64_t key = (uint64_t)thread->name << 32 | thread->tid;
	uint32_t id = hmap_get(&r->tasks, key);
	struct profile_task task = { .comm = thread->name,
				     .tid = (uint32_t)thread->tid,
				     .pid = (uint32_t)thread->tid,
				     .space = PROFILE_NONE };

	if (id != HMAP_NONE)
		return id;
	if (thread->name == 0 && thread->tid == 0)
		task.flags = TASK_UNKNOWN;
	id = (uint32_t)r->p->tasks.len;
	vec_push(&r->p->tasks, task);
	hmap_put(&r->tasks, key, id);
	return id;
}

static struct stacks_place place_of(const struct pprof *r, uint64_t id)
{
	uint32_t place = hmap_get(&r->place_of, id);
	const struct stacks_place unknown = { .module = r->unknown_module };

	return place == HMAP_NONE ? unknown : r->places.data[place];
}

static uint64_t weight_of(struct pprof *r, size_t event, uint64_t value)
{
	uint64_t weight;

	if (value <= INT64_MAX && !__builtin_mul_overflow(value, r->scale[event], &weight))
		return weight;
	r->negative += value > INT64_MAX;
	r->limited += value <= INT64_MAX;
	return value > INT64_MAX ? 0 : INT64_MAX;
}

static void add_sample(struct pprof *r, const struct thread *thread)
{
	uint32_t node = PROFILE_NONE, task = task_of(r, thread);
	size_t depth = r->stack.len;

	for (size_t i = depth; i-- > 1;)
		node = stacks_call(&r->stacks, node, place_of(r, r->stack.data[i]), false);
	struct stacks_place leaf = place_of(r, depth ? r->stack.data[0] : 0);
	for (size_t event = 0; event < r->values.len && event < r->p->events.len; event++) {
		struct profile_sample like = { .cpu = PROFILE_CPU_UNKNOWN,
					       .time_ns = 0,
					       .task = task,
					       .event = r->event_of[event] };
		like.weight = weight_of(r, event, r->values.data[event]);
		if (like.weight)
			stacks_sample(&r->stacks, node, leaf, &like);
	}
}

static void take_sample(struct pprof *r, struct protobuf_field *message)
{
	struct thread thread = { 0 };
	struct protobuf_field f;
	uint64_t number;

	vec_clear(&r->stack);
	vec_clear(&r->values);
	while (protobuf_next(&message->bytes, &f)) {
		if (f.number == SAMPLE_LABEL)
			take_label(r, &f, &thread);
		else if (f.number == SAMPLE_LOCATION)
			while (r->stack.len < STACK_MAX && protobuf_next_number(&f, &number))
				vec_push(&r->stack, number);
		else if (f.number == SAMPLE_VALUE)
			while (r->values.len < EVENTS_MAX && protobuf_next_number(&f, &number))
				vec_push(&r->values, number);
	}
	add_sample(r, &thread);
}

/* Fields refer to others that may come later: one kind after the other. */
static int each(struct pprof *r, uint32_t number,
		void (*take)(struct pprof *r, struct protobuf_field *f))
{
	struct bytes_reader message = r->message;
	struct protobuf_field f;

	while (protobuf_next(&message, &f)) {
		if (f.number == number && f.has_bytes)
			take(r, &f);
		else if (f.number == PROFILE_TIME)
			r->time_ns = f.value;
		else if (f.number == PROFILE_DURATION)
			r->duration_ns = f.value;
		else if (f.number == PROFILE_DEFAULT_TYPE)
			r->default_type = f.value;
	}
	return message.failed || reader_left(&message) ? -1 : 0;
}

static void note(struct profile *p, uint32_t *warnings, const char *format, uint64_t count)
{
	CLEANUP_FREE char *text = xasprintf("%" PRIu64 " %s", count, format);

	if (count == 0)
		return;
	vec_push(&p->notes, strtab_add_str(&p->strings, text));
	++*warnings;
}

static void finish(struct pprof *r, uint32_t *warnings)
{
	struct profile_run run = { .machine = PROFILE_NONE, .exit_status = -1 };

	run.tool = run.clock = strtab_add_str(&r->p->strings, "unknown");
	run.start_realtime_ns = r->time_ns;
	run.end_ns = r->duration_ns <= INT64_MAX ? r->duration_ns : 0;
	vec_push(&r->p->runs, run);
	r->p->health.complete = 1;
	note(r->p, warnings, "values are negative (a difference of two profiles) and were left out",
	     r->negative);
	note(r->p, warnings, "values are beyond 2^63 and were cut to it", r->limited);
}

static int read_message(struct pprof *r, const char *name, uint32_t *warnings, struct error *err)
{
	if (each(r, PROFILE_STRING, take_string) < 0 || each(r, PROFILE_SAMPLE_TYPE, take_type) < 0)
		return error_set(err, ERROR_FORMAT,
				 "%s: is damaged, or is no profile that pprof would read", name);
	if (r->p->events.len == 0)
		return error_set(err, ERROR_FORMAT, "%s: names no kind of value", name);
	order_events(r);
	each(r, PROFILE_MAPPING, take_mapping);
	each(r, PROFILE_FUNCTION, take_function);
	each(r, PROFILE_LOCATION, take_location);
	each(r, PROFILE_SAMPLE, take_sample);
	finish(r, warnings);
	return 0;
}

static void release(struct pprof *r)
{
	stacks_release(&r->stacks);
	vec_release(&r->strings);
	vec_release(&r->functions);
	vec_release(&r->places);
	vec_release(&r->stack);
	vec_release(&r->values);
	hmap_release(&r->function_of);
	hmap_release(&r->module_of);
	hmap_release(&r->place_of);
	hmap_release(&r->added);
	hmap_release(&r->tasks);
}

static bool is_gzip(const void *head, size_t len)
{
	return len > 2 && memcmp(head, "\x1f\x8b", 2) == 0;
}

static int read_whole(int fd, const char *name, struct bytes *out, struct error *err)
{
	struct bytes file = { 0 };
	int rc = io_read_all(fd, &file, FILE_MAX, err);

	if (rc == 0 && is_gzip(file.data, file.len)) {
		rc = gzip_inflate(out, file.data, file.len, MESSAGE_MAX, err);
		bytes_release(&file);
	} else {
		*out = file;
	}
	return rc < 0 ? error_context(err, "%s", name) : 0;
}

static int read_pprof(struct profile *p, int fd, const char *name, uint32_t *warnings,
		      struct error *err)
{
	struct pprof r = { .p = p };
	struct bytes message = { 0 };
	int rc = read_whole(fd, name, &message, err);

	if (rc == 0) {
		stacks_init(&r.stacks, p);
		r.unknown_module = stacks_module(&r.stacks, "", 0, MODULE_FILE);
		reader_init(&r.message, message.data, message.len);
		rc = read_message(&r, name, warnings, err);
		release(&r);
	}
	bytes_release(&message);
	return rc;
}

static bool is_type(struct protobuf_field *message)
{
	struct protobuf_field f;
	bool has_type = false;

	while (protobuf_next(&message->bytes, &f)) {
		if (f.has_bytes || f.number > TYPE_UNIT)
			return false;
		has_type |= f.number == TYPE_TYPE;
	}
	return has_type && !message->bytes.failed;
}

/* Without gzip: nothing but fields that a profile has, a kind of value among them. */
static bool matches(const void *head, size_t len)
{
	struct bytes_reader r;
	struct protobuf_field f;
	bool has_type = false;

	if (is_gzip(head, len))
		return true;
	reader_init(&r, head, len);
	while (protobuf_next(&r, &f)) {
		if (f.number > PROFILE_FIELDS)
			return false;
		if (f.number == PROFILE_SAMPLE_TYPE && !(f.has_bytes && is_type(&f)))
			return false;
		has_type |= f.number == PROFILE_SAMPLE_TYPE;
	}
	return has_type;
}

const struct input_format input_pprof = { "pprof", matches, read_pprof };
