/*
 * Code that a process registered in its own memory, with the unwinder or with GDB, while it runs.
 * Nothing tells when that changes. So its memory is looked at when a stack that leads through such
 * code does not hold, when an address of it has no name, and from time to time while it is sampled;
 * the more a look costs, the rarer they are.
 */
#include "record/codes_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "unwind/unwind.h"

#define LOOK_BYTES     ((uint64_t)32 << 20) /* of memory that one look reads */
#define LOOK_EVERY_NS  20000000ull	    /* on the average, where something is missing */
#define LOOK_APART_NS  4000000ull	    /* at least */
#define LOOKS_SAVED_NS 500000000ull	    /* what no look was made for serves for later ones */
#define AGAIN_EVERY_NS 200000000ull	    /* where nothing is */
#define COST_RATIO     40		  /* the CPU time it took, and what passes until the next */
#define ALL_BYTES_MAX  ((size_t)96 << 20) /* that are kept, of all processes */
#define WAIT_MAX_NS    5000000000ull
#define REGISTRARS_MAX 16		 /* of one process */
#define FUNCTIONS_MAX  ((size_t)1 << 16) /* of one object */
#define FIRST_ADDRESS  0x10000u		 /* what is lower was not relocated */
#define MEMORY_MOMENT  0x80000000u	 /* no file's moment */
#define FORMERS_MAX    ((size_t)4)

/* ---- what may be registered where ---- */

void codes_release_registrars(struct codes *c)
{
	for (size_t i = 0; i < c->registrars.len; i++)
		free(c->registrars.data[i]);
	vec_release(&c->registrars);
}

static void keep_up(void *files)
{
	files_meanwhile(files);
}

static const struct registrar *registrar_of(struct codes *c, const struct task_module *m)
{
	while (c->registrars.len <= m->index)
		vec_push(&c->registrars, (struct registrar *)NULL);
	struct registrar **r = &c->registrars.data[m->index];
	if (!*r) {
		*r = xcalloc(1, sizeof(**r));
		registrar_find(*r, m->image, keep_up, c->config.files);
	}
	return *r;
}

/* Once for each file, ahead of a look, whose cost says when the next one may be. */
static void find_registrars(struct codes *c, const struct process *p)
{
	for (size_t i = 0; i < p->space->mappings.len; i++)
		if (p->space->mappings.data[i].module->image)
			registrar_of(c, p->space->mappings.data[i].module);
}

static void take_registrar(struct registered_look *l, const struct registrar *r, uint64_t bias)
{
	uint64_t variables[REGISTRAR_VARIABLES];

	for (size_t i = 0; i < r->variable_count; i++)
		variables[i] = r->variables[i] + bias;
	registered_take_frames(l, variables, r->variable_count);
	if (r->descriptor)
		registered_take_descriptor(l, r->descriptor + bias);
}

/* Everything that the process registered; whether it can register anything. */
static bool take_all(struct codes *c, const struct process *p, struct registered_look *l)
{
	uint64_t done[REGISTRARS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < p->space->mappings.len && count < REGISTRARS_MAX; i++) {
		const struct task_mapping *m = &p->space->mappings.data[i];
		bool is_done = !m->module->image;
		for (size_t k = 0; k < count && !is_done; k++)
			is_done = done[k] == m->bias;
		if (is_done)
			continue;
		const struct registrar *r = registrar_of(c, m->module);
		if (!r->descriptor && !r->variable_count)
			continue;
		done[count++] = m->bias;
		take_registrar(l, r, m->bias);
	}
	return count > 0;
}

/* ---- names ---- */

struct object_names {
	struct codes *codes;
	struct process *process;
	struct known_object *object;
};

/* The process is ahead of the records: what they do not tell of yet may be memory for code, mapped
 * since. */
static bool may_be_generated(const struct process *p, uint64_t address)
{
	const struct task_mapping *m = task_find_mapping(p->space, address);

	return m ? m->module->kind == MODULE_JIT : address >= FIRST_ADDRESS;
}

/* Another source has told of it, and may have told more. */
static bool is_known(const struct process *p, uint64_t address, const char *name)
{
	const struct code_piece *piece = code_map_find(&p->map, address);

	return piece && piece->entry->start == address && !strcmp(piece->entry->name, name);
}

static int add_function(void *ctx, const struct elf_symbol *s)
{
	struct object_names *n = ctx;
	uint64_t to_end = s->section_end > s->address ? s->section_end - s->address : 0;
	struct code_source from = {
		.start = s->address,
		.size = s->size ? s->size : to_end,
		.name = s->name,
		.name_len = strlen(s->name),
		.moment = n->object->moment,
		.symbols = SYMBOLS_REGISTERED,
	};

	if (!may_be_generated(n->process, s->address) || is_known(n->process, s->address, s->name))
		return 0;
	struct code_entry *e = code_entry_new(&from);
	if (!e)
		return 0;
	vec_push(&n->object->functions, ((struct code_range){ e->start, e->end }));
	codes_add_entry(n->codes, n->process, e);
	return n->object->functions.len >= FUNCTIONS_MAX;
}

static uint32_t new_moment(struct codes *c)
{
	return MEMORY_MOMENT | c->moment++;
}

static void add_object(struct codes *c, struct process *p, const struct registered *r,
		       const struct registered_object *o)
{
	struct known_object known = { .hash = o->hash, .moment = new_moment(c) };
	struct object_names names = { c, p, &known };
	struct elf_image *image;

	if (elf_image_open_memory(&image, r->object_bytes.data + o->offset, (size_t)o->size,
				  "a registered object", NULL) == 0) {
		elf_image_symbols(image, add_function, &names, NULL);
		elf_image_free(image);
	}
	vec_push(&p->objects, known);
	p->has_objects = true;
}

/* What is still in its place has no name from now on. */
static void remove_object(struct codes *c, struct process *p, struct known_object *o)
{
	for (size_t i = 0; i < o->functions.len; i++) {
		struct code_range range = o->functions.data[i];
		const struct code_piece *piece = code_map_find(&p->map, range.start);
		struct code_source from = { .start = range.start,
					    .size = range.end - range.start,
					    .moment = new_moment(c),
					    .is_gone = true };
		if (piece && piece->entry->moment == o->moment)
			codes_add_entry(c, p, code_entry_new(&from));
	}
	vec_release(&o->functions);
}

/* Those that are not there any more leave when the records have come to now. */
static void keep_objects(struct process *p, uint64_t now_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->objects.len; i++) {
		struct known_object *o = &p->objects.data[i];
		o->until_ns = now_ns;
		if (o->is_there)
			p->objects.data[kept++] = *o;
		else
			vec_push(&p->leaving, *o);
	}
	p->objects.len = kept;
}

static void take_objects(struct codes *c, struct process *p, const struct registered *r,
			 uint64_t now_ns)
{
	VEC(const struct registered_object *) added = { 0 };
	struct hmap by_hash = { 0 };

	for (size_t i = 0; i < p->objects.len; i++) {
		p->objects.data[i].is_there = false;
		hmap_put(&by_hash, p->objects.data[i].hash, (uint32_t)i);
	}
	for (size_t i = 0; i < r->objects.len; i++) {
		uint32_t index = hmap_get(&by_hash, r->objects.data[i].hash);
		if (index != HMAP_NONE)
			p->objects.data[index].is_there = true;
		else
			vec_push(&added, &r->objects.data[i]);
	}
	hmap_release(&by_hash);
	keep_objects(p, now_ns);
	for (size_t i = 0; i < added.len; i++)
		add_object(c, p, r, added.data[i]);
	vec_release(&added);
}

/* ---- what was registered before ---- */

static size_t kept_bytes(const struct registered *r)
{
	return r->cfi.cap + r->frames.cap * sizeof(*r->frames.data);
}

static void drop(struct codes *c, struct registered *r)
{
	c->registered_bytes -= kept_bytes(r);
	registered_release(r);
}

static void drop_first_former(struct codes *c, struct process *p)
{
	drop(c, &p->formers.data[0].what);
	p->formers.len--;
	memmove(p->formers.data, p->formers.data + 1, p->formers.len * sizeof(*p->formers.data));
	c->cfi_version++;
}

uint64_t codes_next_settling(const struct process *p)
{
	uint64_t next = p->formers.len ? p->formers.data[0].until_ns : UINT64_MAX;

	return p->leaving.len && p->leaving.data[0].until_ns < next ? p->leaving.data[0].until_ns
								    : next;
}

void codes_settle_registered(struct codes *c, struct process *p, uint64_t time_ns)
{
	size_t left = 0;

	while (p->formers.len && p->formers.data[0].until_ns <= time_ns)
		drop_first_former(c, p);
	while (left < p->leaving.len && p->leaving.data[left].until_ns <= time_ns)
		remove_object(c, p, &p->leaving.data[left++]);
	p->leaving.len -= left;
	if (left)
		memmove(p->leaving.data, p->leaving.data + left,
			p->leaving.len * sizeof(*p->leaving.data));
}

static bool find_in(const struct registered *r, uint64_t address, struct unwind_cfi *out)
{
	const struct registered_frame *f = registered_find(r, address);

	if (f)
		*out = (struct unwind_cfi){ r->cfi.data + f->offset, f->len, f->address,
					    f->text_base };
	return f != NULL;
}

void codes_find_registered(const struct process *p, uint64_t address, struct unwind_cfi *out)
{
	bool found = find_in(&p->registered, address, out);

	for (size_t i = p->formers.len; i > 0 && !found; i--)
		found = find_in(&p->formers.data[i - 1].what, address, out);
}

static void release_objects(struct known_object *objects, size_t count)
{
	for (size_t i = 0; i < count; i++)
		vec_release(&objects[i].functions);
}

void codes_release_registered(struct codes *c, struct process *p)
{
	drop(c, &p->registered);
	while (p->formers.len)
		drop_first_former(c, p);
	vec_release(&p->formers);
	release_objects(p->objects.data, p->objects.len);
	release_objects(p->leaving.data, p->leaving.len);
	vec_release(&p->objects);
	vec_release(&p->leaving);
}

/* ---- looking ---- */

struct target {
	struct codes *codes;
	const struct process *process;
};

static ssize_t read_target(void *ctx, uint64_t address, void *out, size_t len)
{
	const struct target *t = ctx;

	return files_read_memory(t->codes->config.files, t->process->pid, address, out, len);
}

static bool is_wanted(void *ctx, uint64_t address)
{
	return may_be_generated(((const struct target *)ctx)->process, address);
}

/* Takes *found. What it replaces is still of use for records from before now. */
static void take_frames(struct codes *c, struct process *p, struct registered *found,
			uint64_t now_ns)
{
	if (found->hash == p->registered.hash ||
	    c->registered_bytes + kept_bytes(found) > ALL_BYTES_MAX) {
		if (found->hash != p->registered.hash)
			p->fault = REGISTERED_TOO_LARGE;
		registered_release(found);
		return;
	}
	if (p->formers.len == FORMERS_MAX)
		drop_first_former(c, p);
	if (p->registered.frames.len)
		vec_push(&p->formers, ((struct former){ p->registered, now_ns }));
	else
		drop(c, &p->registered);
	p->registered = *found;
	c->registered_bytes += kept_bytes(found);
	c->cfi_version++;
}

static bool is_any_unnamed(const struct process *p)
{
	for (size_t i = 0; i < p->noted.len; i++) {
		const struct code_piece *piece = code_map_find(&p->map, p->noted.data[i].address);
		if (!piece || piece->entry->is_gone)
			return true;
	}
	return false;
}

/* Code is registered in bursts: a process's start, its first calls of each function. So a few looks
 * may follow each other closely where none was needed for some time. */
static void set_due(struct process *p, uint64_t cost_ns)
{
	uint64_t now_ns = clock_monotonic_ns(), wait_ns = LOOK_EVERY_NS + COST_RATIO * cost_ns;
	uint64_t from_ns = now_ns - LOOKS_SAVED_NS;

	if (p->look_due_ns > from_ns)
		from_ns = p->look_due_ns;
	p->look_due_ns = from_ns + (wait_ns < WAIT_MAX_NS ? wait_ns : WAIT_MAX_NS);
	p->looked_ns = now_ns;
}

static void look(struct codes *c, struct process *p, uint64_t begin_ns)
{
	struct target target = { c, p };
	struct registered found = { 0 };
	struct peek peek;
	struct registered_look l = {
		.peek = &peek, .out = &found, .is_wanted = is_wanted, .ctx = &target
	};

	find_registrars(c, p);
	uint64_t begin_cpu_ns = clock_thread_cpu_ns();
	peek_init(&peek, read_target, &target, LOOK_BYTES);
	p->has_no_registrar = !take_all(c, p, &l);
	p->looked_version = p->space->version;
	registered_end(&l);
	peek_release(&peek);
	p->fault = p->fault ? p->fault : found.fault;
	take_objects(c, p, &found, begin_ns);
	bytes_release(&found.object_bytes);
	vec_release(&found.objects);
	take_frames(c, p, &found, begin_ns);
	codes_set_next(c);
	p->wants_names = p->was_sampled = false;
	p->has_unnamed = p->has_unnamed && is_any_unnamed(p);
	set_due(p, clock_thread_cpu_ns() - begin_cpu_ns);
}

static bool may_look(const struct codes *c, const struct process *p, uint64_t now_ns)
{
	if (c->config.imported || !p->base || !p->space || now_ns < p->look_due_ns ||
	    now_ns - p->looked_ns < LOOK_APART_NS)
		return false;
	return !p->has_no_registrar || p->looked_version != p->space->version;
}

bool codes_doubt(struct codes *c, const struct task_module *m)
{
	uint32_t i = m->index < c->by_module.len ? c->by_module.data[m->index] : 0;
	struct process *p = i ? c->processes.data[i - 1] : NULL;
	uint64_t now_ns = clock_monotonic_ns(), version = c->cfi_version;

	if (!p || !may_look(c, p, now_ns))
		return false;
	look(c, p, now_ns);
	return c->cfi_version != version;
}

void codes_look_registered(struct codes *c, uint64_t now_ns)
{
	for (size_t i = 0; i < c->processes.len; i++) {
		struct process *p = c->processes.data[i];
		bool has_any = p->registered.frames.len || p->objects.len || p->has_unnamed;
		if (!may_look(c, p, now_ns) || !p->was_sampled)
			continue;
		if (p->wants_names || (has_any && now_ns >= p->looked_ns + AGAIN_EVERY_NS))
			look(c, p, clock_monotonic_ns());
	}
}
