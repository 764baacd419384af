/* Profiles made of any bytes. */
#include "made_profile.h"

#include <string.h>

#include "base/memory.h"

static uint32_t id_or_none(uint8_t byte, size_t count)
{
	return byte == 0xff || count == 0 ? PROFILE_NONE : (uint32_t)(byte % count);
}

static void add_strings(struct profile *p, struct bytes_reader *r)
{
	unsigned count = reader_u8(r) % 16;

	for (unsigned i = 0; i < count; i++) {
		size_t len = reader_u8(r) % 40;
		const uint8_t *bytes = reader_take(r, len);
		if (bytes)
			strtab_add(&p->strings, (const char *)bytes, len);
	}
}

static uint32_t any_string(const struct profile *p, struct bytes_reader *r)
{
	return (uint32_t)(reader_u8(r) % p->strings.strings.len);
}

static void add_modules(struct profile *p, struct bytes_reader *r)
{
	unsigned count = 1 + reader_u8(r) % 6;

	for (unsigned i = 0; i < count; i++) {
		struct profile_module m = { .path = any_string(p, r),
					    .note = any_string(p, r),
					    .kind = reader_u8(r) % 8,
					    .symbols = reader_u8(r) % 9 };
		vec_push(&p->modules, m);
	}
}

static void add_names(struct profile *p, struct bytes_reader *r)
{
	unsigned functions = reader_u8(r) % 16, frames = functions ? reader_u8(r) % 32 : 0;
	unsigned locations = reader_u8(r) % 32;

	for (unsigned i = 0; i < functions; i++) {
		struct profile_function f = { .name = any_string(p, r),
					      .linkage = any_string(p, r),
					      .file = any_string(p, r),
					      .line = reader_u8(r) };
		f.module = id_or_none(reader_u8(r), p->modules.len);
		vec_push(&p->functions, f);
	}
	for (unsigned i = 0; i < frames; i++) {
		struct profile_frame f = { .function = reader_u8(r) % functions,
					   .line = reader_u8(r) };
		vec_push(&p->frames, f);
	}
	for (unsigned i = 0; i < locations; i++) {
		struct profile_location l = { .address = reader_u8(r) % 64 };
		l.module = (uint32_t)(reader_u8(r) % p->modules.len);
		l.first_frame = frames ? reader_u8(r) % frames : 0;
		l.frame_count = frames ? reader_u8(r) % (frames - l.first_frame + 1) : 0;
		vec_push(&p->locations, l);
	}
}

static void add_nodes(struct profile *p, struct bytes_reader *r)
{
	unsigned count = reader_u8(r);

	for (unsigned i = 0; i < count; i++) {
		struct profile_node n = { .address = reader_u8(r) % 64, .how = reader_u8(r) % 10 };
		n.module = (uint32_t)(reader_u8(r) % p->modules.len);
		n.parent = id_or_none(reader_u8(r), i);
		vec_push(&p->nodes, n);
	}
}

static void add_tasks_and_events(struct profile *p, struct bytes_reader *r)
{
	unsigned tasks = 1 + reader_u8(r) % 5, events = reader_u8(r) % 4, runs = reader_u8(r) % 3;

	for (unsigned i = 0; i < tasks; i++) {
		struct profile_task t = { .pid = reader_u8(r) % 3, .tid = reader_u8(r) % 3 };
		t.comm = any_string(p, r);
		t.space = PROFILE_NONE;
		vec_push(&p->tasks, t);
	}
	for (unsigned i = 0; i < events; i++) {
		struct profile_event e = { .name = any_string(p, r), .unit = reader_u8(r) % 4 };
		vec_push(&p->events, e);
	}
	for (unsigned i = 0; i < runs; i++) {
		struct profile_run run = { .command = any_string(p, r), .tool = any_string(p, r) };
		run.start_ns = reader_u8(r);
		run.end_ns = reader_u8(r);
		run.start_realtime_ns = reader_u64(r);
		run.machine = PROFILE_NONE;
		vec_push(&p->runs, run);
	}
}

static void add_samples(struct profile *p, struct bytes_reader *r)
{
	while (reader_left(r) >= 8 && p->events.len) {
		struct profile_sample s = { .time_ns = reader_u8(r),
					    .leaf_address = reader_u8(r) % 64 };
		s.weight = reader_u8(r);
		if (s.weight > 250)
			s.weight = UINT64_MAX - s.weight;
		s.task = (uint32_t)(reader_u8(r) % p->tasks.len);
		s.node = id_or_none(reader_u8(r), p->nodes.len);
		s.leaf_module = (uint32_t)(reader_u8(r) % p->modules.len);
		s.event = (uint16_t)(reader_u8(r) % p->events.len);
		uint8_t how = reader_u8(r);
		s.end = how & 15;
		s.flags = how >> 4;
		vec_push(&p->samples, s);
	}
}

/* Made of what the samples are: the tables above must read the same bytes as before these were. */
static void add_excerpts(struct profile *p, const uint8_t *data, size_t size, uint8_t bits)
{
	size_t len = size < 64 ? size : 64;
	static const char *const architectures[] = { "x86_64", "aarch64", "", "other" };
	struct profile_machine m = { .architecture =
					     strtab_add_str(&p->strings, architectures[bits % 4]) };

	vec_push(&p->machines, m);
	for (size_t i = 0; i < len; i++)
		vec_push(&p->blob, data[size - 1 - i]);
	for (uint32_t i = 0; i < 4; i++) {
		struct profile_code c = { .module = (uint32_t)(i % p->modules.len),
					  .address = i == 3 ? UINT64_MAX - 5 : i * 7,
					  .offset = (uint32_t)len / 4 * i,
					  .length = (uint32_t)len / 4 };
		struct profile_source s = { .file = i % (uint32_t)p->strings.strings.len,
					    .first_line = i == 3 ? UINT32_MAX : i,
					    .offset = c.offset,
					    .length = c.length };
		vec_push(&p->code, c);
		vec_push(&p->sources, s);
	}
	for (size_t i = 0; i < p->frames.len; i++)
		p->frames.data[i].file = (uint32_t)(i % p->strings.strings.len);
}

static void fill(struct profile *p, struct bytes_reader *r)
{
	profile_init(p);
	add_strings(p, r);
	add_modules(p, r);
	add_names(p, r);
	add_nodes(p, r);
	add_tasks_and_events(p, r);
	p->health.requested_rate = reader_u8(r);
	p->health.target_cpu_ns = reader_u8(r);
	p->health.due = reader_u8(r);
	p->health.lost_own = reader_u8(r) % 8;
	add_samples(p, r);
	profile_index(p);
}

void made_profile(struct profile *p, struct bytes_reader *r, const uint8_t *data, size_t size,
		  uint8_t bits)
{
	fill(p, r);
	add_excerpts(p, data, size, bits);
}
