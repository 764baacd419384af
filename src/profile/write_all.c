/* A whole profile in memory as one epoch. Ids are mapped: the writer may hold rows already. */
#include "profile/reader.h"
#include "profile/writer_private.h"

#include "profile/writer.h"

/* What each id of the profile is in the writer's epoch. */
struct id_lists {
	VEC(uint32_t) strings, machines, events, modules, spaces, tasks, nodes, functions, samples;
};

static uint32_t mapped(const uint32_t *ids, size_t count, uint32_t id)
{
	return id < count ? ids[id] : PROFILE_NONE;
}

#define MAPPED(list, id) mapped((list).data, (list).len, id)

static uint32_t string_of(const struct id_lists *l, uint32_t id)
{
	return id < l->strings.len ? l->strings.data[id] : 0;
}

static void release_lists(struct id_lists *l)
{
	vec_release(&l->strings);
	vec_release(&l->machines);
	vec_release(&l->events);
	vec_release(&l->modules);
	vec_release(&l->spaces);
	vec_release(&l->tasks);
	vec_release(&l->nodes);
	vec_release(&l->functions);
	vec_release(&l->samples);
}

static void write_strings(const struct profile *p, struct profile_writer *w, struct id_lists *l)
{
	for (uint32_t i = 0; i < p->strings.strings.len; i++)
		vec_push(&l->strings, profile_writer_add_string(w, strtab_get(&p->strings, i),
								strtab_len(&p->strings, i)));
}

static void write_runs(const struct profile *p, struct profile_writer *w, struct id_lists *l)
{
	for (size_t i = 0; i < p->machines.len; i++) {
		struct profile_machine row = p->machines.data[i];
		row.hostname = string_of(l, row.hostname);
		row.architecture = string_of(l, row.architecture);
		row.cpu_model = string_of(l, row.cpu_model);
		row.kernel_release = string_of(l, row.kernel_release);
		row.boot_id = string_of(l, row.boot_id);
		vec_push(&l->machines, profile_writer_add_machine(w, &row));
	}
	for (size_t i = 0; i < p->runs.len; i++) {
		struct profile_run row = p->runs.data[i];
		row.command = string_of(l, row.command);
		row.clock = string_of(l, row.clock);
		row.tool = string_of(l, row.tool);
		row.machine = MAPPED(l->machines, row.machine);
		profile_writer_add_run(w, &row);
	}
	for (size_t i = 0; i < p->events.len; i++) {
		struct profile_event row = p->events.data[i];
		row.name = string_of(l, row.name);
		vec_push(&l->events, profile_writer_add_event(w, &row));
	}
	for (size_t i = 0; i < p->clocks.len; i++)
		profile_writer_add_clock(w, &p->clocks.data[i]);
	for (size_t i = 0; i < p->notes.len; i++)
		profile_writer_add_note(w, profile_str(p, p->notes.data[i]));
}

static void write_modules(const struct profile *p, struct profile_writer *w, struct id_lists *l)
{
	for (size_t i = 0; i < p->modules.len; i++) {
		struct profile_module row = p->modules.data[i];
		row.path = string_of(l, row.path);
		row.build_id = string_of(l, row.build_id);
		row.debug_path = string_of(l, row.debug_path);
		row.note = string_of(l, row.note);
		vec_push(&l->modules, profile_writer_add_module(w, &row));
	}
}

static void write_tasks(const struct profile *p, struct profile_writer *w, struct id_lists *l)
{
	for (size_t i = 0; i < p->spaces.len; i++)
		vec_push(&l->spaces, profile_writer_add_space(w, &p->spaces.data[i]));
	for (size_t i = 0; i < p->tasks.len; i++) {
		struct profile_task row = p->tasks.data[i];
		row.comm = string_of(l, row.comm);
		row.space = MAPPED(l->spaces, row.space);
		vec_push(&l->tasks, profile_writer_add_task(w, &row));
	}
	for (size_t i = 0; i < p->mappings.len; i++) {
		struct profile_mapping row = p->mappings.data[i];
		row.space = MAPPED(l->spaces, row.space);
		row.module = MAPPED(l->modules, row.module);
		profile_writer_add_mapping(w, &row);
	}
}

static void write_samples(const struct profile *p, struct profile_writer *w, struct id_lists *l)
{
	for (size_t i = 0; i < p->nodes.len; i++) {
		const struct profile_node *n = &p->nodes.data[i];
		uint32_t parent = MAPPED(l->nodes, n->parent);
		vec_push(&l->nodes,
			 profile_writer_add_node(w, parent, MAPPED(l->modules, n->module),
						 n->address, n->how));
	}
	for (size_t i = 0; i < p->samples.len; i++) {
		struct profile_sample row = p->samples.data[i];
		row.task = MAPPED(l->tasks, row.task);
		row.node = MAPPED(l->nodes, row.node);
		row.leaf_module = MAPPED(l->modules, row.leaf_module);
		row.event = (uint16_t)MAPPED(l->events, row.event);
		uint32_t id = profile_writer_add_sample(w, &row);
		if (p->counts.len)
			vec_push(&l->samples, id);
	}
}

static void write_counts(const struct profile *p, struct profile_writer *w,
			 const struct id_lists *l)
{
	for (size_t i = 0; i < p->counts.len; i++) {
		struct profile_count row = p->counts.data[i];
		row.sample = MAPPED(l->samples, row.sample);
		row.event = (uint16_t)MAPPED(l->events, row.event);
		profile_writer_add_count(w, &row);
	}
	for (size_t i = 0; i < p->groups.len; i++) {
		struct profile_group row = p->groups.data[i];
		row.event = (uint16_t)MAPPED(l->events, row.event);
		profile_writer_add_group(w, &row);
	}
}

/* The location's frames, copied so that they follow each other; frames no location uses are left
 * out. */
static void write_location(const struct profile *p, struct profile_writer *w,
			   const struct id_lists *l, const struct profile_location *from)
{
	struct pending *frames = &w->tables[TABLE_FRAMES];
	struct profile_location row = *from;

	row.module = MAPPED(l->modules, row.module);
	row.first_frame = row.frame_count ? frames->first_id + frames->count : PROFILE_NONE;
	for (uint32_t i = 0; i < from->frame_count; i++) {
		struct profile_frame f = p->frames.data[from->first_frame + i];
		f.function = MAPPED(l->functions, f.function);
		f.file = string_of(l, f.file);
		writer_append(w, TABLE_FRAMES, &f);
	}
	writer_append(w, TABLE_LOCATIONS, &row);
}

static void write_names(const struct profile *p, struct profile_writer *w, struct id_lists *l)
{
	for (size_t i = 0; i < p->functions.len; i++) {
		struct profile_function row = p->functions.data[i];
		row.name = string_of(l, row.name);
		row.linkage = string_of(l, row.linkage);
		row.file = string_of(l, row.file);
		row.module = MAPPED(l->modules, row.module);
		vec_push(&l->functions, writer_add_function(w, &row));
	}
	for (size_t i = 0; i < p->aliases.len; i++) {
		struct profile_alias row = p->aliases.data[i];
		row.name = string_of(l, row.name);
		row.linkage = string_of(l, row.linkage);
		row.function = MAPPED(l->functions, row.function);
		writer_add_alias(w, &row);
	}
	for (size_t i = 0; i < p->locations.len; i++)
		write_location(p, w, l, &p->locations.data[i]);
}

static const void *in_blob(const struct profile *p, uint32_t offset)
{
	return p->blob.len ? p->blob.data + offset : NULL;
}

static void write_excerpts(const struct profile *p, struct profile_writer *w,
			   const struct id_lists *l)
{
	for (size_t i = 0; i < p->code.len; i++) {
		const struct profile_code *c = &p->code.data[i];
		profile_writer_add_code(w, MAPPED(l->modules, c->module), c->address,
					in_blob(p, c->offset), c->length);
	}
	for (size_t i = 0; i < p->sources.len; i++) {
		const struct profile_source *s = &p->sources.data[i];
		profile_writer_add_source(w, profile_str(p, s->file), s->first_line, s->flags,
					  in_blob(p, s->offset), s->length);
	}
}

int profile_write_all(const struct profile *p, struct profile_writer *w, struct error *err)
{
	struct id_lists l = { 0 };

	if (!profile_is_consistent(p))
		return error_set(err, ERROR_FORMAT,
				 "the profile to write refers to rows it does not have");
	write_strings(p, w, &l);
	write_runs(p, w, &l);
	write_modules(p, w, &l);
	write_tasks(p, w, &l);
	write_samples(p, w, &l);
	write_counts(p, w, &l);
	write_names(p, w, &l);
	write_excerpts(p, w, &l);
	profile_writer_set_health(w, &p->health);
	w->incomplete = !p->health.complete;
	release_lists(&l);
	return profile_writer_flush(w, err);
}

int profile_write_fd(const struct profile *p, int fd, struct error *err)
{
	struct profile_writer *w = NULL;
	struct profile_writer_options options = { .fd = fd };
	int rc = profile_writer_new(&w, &options, err);

	if (rc == 0)
		rc = profile_write_all(p, w, err);
	if (rc == 0)
		rc = profile_writer_finish(w, err);
	profile_writer_free(w);
	return rc;
}
