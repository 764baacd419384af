/*
 * pmu/term=value,…/ → what to open, on each PMU that is meant: the one of this name, else all
 * instances of it (uncore_imc for uncore_imc_0 to _7), else all that a glob matches. And names of a
 * PMU's events without the PMU.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/spec_cores.h"
#include "event/spec_pmu.h"

/* Their configs hold addresses in the caller's memory or places in programs, not numbers. */
static const char *refused_pmu(const char *name)
{
	if (strcmp(name, "breakpoint") == 0)
		return "breakpoints cannot be sampled by name: prof has no address to watch";
	if (strcmp(name, "uprobe") == 0 || strcmp(name, "kprobe") == 0)
		return SPEC_NO_PROBES;
	return NULL;
}

struct search {
	const char *root;
	char *name;	   /* as typed: a name, or a glob */
	const char *terms; /* or the name of an event */
	const struct spec_cores *cores;
	struct event_list *out;
	size_t matches;
	struct error *err; /* the first PMU's */
};

static char *name_of(const struct pmu *pmu, const char *terms)
{
	return xasprintf("%s/%s/", pmu->name, terms);
}

static int push_event(const struct search *s, const struct pmu *pmu, struct error *err)
{
	struct event_spec spec = { 0 };

	if (pmu_apply_terms(pmu, s->terms, &spec, err) < 0) {
		event_spec_release(&spec);
		return -1;
	}
	if (!spec.name)
		spec.name = name_of(pmu, s->terms);
	pmu_place(pmu, &spec);
	vec_push(&s->out->items, spec);
	return 0;
}

static bool is_instance(const char *typed, const char *name)
{
	size_t family = pmu_family_length(name), len = strlen(typed);

	if (family == strlen(name))
		return false;
	return (len == family && strncmp(name, typed, len) == 0) ||
	       (strncmp(name, "uncore_", 7) == 0 && len == family - 7 &&
		strncmp(name + 7, typed, len) == 0);
}

/* An instance that lacks the event is passed over when another has it. */
static int try_instance(void *ctx, struct pmu *pmu)
{
	struct search *s = ctx;
	struct error why = { 0 };

	if (!is_instance(s->name, pmu->name) && fnmatch(s->name, pmu->name, 0) != 0)
		return 0;
	if (refused_pmu(pmu->name))
		return 0;
	s->matches++;
	pmu->is_mixed = spec_cores_is_mixed(s->cores, pmu->name);
	if (push_event(s, pmu, &why) < 0 && s->err)
		error_set(s->err, why.code, "%s", why.text);
	return 0;
}

static int suggest_pmu(void *ctx, struct pmu *pmu)
{
	spec_suggestions_consider(ctx, pmu->name);
	return 0;
}

static int no_pmu(const struct search *s)
{
	struct spec_suggestions near;
	char hint[256];

	spec_suggestions_init(&near, s->name);
	pmu_each(s->root, suggest_pmu, &near);
	if (strcmp(s->name, "cpu") == 0 && s->cores->items.len > 1)
		snprintf(hint, sizeof(hint), "; the cores' are %s and %s",
			 s->cores->items.data[0].name, s->cores->items.data[1].name);
	else if (!spec_suggestions_line(&near, hint, sizeof(hint)))
		snprintf(hint, sizeof(hint), " (see `ls %s`)", s->root);
	char *shown = text_printable(s->name);
	error_set(s->err, ERROR_NOT_FOUND, "no PMU \"%s\" here%s", shown, hint);
	free(shown);
	return -1;
}

static int push_instances(struct search *s)
{
	struct error first = { 0 }, *err = s->err;
	size_t before = s->out->items.len;

	s->err = &first;
	pmu_each(s->root, try_instance, s);
	s->err = err;
	if (s->out->items.len > before)
		return 0;
	if (s->matches)
		return error_set(err, first.code, "%s", first.text);
	return no_pmu(s);
}

static int push_named(struct search *s)
{
	struct pmu pmu;
	int result;

	if (!pmu_open(&pmu, s->root, s->name, strlen(s->name))) {
		result = push_instances(s);
	} else if (refused_pmu(pmu.name)) {
		result = error_set(s->err, ERROR_UNSUPPORTED, "%s", refused_pmu(pmu.name));
	} else {
		pmu.is_mixed = spec_cores_is_mixed(s->cores, pmu.name);
		result = push_event(s, &pmu, s->err);
	}
	pmu_release(&pmu);
	return result;
}

static void set_asked_name(const struct event_list *out, size_t from, const char *text)
{
	bool is_set = out->items.len - from > 1;

	for (size_t i = from; i < out->items.len; i++) {
		struct event_spec *s = &out->items.data[i];
		s->asked_name = xstrdup(is_set ? text : s->name);
	}
}

static bool is_pmu_name(const char *s)
{
	size_t len = strlen(s);

	for (size_t i = 0; i < len; i++)
		if (!strchr("*?[]", s[i]) && !pmu_is_plain_name(s + i, 1) && s[i] != '.')
			return false;
	return len > 0 && s[0] != '.';
}

static enum spec_answer resolve_terms(struct search *s, const char *text)
{
	const char *slash = strchr(text, '/');
	size_t len = strlen(text);

	if (text[len - 1] != '/' || slash == text + len - 1 ||
	    strchr(slash + 1, '/') < text + len - 1)
		return SPEC_NOT_MINE;
	s->name = xstrndup(text, (size_t)(slash - text));
	if (!is_pmu_name(s->name))
		return SPEC_NOT_MINE;
	char *terms = xstrndup(slash + 1, (size_t)(text + len - 1 - (slash + 1)));
	s->terms = terms;
	int result = push_named(s);
	free(terms);
	return result < 0 ? SPEC_ERROR : SPEC_FOUND;
}

/* A name like mem-loads: which PMUs have it. */
struct owners {
	const char *event;
	struct pmu first; /* name only */
	char other[64];	  /* one of another family */
	bool of_cores;
	size_t count;
};

static int find_owner(void *ctx, struct pmu *pmu)
{
	struct owners *o = ctx;

	if (pmu->is_core != o->of_cores || !pmu_has(pmu, "events", o->event))
		return 0;
	size_t len = pmu_family_length(o->first.name);
	if (o->count++ == 0)
		memcpy(o->first.name, pmu->name, sizeof(o->first.name));
	else if (!o->of_cores && (len != pmu_family_length(pmu->name) ||
				  strncmp(o->first.name, pmu->name, len) != 0))
		memcpy(o->other, pmu->name, sizeof(o->other));
	return 0;
}

static int push_owner(void *ctx, struct pmu *pmu)
{
	struct search *s = ctx;

	if (!pmu->is_core || !pmu_has(pmu, "events", s->terms))
		return 0;
	pmu->is_mixed = spec_cores_is_mixed(s->cores, pmu->name);
	return push_event(s, pmu, s->err);
}

static enum spec_answer push_of_family(struct search *s, const struct owners *o)
{
	if (o->other[0]) {
		error_set(s->err, ERROR_USAGE,
			  "several PMUs have an event %s; name one, as in %s/%s/ or %s/%s/",
			  o->event, o->first.name, o->event, o->other, o->event);
		return SPEC_ERROR;
	}
	size_t len = o->count > 1 ? pmu_family_length(o->first.name) : strlen(o->first.name);
	s->name = xstrndup(o->first.name, len);
	return push_named(s) < 0 ? SPEC_ERROR : SPEC_FOUND;
}

static enum spec_answer resolve_bare(struct search *s, const char *name)
{
	struct owners o = { .event = name, .of_cores = true };

	if (!pmu_is_plain_name(name, strlen(name)) || pmu_is_attribute_file(name))
		return SPEC_NOT_MINE;
	s->terms = name;
	pmu_each(s->root, find_owner, &o);
	if (o.count)
		return pmu_each(s->root, push_owner, s) < 0 ? SPEC_ERROR : SPEC_FOUND;
	o.of_cores = false;
	pmu_each(s->root, find_owner, &o);
	return o.count ? push_of_family(s, &o) : SPEC_NOT_MINE;
}

enum spec_answer spec_pmu_resolve(const char *root, const char *text, struct event_list *out,
				  struct error *err)
{
	struct spec_cores cores = { 0 };
	struct search s = { .root = root, .cores = &cores, .out = out, .err = err };
	size_t from = out->items.len;

	if (!strchr(text, '/') && !pmu_is_plain_name(text, strlen(text)))
		return SPEC_NOT_MINE;
	spec_cores_read(&cores, root);
	enum spec_answer answer =
		strchr(text, '/') ? resolve_terms(&s, text) : resolve_bare(&s, text);
	if (answer == SPEC_FOUND)
		set_asked_name(out, from, text);
	free(s.name);
	spec_cores_release(&cores);
	return answer;
}

static int place_if_same(void *ctx, struct pmu *pmu)
{
	struct event_spec *spec = ctx;
	struct spec_cores cores = { 0 };

	if (pmu->type != spec->type)
		return 0;
	spec_cores_read(&cores, pmu->root);
	pmu->is_mixed = spec_cores_is_mixed(&cores, pmu->name);
	pmu_place(pmu, spec);
	spec_cores_release(&cores);
	return 1;
}

void spec_pmu_place(const char *root, struct event_spec *spec)
{
	pmu_each(root, place_if_same, spec);
}
