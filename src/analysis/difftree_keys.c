/*
 * What is the same in two profiles. Modules: by path; else by the last part of it, since a rebuilt
 * program may lie elsewhere; else the one program of each that is left. Functions: by name and
 * module. Code without a name is told apart by address in the same build only, else it is one row
 * for each module.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/difftree_parts.h"
#include "analysis/frames.h"

/* A module that a side's tree uses. */
struct used {
	uint32_t module; /* of the profile */
	uint32_t to;	 /* of names, PROFILE_NONE: none yet */
	uint8_t kind;	 /* enum code_kind */
};

struct matcher {
	struct difftree *diff;
	const struct profile *profile[DIFF_SIDES];
	VEC(struct used) used[DIFF_SIDES];
};

static const struct profile_module *module_of(const struct matcher *m, int side,
					      const struct used *u)
{
	return &m->profile[side]->modules.data[u->module];
}

static const char *path_of(const struct matcher *m, int side, const struct used *u)
{
	return profile_str(m->profile[side], module_of(m, side, u)->path);
}

static void find_used(struct matcher *m, int side, const struct calltree *t)
{
	const struct profile *p = t->profile;
	bool *seen = xcalloc(p->modules.len + 1, sizeof(*seen));

	m->profile[side] = p;
	for (size_t i = 0; i < t->keys.len; i++) {
		uint32_t module = t->keys.data[i].module;
		if (module >= p->modules.len || seen[module])
			continue;
		seen[module] = true;
		struct used u = { module, PROFILE_NONE, frame_code_kind(p, module) };
		vec_push(&m->used[side], u);
	}
	free(seen);
}

static uint32_t add_module(struct matcher *m, int side, struct used *u)
{
	const struct profile_module *from = module_of(m, side, u);
	struct strtab *strings = &m->diff->names.strings;
	struct profile_module module = {
		.path = strtab_add_str(strings, path_of(m, side, u)),
		.build_id = strtab_add_str(strings, profile_str(m->profile[side], from->build_id)),
		.kind = from->kind,
		.identity = from->identity,
	};

	vec_push(&m->diff->names.modules, module);
	u->to = (uint32_t)m->diff->names.modules.len - 1;
	return u->to;
}

/* What a module is matched by, NULL: not in this way. The caller frees. */
typedef char *label(const struct matcher *m, int side, const struct used *u);

static char *whole_path(const struct matcher *m, int side, const struct used *u)
{
	return xasprintf("%u %s", u->kind, path_of(m, side, u));
}

/* There is one kernel, and generated code is in files whose names have numbers in them. */
static char *last_part(const struct matcher *m, int side, const struct used *u)
{
	bool is_one = u->kind == CODE_KERNEL || u->kind == CODE_JIT;

	return xasprintf("%u %s", u->kind,
			 is_one ? "" : frame_module_name(m->profile[side], u->module));
}

static char *any_program(const struct matcher *m, int side, const struct used *u)
{
	(void)m;
	(void)side;
	return u->kind == CODE_USER ? xstrdup("program") : NULL;
}

struct rivals { /* modules of one label that are not matched */
	size_t count[DIFF_SIDES], last[DIFF_SIDES];
};

static void match_pair(struct matcher *m, const struct rivals *r)
{
	if (r->count[DIFF_BASE] != 1 || r->count[DIFF_NEW] != 1)
		return;
	struct used *base = &m->used[DIFF_BASE].data[r->last[DIFF_BASE]];
	base->to = add_module(m, DIFF_NEW, &m->used[DIFF_NEW].data[r->last[DIFF_NEW]]);
}

/* Match what is alone on both sides. */
static void match_by(struct matcher *m, label *label_of)
{
	struct strtab labels;
	VEC(struct rivals) rivals = { 0 };

	strtab_init(&labels);
	for (int side = 0; side < DIFF_SIDES; side++) {
		for (size_t i = 0; i < m->used[side].len; i++) {
			const struct used *u = &m->used[side].data[i];
			CLEANUP_FREE char *text =
				u->to == PROFILE_NONE ? label_of(m, side, u) : NULL;
			if (!text)
				continue;
			uint32_t id = strtab_add_str(&labels, text);
			while (rivals.len <= id)
				vec_push(&rivals, (struct rivals){ 0 });
			rivals.data[id].count[side]++;
			rivals.data[id].last[side] = i;
		}
	}
	for (size_t id = 0; id < rivals.len; id++)
		match_pair(m, &rivals.data[id]);
	vec_release(&rivals);
	strtab_release(&labels);
}

/* What is left. Of one path there may be several: what was rebuilt during the run. */
static void match_others(struct matcher *m)
{
	struct strtab paths;
	struct hmap of_path = { 0 };

	strtab_init(&paths);
	for (int side = DIFF_NEW; side >= DIFF_BASE; side--) {
		for (size_t i = 0; i < m->used[side].len; i++) {
			struct used *u = &m->used[side].data[i];
			CLEANUP_FREE char *path = whole_path(m, side, u);
			uint32_t id = strtab_add_str(&paths, path);
			if (u->to == PROFILE_NONE)
				u->to = hmap_get(&of_path, id);
			if (u->to == HMAP_NONE)
				add_module(m, side, u);
			hmap_put(&of_path, id, u->to);
		}
	}
	hmap_release(&of_path);
	strtab_release(&paths);
}

static const char *build_of(const struct matcher *m, int side, size_t i)
{
	return profile_str(m->profile[side], module_of(m, side, &m->used[side].data[i])->build_id);
}

/* Modules that both sides have, in builds where addresses differ. */
static void mark_rebuilt(struct matcher *m, struct diff_keys *keys)
{
	size_t count = m->diff->names.modules.len;
	uint32_t *in_base = xrealloc_array(NULL, count, sizeof(*in_base));

	memset(in_base, 0xff, count * sizeof(*in_base));
	for (size_t i = 0; i < m->used[DIFF_BASE].len; i++)
		in_base[m->used[DIFF_BASE].data[i].to] = (uint32_t)i;
	while (keys->rebuilt.len < count)
		vec_push(&keys->rebuilt, 0);
	for (size_t i = 0; i < m->used[DIFF_NEW].len; i++) {
		uint32_t to = m->used[DIFF_NEW].data[i].to;
		if (in_base[to] == PROFILE_NONE || m->profile[DIFF_BASE] == m->profile[DIFF_NEW])
			continue;
		const char *base = build_of(m, DIFF_BASE, in_base[to]),
			   *new = build_of(m, DIFF_NEW, i);
		keys->rebuilt.data[to] |= *new == '\0' || strcmp(base, new) != 0;
	}
	free(in_base);
}

void diff_match_modules(struct difftree *d, struct diff_input inputs[DIFF_SIDES],
			struct diff_keys *keys)
{
	struct matcher m = { .diff = d };

	for (int side = 0; side < DIFF_SIDES; side++)
		find_used(&m, side, &inputs[side].tree);
	match_by(&m, whole_path);
	match_by(&m, last_part);
	match_by(&m, any_program);
	match_others(&m);
	mark_rebuilt(&m, keys);
	for (int side = 0; side < DIFF_SIDES; side++) {
		size_t count = m.profile[side]->modules.len;
		inputs[side].module = xrealloc_array(NULL, count, sizeof(uint32_t));
		memset(inputs[side].module, 0xff, count * sizeof(uint32_t));
		for (size_t i = 0; i < m.used[side].len; i++)
			inputs[side].module[m.used[side].data[i].module] = m.used[side].data[i].to;
		vec_release(&m.used[side]);
	}
	strtab_init(&keys->texts);
}

static uint32_t shown_module(const struct diff_input *in, uint32_t module)
{
	return module < in->source.profile->modules.len ? in->module[module] : PROFILE_NONE;
}

/* Text without the address, for code that cannot be compared by it. The caller frees. */
static char *key_text(const struct diff_keys *keys, const struct calltree_key *key, uint32_t module)
{
	const struct profile *names = &keys->diff->names;

	if (module == PROFILE_NONE || !keys->rebuilt.data[module] ||
	    !frame_is_unknown_name(key->name))
		return xstrdup(key->name);
	return xasprintf("[unknown %s]", frame_module_name(names, module));
}

static bool says_no_module(const struct difftree *d, uint32_t module)
{
	return module != PROFILE_NONE &&
	       profile_str(&d->names, d->names.modules.data[module].path)[0] == '\0';
}

/* Folded stacks do not say which module a function is in: any of its name will do. */
static uint32_t find_by_text(const struct diff_keys *keys, uint32_t text, uint32_t module)
{
	uint32_t key = hmap_get(&keys->by_text, text);

	if (key == HMAP_NONE)
		return PROFILE_NONE;
	uint32_t other = keys->diff->tree.keys.data[key].module;
	return says_no_module(keys->diff, module) || says_no_module(keys->diff, other)
		       ? key
		       : PROFILE_NONE;
}

static uint32_t add_key(struct diff_keys *keys, const struct diff_input *in,
			const struct calltree_key *from, char *text, uint32_t module)
{
	struct calltree_key key = {
		.name = text, .own_name = text, .module = module, .kind = from->kind
	};

	key.file = strtab_add_str(&keys->diff->names.strings,
				  profile_str(in->source.profile, from->file));
	key.line = from->line;
	vec_push(&keys->diff->tree.keys, key);
	return (uint32_t)keys->diff->tree.keys.len - 1;
}

uint32_t diff_key(struct diff_keys *keys, int side, uint32_t key)
{
	const struct diff_input *in = &keys->inputs[side];
	const struct calltree_key *from = &in->tree.keys.data[key];
	uint32_t module = shown_module(in, from->module);
	char *text = key_text(keys, from, module);
	uint32_t id = strtab_add_str(&keys->texts, text);
	uint32_t *slot = pairmap_at(&keys->map, (uint64_t)id << 32 | module,
				    module == PROFILE_NONE ? from->kind : 0);

	if (*slot == PAIRMAP_NONE && module != PROFILE_NONE)
		*slot = find_by_text(keys, id, module);
	if (*slot != PAIRMAP_NONE) {
		free(text);
		return *slot;
	}
	*slot = add_key(keys, in, from, text, module);
	if (module != PROFILE_NONE && hmap_get(&keys->by_text, id) == HMAP_NONE)
		hmap_put(&keys->by_text, id, *slot);
	return *slot;
}

void diff_keys_release(struct diff_keys *keys)
{
	strtab_release(&keys->texts);
	pairmap_release(&keys->map);
	hmap_release(&keys->by_text);
	vec_release(&keys->rebuilt);
}
