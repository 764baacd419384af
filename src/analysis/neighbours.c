/* Callers and callees, cut out of the upright call tree. */
#include "analysis/neighbours.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/build.h"
#include "analysis/near.h"
#include "analysis/pairmap.h"
#include "analysis/pattern.h"

static int no_such_function(const struct calltree *t, const char *option, const char *pattern,
			    struct error *err)
{
	struct near near;
	struct bytes hint = { 0 };
	CLEANUP_FREE uint64_t *weights = xcalloc(t->keys.len, sizeof(*weights));

	for (size_t i = 0; i < t->nodes.len; i++)
		weights[t->nodes.data[i].key] += t->nodes.data[i].self;
	near_init(&near, pattern);
	for (size_t i = 1; i < t->keys.len; i++) {
		uint8_t kind = t->keys.data[i].kind;
		if (kind != CODE_SYNTHETIC && kind != CODE_UNKNOWN)
			near_offer_weighted(&near, t->keys.data[i].name, weights[i]);
	}
	near_append(&near, &hint);
	bytes_u8(&hint, '\0');
	error_set(err, ERROR_NOT_FOUND, "%s '%s': no such function in these samples%s", option,
		  pattern, (const char *)hint.data);
	bytes_release(&hint);
	return -1;
}

/* Per key: it fits the pattern. NULL with an error when none does. */
static bool *find_keys(const struct calltree *t, const char *option, const char *pattern,
		       struct error *err)
{
	struct patterns ps;
	bool *fits = xcalloc(t->keys.len, sizeof(*fits)), any = false;

	if (patterns_parse(&ps, option, pattern, err) == 0) {
		for (size_t i = 1; i < t->keys.len; i++)
			patterns_see_function(&ps, t->keys.data[i].name);
		for (size_t i = 1; i < t->keys.len; i++) {
			fits[i] = patterns_match_function(&ps, t->keys.data[i].name);
			any |= fits[i];
		}
		if (!any)
			no_such_function(t, option, pattern, err);
	}
	patterns_release(&ps);
	if (!any)
		free_ptr(&fits);
	return fits;
}

/* Per node: it fits, and so does no caller. Parents precede children. */
static bool *find_tops(const struct calltree *t, const bool *fits)
{
	size_t n = t->nodes.len;
	bool *inside = xcalloc(n, sizeof(*inside)), *tops = xcalloc(n, sizeof(*tops));

	for (size_t i = 1; i < n; i++) {
		const struct calltree_node *node = &t->nodes.data[i];
		tops[i] = fits[node->key] && !inside[node->parent];
		inside[i] = tops[i] || inside[node->parent];
	}
	free(inside);
	return tops;
}

/* The subtrees below tops, merged. */
static void merge_subtrees(struct calltree *t, const struct calltree *upright, const bool *tops)
{
	struct pairmap children = { NULL, 0, 0 };
	uint32_t *place = xcalloc(upright->nodes.len, sizeof(*place)); /* 0: outside */

	for (size_t i = 1; i < upright->nodes.len; i++) {
		const struct calltree_node *n = &upright->nodes.data[i];
		if (!tops[i] && !place[n->parent])
			continue;
		place[i] = calltree_child_like(t, &children, tops[i] ? 0 : place[n->parent], n);
		t->nodes.data[place[i]].self += n->self;
		t->nodes.data[place[i]].self_count += n->self_count;
	}
	free(place);
	pairmap_release(&children);
}

/* Build the upright tree and find where pattern stands in it. */
static int find(struct calltree *upright, bool **tops, const struct profile *p,
		const struct filter_result *samples, uint32_t event,
		const struct calltree_options *options, const char *option, const char *pattern,
		struct error *err)
{
	struct calltree_options frames = *options;

	frames.by_thread = frames.by_comm = false;
	calltree_build_upright(upright, p, samples, event, &frames, NULL);
	bool *fits = find_keys(upright, option, pattern, err);
	if (!fits) {
		calltree_release(upright);
		return -1;
	}
	*tops = find_tops(upright, fits);
	free(fits);
	return 0;
}

static void tree_init(struct calltree *t, const struct profile *p, uint32_t event)
{
	memset(t, 0, sizeof(*t));
	t->profile = p;
	t->event = event;
}

int calltree_callees(struct calltree *t, const struct profile *p,
		     const struct filter_result *samples, uint32_t event,
		     const struct calltree_options *options, const char *option,
		     const char *pattern, struct error *err)
{
	struct calltree upright;
	bool *tops;

	if (find(&upright, &tops, p, samples, event, options, option, pattern, err) < 0)
		return -1;
	tree_init(t, p, event);
	calltree_take_root(t, &upright);
	merge_subtrees(t, &upright, tops);
	free(tops);
	calltree_release(&upright);
	calltree_finish(t);
	return 0;
}

int calltree_callers(struct calltree *t, const struct profile *p,
		     const struct filter_result *samples, uint32_t event,
		     const struct calltree_options *options, const char *option,
		     const char *pattern, struct error *err)
{
	struct calltree upright;
	bool *tops;

	if (find(&upright, &tops, p, samples, event, options, option, pattern, err) < 0)
		return -1;
	tree_init(t, p, event);
	calltree_invert(t, &upright, tops, NULL);
	free(tops);
	calltree_release(&upright);
	calltree_finish(t);
	return 0;
}
