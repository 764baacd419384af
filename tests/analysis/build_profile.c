#include "build_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t build_str(struct build *b, const char *s)
{
	return strtab_add_str(&b->profile.strings, s);
}

uint32_t build_module(struct build *b, uint8_t kind, const char *path)
{
	struct profile_module m = { .path = build_str(b, path),
				    .kind = kind,
				    .symbols = SYMBOLS_SYMTAB };

	vec_push(&b->profile.modules, m);
	return (uint32_t)b->profile.modules.len - 1;
}

uint32_t build_event(struct build *b, const char *name, uint8_t unit)
{
	struct profile_event e = { .name = build_str(b, name), .unit = unit, .frequency = 997 };

	vec_push(&b->profile.events, e);
	return (uint32_t)b->profile.events.len - 1;
}

uint32_t build_task(struct build *b, uint32_t pid, uint32_t tid, const char *comm)
{
	struct profile_task t = {
		.pid = pid, .tid = tid, .comm = build_str(b, comm), .space = PROFILE_NONE
	};

	vec_push(&b->profile.tasks, t);
	return (uint32_t)b->profile.tasks.len - 1;
}

static void build_run(struct build *b)
{
	struct profile_machine m = { .hostname = build_str(b, "box"),
				     .architecture = build_str(b, "x86_64"),
				     .cpu_model = build_str(b, "Test CPU"),
				     .kernel_release = build_str(b, "6.1.0"),
				     .cpu_count = 4 };
	struct profile_run r = { .command = build_str(b, "app --fast"),
				 .clock = build_str(b, "monotonic"),
				 .tool = build_str(b, "prof 0.1.0"),
				 .start_ns = 1000000000,
				 .end_ns = 2000000000,
				 .start_realtime_ns = 1700000000000000000ull };

	vec_push(&b->profile.machines, m);
	vec_push(&b->profile.runs, r);
}

void build_init(struct build *b)
{
	memset(b, 0, sizeof(*b));
	profile_init(&b->profile);
	build_run(b);
	b->program = build_module(b, MODULE_FILE, "/usr/bin/app");
	b->library = build_module(b, MODULE_FILE, "/usr/lib/libz.so.1");
	b->kernel = build_module(b, MODULE_KERNEL, "[kernel]");
	b->event = build_event(b, "task-clock", UNIT_NS);
	b->task = build_task(b, 100, 100, "app");
	b->next_address = 0x1000;
	b->next_time_ns = 1000000000;
}

void build_release(struct build *b)
{
	profile_release(&b->profile);
}

static uint32_t find_function(struct build *b, uint32_t module, uint32_t name)
{
	for (uint32_t i = 0; i < b->profile.functions.len; i++) {
		const struct profile_function *f = &b->profile.functions.data[i];
		if (f->name == name && f->module == module)
			return i;
	}
	struct profile_function f = {
		.name = name, .file = build_str(b, "app.c"), .line = 1, .module = module
	};
	vec_push(&b->profile.functions, f);
	return (uint32_t)b->profile.functions.len - 1;
}

uint64_t build_code(struct build *b, uint32_t module, const char *chain)
{
	struct profile_location l = { .address = b->next_address, .module = module };

	b->next_address += 0x10;
	l.first_frame = (uint32_t)b->profile.frames.len;
	for (const char *at = chain; *at;) {
		size_t len = strcspn(at, "|");
		uint32_t name = strtab_add(&b->profile.strings, at, len);
		struct profile_frame f = { .function = find_function(b, module, name),
					   .file = build_str(b, "app.c"),
					   .line = 10 + l.frame_count };
		vec_push(&b->profile.frames, f);
		l.frame_count++;
		at += len + (at[len] == '|');
	}
	vec_push(&b->profile.locations, l);
	return l.address;
}

uint32_t build_node(struct build *b, uint32_t parent, uint32_t module, uint64_t address)
{
	struct profile_node n = {
		.parent = parent, .module = module, .address = address + 1, .how = FRAME_CFI
	};

	for (uint32_t i = 0; i < b->profile.nodes.len; i++) {
		const struct profile_node *o = &b->profile.nodes.data[i];
		if (o->parent == parent && o->module == module && o->address == n.address)
			return i;
	}
	vec_push(&b->profile.nodes, n);
	return (uint32_t)b->profile.nodes.len - 1;
}

uint32_t build_sample(struct build *b, uint32_t node, uint32_t module, uint64_t address,
		      uint64_t weight)
{
	struct profile_sample s = { .time_ns = b->next_time_ns,
				    .leaf_address = address,
				    .weight = weight,
				    .task = b->task,
				    .node = node,
				    .leaf_module = module,
				    .event = (uint16_t)b->event,
				    .end = END_ROOT };

	b->next_time_ns += 1000000;
	vec_push(&b->profile.samples, s);
	return (uint32_t)b->profile.samples.len - 1;
}

static uint64_t code_named(struct build *b, const char *name)
{
	for (uint32_t i = 0; i < b->profile.locations.len; i++) {
		const struct profile_location *l = &b->profile.locations.data[i];
		if (l->frame_count != 1 || l->module != b->program)
			continue;
		const struct profile_frame *f = &b->profile.frames.data[l->first_frame];
		if (!strcmp(profile_str(&b->profile, b->profile.functions.data[f->function].name),
			    name))
			return l->address;
	}
	return build_code(b, b->program, name);
}

uint32_t build_stack(struct build *b, const char *stack, uint64_t weight)
{
	CLEANUP_FREE char *copy = xstrdup(stack);
	uint32_t node = PROFILE_NONE;
	char *at = copy;

	for (char *end; (end = strchr(at, ';')); at = end + 1) {
		*end = '\0';
		node = build_node(b, node, b->program, code_named(b, at));
	}
	return build_sample(b, node, b->program, code_named(b, at), weight);
}

struct profile_sample *build_at(struct build *b, uint32_t sample)
{
	return &b->profile.samples.data[sample];
}

void build_finish(struct build *b, struct filter_result *all)
{
	profile_index(&b->profile);
	memset(all, 0, sizeof(*all));
	for (uint32_t i = 0; i < b->profile.samples.len; i++)
		vec_push(&all->samples, i);
}
