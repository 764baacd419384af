/* The list of filters. */
#include "tui/filters.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/frames.h"
#include "base/text.h"

static const struct {
	const char *option, *words;
	size_t offset; /* in filter_spec */
} kinds[FILTER_KINDS] = {
	[FILTER_TIME] = { "time", "time ", offsetof(struct filter_spec, time) },
	[FILTER_COMM] = { "comm", "command ", offsetof(struct filter_spec, comm) },
	[FILTER_PID] = { "pid", "process ", offsetof(struct filter_spec, pid) },
	[FILTER_TID] = { "tid", "thread ", offsetof(struct filter_spec, tid) },
	[FILTER_MODULE] = { "module", "in ", offsetof(struct filter_spec, module) },
	[FILTER_SYMBOL] = { "symbol", "in ", offsetof(struct filter_spec, symbol) },
	[FILTER_EVENT] = { "event", "event ", offsetof(struct filter_spec, event) },
	[FILTER_FOCUS] = { "focus", "only ", offsetof(struct filter_spec, focus) },
	[FILTER_IGNORE] = { "ignore", "without ", offsetof(struct filter_spec, ignore) },
	[FILTER_HIDE] = { "hide", "hidden ", SIZE_MAX },
};

static const char **field(struct filter_spec *spec, enum filter_kind kind)
{
	return (const char **)(void *)((char *)spec + kinds[kind].offset);
}

static void push(struct filters *f, enum filter_kind kind, const char *word, const char *label)
{
	struct filter_item item = { kind, xstrdup(word), xstrdup(label ? label : word) };

	vec_push(&f->items, item);
}

void filters_from_spec(struct filters *f, const struct filter_spec *spec)
{
	struct filter_spec copy = *spec;

	memset(f, 0, sizeof(*f));
	for (int kind = 0; kind < FILTER_HIDE; kind++) {
		const char *word = *field(&copy, (enum filter_kind)kind);
		if (word)
			push(f, (enum filter_kind)kind, word, NULL);
	}
	for (size_t i = 0; spec->focuses && spec->focuses[i]; i++)
		push(f, FILTER_FOCUS, spec->focuses[i], NULL);
	for (size_t i = 0; spec->ignores && spec->ignores[i]; i++)
		push(f, FILTER_IGNORE, spec->ignores[i], NULL);
}

void filters_copy(struct filters *to, const struct filters *from)
{
	memset(to, 0, sizeof(*to));
	for (size_t i = 0; i < from->items.len; i++)
		push(to, from->items.data[i].kind, from->items.data[i].word,
		     from->items.data[i].label);
}

void filters_release(struct filters *f)
{
	while (f->items.len)
		filters_remove(f, f->items.len - 1);
	vec_release(&f->items);
}

void filters_remove(struct filters *f, size_t item)
{
	free(f->items.data[item].word);
	free(f->items.data[item].label);
	f->items.len--;
	memmove(&f->items.data[item], &f->items.data[item + 1],
		(f->items.len - item) * sizeof(*f->items.data));
}

void filters_remove_kind(struct filters *f, enum filter_kind kind)
{
	for (size_t i = f->items.len; i-- > 0;)
		if (f->items.data[i].kind == kind)
			filters_remove(f, i);
}

void filters_add(struct filters *f, enum filter_kind kind, const char *word, const char *label)
{
	if (kind < FILTER_FOCUS)
		filters_remove_kind(f, kind);
	push(f, kind, word, label);
}

char *filter_item_text(const struct filter_item *item)
{
	CLEANUP_FREE char *label = text_printable(item->label);

	return xasprintf("%s%s", kinds[item->kind].words, label);
}

int filters_apply(const struct filters *f, const struct profile *p, struct filter_result *out,
		  uint32_t *event, struct error *err)
{
	struct filter_spec spec = { 0 };
	struct filter *filter;
	VEC(const char *) focuses = { 0 }, ignores = { 0 };

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < f->items.len; i++) {
		const struct filter_item *item = &f->items.data[i];
		if (item->kind == FILTER_FOCUS)
			vec_push(&focuses, item->word);
		else if (item->kind == FILTER_IGNORE)
			vec_push(&ignores, item->word);
		else if (item->kind != FILTER_HIDE)
			*field(&spec, item->kind) = item->word;
	}
	vec_push(&focuses, NULL);
	vec_push(&ignores, NULL);
	spec.focuses = focuses.data;
	spec.ignores = ignores.data;
	int rc = filter_new(&filter, p, &spec, err);
	if (rc == 0) {
		*event = filter_event(filter);
		filter_apply(filter, out);
		filter_free(filter);
	}
	vec_release(&focuses);
	vec_release(&ignores);
	return rc;
}

static void append_item(const struct filter_item *item, struct bytes *out)
{
	bytes_printf(out, " --%s ", kinds[item->kind].option);
	text_append_word(out, item->word);
}

void filters_append_words(const struct filters *f, struct bytes *out)
{
	for (size_t i = 0; i < f->items.len; i++)
		append_item(&f->items.data[i], out);
}

void filters_append_kind(const struct filters *f, enum filter_kind kind, struct bytes *out)
{
	for (size_t i = 0; i < f->items.len; i++)
		if (f->items.data[i].kind == kind)
			append_item(&f->items.data[i], out);
}

/* ---- hidden frames ---- */

int hidden_compile(struct hidden *h, const struct filters *f, const struct profile *p,
		   struct error *err)
{
	memset(h, 0, sizeof(*h));
	for (size_t i = 0; i < f->items.len; i++) {
		const struct filter_item *item = &f->items.data[i];
		if (item->kind == FILTER_HIDE &&
		    patterns_add_regex(&h->patterns, "--hide", item->word, p, err) < 0) {
			hidden_release(h);
			return -1;
		}
	}
	return 0;
}

void hidden_release(struct hidden *h)
{
	patterns_release(&h->patterns);
}

bool hidden_hides(const void *context, const struct calltree *t, const struct calltree_key *key)
{
	struct patterns patterns = ((const struct hidden *)context)->patterns;
	struct pattern_code code = frame_code_of_module(t->profile, key->module);

	code.name = key->name;
	code.file = profile_str(t->profile, key->file);
	return patterns_match_code(&patterns, &code);
}
