/* Names and keys of frames. */
#include "analysis/frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/simple_name.h"

#define RESERVED_KEYS ((size_t)1 << 16)

/* The upper half of a map key where no string id can be: what the lower half means. */
enum { TAG_UNKNOWN = 0xffffffff, TAG_MODULE = 0xfffffffe, TAG_ROW = 0xfffffffd };

static uint64_t pair(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

/* Generations of generated code are one module to the reader. */
static uint32_t *find_same_modules(const struct profile *p)
{
	struct hmap jit = { 0 }; /* path → the first module */
	uint32_t *same = xrealloc_array(NULL, p->modules.len, sizeof(*same));

	for (uint32_t i = 0; i < p->modules.len; i++) {
		const struct profile_module *m = &p->modules.data[i];
		same[i] = i;
		if (m->kind != MODULE_JIT)
			continue;
		if (hmap_get(&jit, m->path) == HMAP_NONE)
			hmap_put(&jit, m->path, i);
		same[i] = hmap_get(&jit, m->path);
	}
	hmap_release(&jit);
	return same;
}

static uint32_t shown_module(const struct frame_keys *k, uint32_t module)
{
	return module < k->profile->modules.len ? k->same_module[module] : module;
}

void frame_keys_init(struct frame_keys *k, struct calltree *tree,
		     const struct calltree_options *options)
{
	size_t frames = tree->profile->frames.len;

	memset(k, 0, sizeof(*k));
	k->profile = tree->profile;
	k->options = options;
	k->tree = tree;
	k->kernel_key = PROFILE_NONE;
	k->same_module = find_same_modules(k->profile);
	strtab_init(&k->names);
	pairmap_reserve(&k->map, tree->profile->functions.len < RESERVED_KEYS
					 ? tree->profile->functions.len
					 : RESERVED_KEYS);
	k->of_frame = xrealloc_array(NULL, frames, sizeof(*k->of_frame));
	memset(k->of_frame, 0xff, frames * sizeof(*k->of_frame));
}

void frame_keys_release(struct frame_keys *k)
{
	pairmap_release(&k->map);
	strtab_release(&k->names);
	bytes_release(&k->text);
	free(k->of_frame);
	free(k->same_module);
}

/* A name that lives as long as the profile. */
static uint32_t add_lent_key(struct frame_keys *k, const char *name, uint32_t module, uint8_t kind)
{
	struct calltree_key key = { .name = name, .module = module, .kind = kind };

	vec_push(&k->tree->keys, key);
	return (uint32_t)k->tree->keys.len - 1;
}

/* Takes over name. */
static uint32_t add_key(struct frame_keys *k, char *name, uint32_t module, uint8_t kind)
{
	uint32_t key = add_lent_key(k, name, module, kind);

	k->tree->keys.data[key].own_name = name;
	return key;
}

static const struct profile_module *module_at(const struct profile *p, uint32_t module)
{
	return module < p->modules.len ? &p->modules.data[module] : NULL;
}

uint32_t frame_location_of_node(const struct profile *p, uint32_t node)
{
	const struct profile_node *n = &p->nodes.data[node];

	if (node < p->node_location.len)
		return p->node_location.data[node];
	return profile_find_location(p, n->module, node_lookup_address(n));
}

static bool is_library_path(const char *path)
{
	const char *so = strstr(path, ".so");

	return so && (so[3] == '\0' || so[3] == '.');
}

uint8_t frame_code_kind(const struct profile *p, uint32_t module)
{
	const struct profile_module *m = module_at(p, module);

	switch (m ? m->kind : (uint8_t)MODULE_UNKNOWN) {
	case MODULE_FILE:
		return is_library_path(profile_str(p, m->path)) ? CODE_LIBRARY : CODE_USER;
	case MODULE_KERNEL:
		return CODE_KERNEL;
	case MODULE_VDSO:
		return CODE_LIBRARY;
	case MODULE_JIT:
		return CODE_JIT;
	case MODULE_SYNTHETIC:
		return CODE_SYNTHETIC;
	default:
		return CODE_UNKNOWN;
	}
}

static const char *nameless_module(uint8_t kind)
{
	switch (kind) {
	case MODULE_KERNEL:
		return "[kernel]";
	case MODULE_VDSO:
		return "[vdso]";
	case MODULE_JIT:
		return "[jit]";
	case MODULE_ANON:
		return "[anon]";
	default:
		return "[unknown]";
	}
}

const char *frame_module_name(const struct profile *p, uint32_t module)
{
	const struct profile_module *m = module_at(p, module);

	if (!m)
		return "";
	const char *path = profile_str(p, m->path);
	const char *slash = strrchr(path, '/');
	const char *name = slash && slash[1] ? slash + 1 : path;
	return *name ? name : nameless_module(m->kind);
}

bool frame_has_module(const struct profile *p, const char *name)
{
	for (uint32_t i = 0; i < p->modules.len; i++)
		if (strcmp(frame_module_name(p, i), name) == 0 ||
		    strcmp(profile_str(p, p->modules.data[i].path), name) == 0)
			return *name != '\0';
	return false;
}

struct pattern_code frame_code_of_module(const struct profile *p, uint32_t module)
{
	const struct profile_module *m = module_at(p, module);

	return (struct pattern_code){ "", frame_module_name(p, module),
				      m ? profile_str(p, m->path) : "", "" };
}

struct pattern_code frame_code_of_function(const struct profile *p, uint32_t function)
{
	const struct profile_function *f = &p->functions.data[function];
	struct pattern_code code = frame_code_of_module(p, f->module);

	code.name = profile_str(p, f->name);
	code.file = profile_str(p, f->file);
	return code;
}

char *frame_unknown_name(const struct profile *p, uint32_t module, uint64_t address)
{
	const struct profile_module *m = module_at(p, module);

	if (m && m->kind == MODULE_SYNTHETIC)
		return xstrdup(frame_module_name(p, module));
	if (!m || m->kind == MODULE_UNKNOWN || m->kind == MODULE_ANON || m->kind == MODULE_JIT)
		return xasprintf("[unknown 0x%" PRIx64 "]", address);
	return xasprintf("[unknown %s+0x%" PRIx64 "]", frame_module_name(p, module), address);
}

bool frame_is_unknown_name(const char *name)
{
	const char start[] = "[unknown ";

	return strncmp(name, start, sizeof(start) - 1) == 0;
}

static bool is_nameless_kernel(const struct profile_module *m)
{
	return m && m->kind == MODULE_KERNEL &&
	       (m->symbols == SYMBOLS_NONE || m->symbols == SYMBOLS_MISSING ||
		m->symbols == SYMBOLS_REFUSED);
}

static uint32_t kernel_key(struct frame_keys *k, uint32_t module)
{
	if (k->kernel_key == PROFILE_NONE)
		k->kernel_key = add_lent_key(k, "[kernel]", module, CODE_KERNEL);
	return k->kernel_key;
}

static uint8_t unknown_kind(const struct profile *p, uint32_t module)
{
	uint8_t kind = frame_code_kind(p, module);

	return kind == CODE_KERNEL || kind == CODE_SYNTHETIC ? kind : CODE_UNKNOWN;
}

uint32_t frame_key_of_unknown(struct frame_keys *k, uint32_t module, uint64_t address)
{
	const struct profile_module *m = module_at(k->profile, module);

	module = shown_module(k, module);
	if (is_nameless_kernel(m))
		return kernel_key(k, module);
	if (m && m->kind == MODULE_SYNTHETIC)
		address = 0;
	uint32_t *slot = pairmap_at(&k->map, pair(TAG_UNKNOWN, module), address);
	if (*slot == PAIRMAP_NONE)
		*slot = add_key(k, frame_unknown_name(k->profile, module, address), module,
				unknown_kind(k->profile, module));
	return *slot;
}

uint32_t frame_key_of_module(struct frame_keys *k, uint32_t module)
{
	const char *name = frame_module_name(k->profile, module);
	uint32_t *slot = pairmap_at(&k->map, pair(TAG_MODULE, shown_module(k, module)), 0);

	if (*slot == PAIRMAP_NONE)
		*slot = add_key(k, xstrdup(*name ? name : "[unknown]"), module,
				frame_code_kind(k->profile, module));
	return *slot;
}

uint32_t frame_key_of_row(struct frame_keys *k, const char *name, uint8_t kind)
{
	uint32_t id = strtab_add_str(&k->names, name);
	uint32_t *slot = pairmap_at(&k->map, pair(TAG_ROW, id), kind);

	if (*slot == PAIRMAP_NONE)
		*slot = add_key(k, xstrdup(name), PROFILE_NONE, kind);
	return *slot;
}

/* Names of other languages have brackets of their own meaning. */
static bool is_mangled(const char *linkage)
{
	return strncmp(linkage, "_Z", 2) == 0 || strncmp(linkage, "_R", 2) == 0;
}

/* The string of the profile that a function is called by. */
static uint32_t given_name(const struct frame_keys *k, const struct profile_function *f)
{
	if (!f->name || (f->linkage && k->options->names == NAMES_NONE))
		return f->linkage;
	return f->name;
}

/* It lives as long as the profile; of NAMES_SIMPLE, as k. */
static const char *shown_name(struct frame_keys *k, const struct profile_function *f)
{
	uint32_t name = given_name(k, f);
	const char *given = profile_str(k->profile, name);

	if (name == 0)
		return "[no name]";
	if (k->options->names != NAMES_SIMPLE || !is_mangled(profile_str(k->profile, f->linkage)))
		return given;
	bytes_clear(&k->text);
	simple_name_append(&k->text, given);
	return strtab_get(&k->names,
			  strtab_add(&k->names, (const char *)k->text.data, k->text.len));
}

/* Equal for functions that are called the same. */
static uint32_t name_id(struct frame_keys *k, const struct profile_function *f, const char *shown)
{
	return k->options->names == NAMES_SIMPLE ? strtab_add_str(&k->names, shown)
						 : given_name(k, f);
}

static uint32_t function_key(struct frame_keys *k, const struct profile_frame *frame)
{
	const struct profile_function *f = &k->profile->functions.data[frame->function];
	bool by_line = k->options->by_line;
	const char *shown = shown_name(k, f);
	uint32_t name = name_id(k, f, shown);
	uint32_t module = shown_module(k, f->module);
	uint32_t *slot = pairmap_at(&k->map, pair(name, module),
				    by_line ? pair(frame->file, frame->line) : 0);

	if (*slot != PAIRMAP_NONE)
		return *slot;
	bool unknown = frame_is_unknown_name(profile_str(k->profile, f->name));
	uint8_t kind =
		unknown ? unknown_kind(k->profile, module) : frame_code_kind(k->profile, module);
	uint32_t key;
	if (by_line && frame->line)
		key = add_key(k, xasprintf("%s:%" PRIu32, shown, frame->line), module, kind);
	else if (k->options->names == NAMES_SIMPLE)
		key = add_key(k, xstrdup(shown), module, kind);
	else
		key = add_lent_key(k, shown, module, kind);
	k->tree->keys.data[key].file = by_line ? frame->file : f->file;
	k->tree->keys.data[key].line = by_line ? frame->line : f->line;
	*slot = key;
	return key;
}

uint32_t frame_key_of_frame(struct frame_keys *k, uint32_t frame)
{
	const struct profile_frame *f = &k->profile->frames.data[frame];

	if (k->of_frame[frame] == PROFILE_NONE) {
		k->of_frame[frame] = function_key(k, f);
		if (k->tree->key_of_function)
			k->tree->key_of_function[f->function] = k->of_frame[frame];
	}
	return k->of_frame[frame];
}

const char *frame_comm(const struct profile *p, uint32_t task)
{
	if (task >= p->tasks.len)
		return "[unknown task]";
	const char *comm = profile_str(p, p->tasks.data[task].comm);
	return *comm ? comm : "[no name]";
}

char *frame_thread_name(const struct profile *p, uint32_t task)
{
	if (task >= p->tasks.len)
		return xstrdup(frame_comm(p, task));
	return xasprintf("%s (%" PRIu32 ")", frame_comm(p, task), p->tasks.data[task].tid);
}

uint64_t frame_weight_limit(const struct profile *p, const struct filter_result *samples)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < samples->samples.len; i++) {
		if (__builtin_add_overflow(sum, p->samples.data[samples->samples.data[i]].weight,
					   &sum))
			return UINT64_MAX / samples->samples.len;
	}
	return UINT64_MAX;
}
