/* Folded text into a profile: one address per function with what is inlined into it. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct reader {
	struct profile *profile;
	struct strtab groups;  /* text of a physical frame and its inlined ones; its id makes the
				  address */
	struct hmap locations; /* group → 1 once it has a location */
	struct hmap nodes;     /* parent + 1, group → trie node */
	struct hmap functions; /* name, module → function */
	struct profile_sample like; /* event, task and time of the next sample */
};

enum { MODULE_OF_USER, MODULE_OF_LIBRARY, MODULE_OF_KERNEL, MODULE_OF_JIT, MODULE_OF_SYNTHETIC };

static void add_module(struct profile *p, const char *path, uint8_t kind)
{
	struct profile_module m = { .path = strtab_add_str(&p->strings, path),
				    .kind = kind,
				    .symbols = SYMBOLS_SYMTAB };

	vec_push(&p->modules, m);
}

static void add_tables(struct profile *p)
{
	struct profile_machine machine = { .hostname = strtab_add_str(&p->strings, "testhost"),
					   .architecture = strtab_add_str(&p->strings, "x86_64") };
	struct profile_run run = { .command = strtab_add_str(&p->strings, "./app --input 'a b'"),
				   .tool = strtab_add_str(&p->strings, "prof 0.1.0"),
				   .start_ns = 1000000000,
				   .end_ns = 13310000000 };
	struct profile_event event = { .name = strtab_add_str(&p->strings, "task-clock"),
				       .unit = UNIT_NS };
	struct profile_task task = { .pid = 7,
				     .tid = 7,
				     .comm = strtab_add_str(&p->strings, "app"),
				     .space = PROFILE_NONE };

	p->health.complete = 1;
	vec_push(&p->machines, machine);
	vec_push(&p->runs, run);
	vec_push(&p->events, event);
	vec_push(&p->tasks, task);
	add_module(p, "/opt/app/bin/app", MODULE_FILE);
	add_module(p, "/usr/lib/x86_64-linux-gnu/libc.so.6", MODULE_FILE);
	add_module(p, "[kernel]", MODULE_KERNEL);
	add_module(p, "[jit]", MODULE_JIT);
	add_module(p, SYNTHETIC_NOT_SAMPLED, MODULE_SYNTHETIC);
}

static bool has_prefix(const char *s, size_t len, char c)
{
	return len >= 2 && s[0] == c && s[1] == ':';
}

static uint32_t module_of(const char *s, size_t len)
{
	return has_prefix(s, len, 'l')	 ? MODULE_OF_LIBRARY
	       : has_prefix(s, len, 'k') ? MODULE_OF_KERNEL
	       : has_prefix(s, len, 'j') ? MODULE_OF_JIT
	       : has_prefix(s, len, 's') ? MODULE_OF_SYNTHETIC
					 : MODULE_OF_USER;
}

static uint32_t function_of(struct reader *r, const char *name, size_t len, uint32_t module)
{
	struct profile *p = r->profile;
	uint32_t id = strtab_add(&p->strings, name, len);
	uint64_t key = (uint64_t)module << 32 | id;
	uint32_t function = hmap_get(&r->functions, key);

	if (function != HMAP_NONE)
		return function;
	function = (uint32_t)p->functions.len;
	hmap_put(&r->functions, key, function);
	vec_push(&p->functions,
		 ((struct profile_function){ .name = id,
					     .module = module,
					     .line = id % 900 + 1,
					     .file = strtab_add_str(&p->strings, "src/app.cc") }));
	return function;
}

static void add_location(struct reader *r, uint32_t group, const char *s, size_t len,
			 uint32_t module)
{
	struct profile *p = r->profile;
	struct profile_location l = { .address = 0x1000 + 16ull * group,
				      .module = module,
				      .first_frame = (uint32_t)p->frames.len };
	const char *end = s + len;

	/* Innermost first: from the last name to the first. */
	while (end > s) {
		const char *start = end;
		while (start > s && start[-1] != ';')
			start--;
		const char *name = start;
		if (end - name >= 2 && name[1] == ':' && strchr("lkjis", name[0]))
			name += 2;
		struct profile_frame frame = { .function = function_of(
						       r, name, (size_t)(end - name), module) };
		vec_push(&p->frames, frame);
		l.frame_count++;
		end = start > s ? start - 1 : s;
	}
	vec_push(&p->locations, l);
}

/* Length of the first physical frame with what is inlined into it. */
static size_t group_length(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] == ';' && !has_prefix(s + i + 1, len - i - 1, 'i'))
			return i;
	return len;
}

static uint32_t group_of(struct reader *r, const char *s, size_t len, uint32_t module)
{
	uint32_t group = strtab_add(&r->groups, s, len);

	if (hmap_get(&r->locations, group) == HMAP_NONE) {
		hmap_put(&r->locations, group, 1);
		if (!has_prefix(s, len, '?') && module != MODULE_OF_SYNTHETIC)
			add_location(r, group, s, len, module);
	}
	return group;
}

static uint32_t node_of(struct reader *r, uint32_t parent, uint32_t group, uint32_t module)
{
	uint64_t key = (uint64_t)(parent + 1) << 32 | group;
	uint32_t node = hmap_get(&r->nodes, key);

	if (node != HMAP_NONE)
		return node;
	node = (uint32_t)r->profile->nodes.len;
	hmap_put(&r->nodes, key, node);
	struct profile_node n = { .parent = parent,
				  .module = module,
				  .address = 0x1001 + 16ull * group,
				  .how = FRAME_CFI };
	vec_push(&r->profile->nodes, n);
	return node;
}

static void add_samples(struct reader *r, struct profile_sample s, uint64_t weight, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		s.weight = weight / count + (i < weight % count);
		s.time_ns = r->like.time_ns;
		r->like.time_ns += 1000000;
		vec_push(&r->profile->samples, s);
	}
}

static void add_stack(struct reader *r, const char *s, size_t len, uint64_t weight, uint64_t count)
{
	struct profile_sample sample = r->like;

	sample.node = sample.leaf_module = PROFILE_NONE;
	sample.end = END_ROOT;

	while (len > 0) {
		size_t n = group_length(s, len);
		uint32_t module = module_of(s, n), group = group_of(r, s, n, module);
		if (n == len) {
			sample.leaf_module = module;
			sample.leaf_address = 0x1000 + 16ull * group;
			sample.flags = module == MODULE_OF_SYNTHETIC ? SAMPLE_SYNTHETIC : 0;
		} else {
			sample.node = node_of(r, sample.node, group, module);
		}
		s += n < len ? n + 1 : n;
		len -= n < len ? n + 1 : n;
	}
	add_samples(r, sample, weight, count);
}

static void add_directive(struct reader *r, const char *line, size_t len)
{
	CLEANUP_FREE char *text = xstrndup(line, len);
	struct profile *p = r->profile;
	char name[64] = "", unit[64] = "";
	unsigned tid, pid, at;

	if (sscanf(text, "#event %63s %63s", name, unit) == 2) {
		struct profile_event event = { .name = strtab_add_str(&p->strings, name) };
		while (strcmp(unit_name(event.unit), unit) != 0 && event.unit < UNIT_BYTES)
			event.unit++;
		r->like.event = (uint16_t)p->events.len;
		vec_push(&p->events, event);
	} else if (sscanf(text, "#thread %u %u %63s", &tid, &pid, name) == 3) {
		struct profile_task task = { .pid = pid,
					     .tid = tid,
					     .comm = strtab_add_str(&p->strings, name),
					     .space = PROFILE_NONE };
		r->like.task = (uint32_t)p->tasks.len;
		vec_push(&p->tasks, task);
	} else if (sscanf(text, "#at %u", &at) == 1) {
		r->like.time_ns = 1000000000 + 1000000ull * at;
	}
}

static void add_line(struct reader *r, const char *line, size_t len)
{
	size_t weight_at = len, count_at;
	uint64_t count = 1;

	if (len > 0 && line[0] == '#') {
		add_directive(r, line, len);
		return;
	}
	while (weight_at > 0 && line[weight_at - 1] != ' ')
		weight_at--;
	count_at = weight_at;
	uint64_t weight = strtoull(line + weight_at, NULL, 10);
	if (weight_at < 2)
		return;
	/* "WEIGHT COUNT": two numbers at the end. */
	while (count_at > 1 && line[count_at - 2] >= '0' && line[count_at - 2] <= '9')
		count_at--;
	if (count_at < weight_at && count_at > 1 && line[count_at - 2] == ' ') {
		count = weight;
		weight = strtoull(line + count_at - 1, NULL, 10);
		weight_at = count_at - 1;
	}
	add_stack(r, line, weight_at - 1, weight, count);
}

void fixture_from_folded(struct fixture *f, const char *folded, size_t len)
{
	struct reader r = { .profile = &f->profile, .like = { .time_ns = 1000000000 } };

	memset(f, 0, sizeof(*f));
	profile_init(&f->profile);
	add_tables(&f->profile);
	strtab_init(&r.groups);
	for (const char *s = folded, *end = len ? folded + len : folded; s < end;) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));
		stop = stop ? stop : end;
		add_line(&r, s, (size_t)(stop - s));
		s = stop + 1;
	}
	profile_index(&f->profile);
	for (uint32_t i = 0; i < f->profile.samples.len; i++)
		vec_push(&f->all.samples, i);
	strtab_release(&r.groups);
	hmap_release(&r.locations);
	hmap_release(&r.nodes);
	hmap_release(&r.functions);
}

void fixture_release(struct fixture *f)
{
	profile_release(&f->profile);
	filter_result_release(&f->all);
}

void fixture_draw(struct bytes *out, const struct fixture *f, const struct flame_options *options)
{
	output_flame(out, &f->profile, &f->all, 0, options);
}
