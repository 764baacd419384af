/* Finding frames. */
#include "tui/search.h"

#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/frames.h"
#include "output/flame.h"

#define SMALL_TREE ((size_t)200000)  /* nodes of a bottom-up tree that are gone over at once */
#define MOST_NODES ((size_t)8 << 20) /* and that are at all */

enum scope { SCOPE_NAME, SCOPE_MODULE, SCOPE_FILE };

struct matcher {
	regex_t regex;
	const char *module; /* the module that it is about, as it is called; NULL: see regex */
	enum scope scope;
};

static bool has_capital(const char *text)
{
	for (; *text; text++) {
		if (*text == '\\' && text[1])
			text++;
		else if (isupper((unsigned char)*text))
			return true;
	}
	return false;
}

static const char *skip_scope(const char *text, enum scope *scope)
{
	*scope = SCOPE_NAME;
	if (strncmp(text, "module:", 7) == 0) {
		*scope = SCOPE_MODULE;
		return text + 7;
	}
	if (strncmp(text, "file:", 5) == 0) {
		*scope = SCOPE_FILE;
		return text + 5;
	}
	return text;
}

static bool matcher_init(struct matcher *m, const struct profile *p, const char *text,
			 bool minds_case, struct error *err)
{
	const char *pattern = skip_scope(text, &m->scope);

	m->module = m->scope == SCOPE_MODULE && frame_has_module(p, pattern) ? pattern : NULL;
	if (m->module)
		return true;
	int flags = REG_EXTENDED | REG_NOSUB | (minds_case || has_capital(pattern) ? 0 : REG_ICASE);
	int rc = regcomp(&m->regex, pattern, flags);
	char why[128];

	if (rc == 0)
		return true;
	regerror(rc, &m->regex, why, sizeof(why));
	if (strstr(pattern, "(?")) {
		error_set(err, ERROR_USAGE, "(? is not of POSIX extended regular expressions");
		return false;
	}
	error_set(err, ERROR_USAGE, "%s", why);
	return false;
}

static void matcher_release(struct matcher *m)
{
	if (!m->module)
		regfree(&m->regex);
}

int search_check(const struct profile *p, const char *text, struct error *err)
{
	struct matcher m;

	if (!matcher_init(&m, p, text, false, err))
		return -1;
	matcher_release(&m);
	return 0;
}

static bool fits(const struct matcher *m, const struct profile *p, const char *name,
		 uint32_t module, uint32_t file)
{
	struct pattern_code code = frame_code_of_module(p, module);
	const char *text = m->scope == SCOPE_MODULE ? code.module
			   : m->scope == SCOPE_FILE ? profile_str(p, file)
						    : name;

	if (m->module)
		return strcmp(code.module, m->module) == 0 || strcmp(code.path, m->module) == 0;
	return regexec(&m->regex, text, 0, NULL, 0) == 0;
}

static bool *find_keys(const struct matcher *m, const struct calltree *t)
{
	bool *hits = xcalloc(t->keys.len + 1, sizeof(*hits));

	for (size_t i = 1; i < t->keys.len; i++) {
		const struct calltree_key *k = &t->keys.data[i];
		hits[i] = fits(m, t->profile, k->name, k->module, k->file);
	}
	return hits;
}

/* The functions that callers are of are in the other tree. */
static bool is_function_itself(const struct calltree *t, struct place at)
{
	return at.tree == 1 && t->nodes.data[at.node].parent == 0;
}

/* Parents precede children. */
static void sum(struct search *s, const struct calltree *t)
{
	bool *inside = xcalloc(t->nodes.len, sizeof(*inside));

	for (uint32_t i = 1; i < t->nodes.len; i++) {
		const struct calltree_node *n = &t->nodes.data[i];
		bool hit = s->hits[0][n->key];
		inside[i] = hit || inside[n->parent];
		s->frames += hit;
		if (!hit || inside[n->parent])
			continue;
		s->weight += n->total;
	}
	free(inside);
}

static uint64_t count_callers(const struct search *s, const struct calltree *t)
{
	uint64_t count = 0;

	for (struct place at = { 1, 1 }; at.node < t->nodes.len; at.node++)
		count += s->hits[1][t->nodes.data[at.node].key] && !is_function_itself(t, at);
	return count;
}

void search_release(struct search *s)
{
	free(s->text);
	free(s->hits[0]);
	free(s->hits[1]);
	vec_release(&s->order);
	memset(s, 0, sizeof(*s));
}

static void count(struct search *s, const struct view *v)
{
	sum(s, &v->trees[0]);
	if (v->tree_count > 1)
		s->frames += count_callers(s, &v->trees[1]);
}

void search_count(struct search *s, struct view *v)
{
	if (s->is_counted || !search_is_on(s))
		return;
	s->is_cut = !view_open_all(v, MOST_NODES);
	s->is_counted = true;
	s->weight = 0;
	count(s, v);
}

void search_run(struct search *s, struct view *v, const char *text, bool minds_case)
{
	struct matcher m;
	char *copy = text && *text ? xstrdup(text) : NULL;

	if (copy && !matcher_init(&m, v->profile, copy, minds_case, NULL))
		free_ptr(&copy);
	search_release(s);
	s->text = copy;
	s->minds_case = minds_case;
	if (!copy)
		return;
	s->is_counted = view_open_all(v, SMALL_TREE);
	for (unsigned i = 0; i < v->tree_count; i++)
		s->hits[i] = find_keys(&m, &v->trees[i]);
	if (s->is_counted)
		count(s, v);
	else
		s->weight = bottom_up_weight(v->planted->bottom_up, s->hits[0]);
	s->is_module = m.module != NULL;
	matcher_release(&m);
}

void search_order(struct search *s, const struct view *v)
{
	if (s->has_order || !s->is_counted || !search_is_on(s))
		return;
	for (struct place at = { 0, 0 }; at.tree < v->tree_count; at.tree++) {
		const struct calltree *t = &v->trees[at.tree];
		for (at.node = flame_next(t, 0, false); at.node != PROFILE_NONE;
		     at.node = flame_next(t, at.node, false))
			if (search_hits(s, v, at.tree, at.node) && !is_function_itself(t, at))
				vec_push(&s->order, at);
	}
	s->has_order = true;
}

size_t search_index(const struct search *s, struct place at)
{
	for (size_t i = 0; i < s->order.len; i++)
		if (same_place(s->order.data[i], at))
			return i;
	return SIZE_MAX;
}

bool *search_rows(const struct search *s, const struct view *v, const struct flat *f)
{
	struct matcher m;
	bool *found = xcalloc(f->rows.len + 1, sizeof(*found));
	bool all = !search_is_on(s) || !matcher_init(&m, v->profile, s->text, s->minds_case, NULL);

	for (size_t i = 0; i < f->rows.len; i++) {
		const struct flat_row *row = &f->rows.data[i];
		found[i] = all || fits(&m, v->profile, row->name, row->module, row->file);
	}
	if (!all)
		matcher_release(&m);
	return found;
}

/* --focus and its like mind the case. */
char *search_word(const struct search *s)
{
	enum scope scope;
	const char *pattern = s->text ? skip_scope(s->text, &scope) : NULL;

	if (!search_is_on(s))
		return NULL;
	if (s->minds_case || s->is_module || has_capital(pattern) || strchr(pattern, '['))
		return xstrdup(s->text);
	struct bytes out = { 0 };
	bytes_append(&out, s->text, (size_t)(pattern - s->text));
	for (const char *at = pattern; *at; at++) {
		int upper = toupper((unsigned char)*at);
		if (*at == '\\' && at[1])
			bytes_append(&out, at++, 2);
		else if (upper != (unsigned char)*at)
			bytes_printf(&out, "[%c%c]", *at, upper);
		else
			bytes_u8(&out, (uint8_t)*at);
	}
	bytes_u8(&out, '\0');
	return (char *)out.data;
}
