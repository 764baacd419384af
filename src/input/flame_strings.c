/* See flame_strings.h. */
#include "input/flame_strings.h"

#include <string.h>

#include "base/text.h"

#define COUNT_MAX ((uint64_t)4 << 20)
#define TEXT_MAX  ((size_t)256 << 20)

struct decoder {
	struct flame_tree *tree;
	struct bytes_reader *r;
	VEC(struct flame_string) words;
};

static void split_lines(struct decoder *d, const char *at, const char *end)
{
	while (at) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		struct flame_string s = { at, (size_t)((newline ? newline : end) - at) };
		vec_push(&d->words, s);
		at = newline ? newline + 1 : NULL;
	}
}

/* Version 1: the strings, joined. Version 2: the words that strings are made of. */
static uint64_t read_words(struct decoder *d)
{
	uint64_t count = reader_varint(d->r), len = reader_varint(d->r);
	const char *at = (const char *)reader_take(d->r, len);

	d->r->failed |= !at || count == 0 || count > COUNT_MAX;
	if (!d->r->failed)
		split_lines(d, at, at + len);
	return count;
}

/* The next string of words goes behind text. */
static void read_string_of_words(struct decoder *d, size_t *seen)
{
	struct bytes *text = &d->tree->text;

	for (uint64_t k; (k = reader_varint(d->r)) > 0 && !d->r->failed;) {
		uint64_t word = k == 1 ? (*seen)++ : k - 2;
		if (word >= d->words.len || (k > 1 && word >= *seen) ||
		    text->len + d->words.data[word].len > TEXT_MAX) {
			d->r->failed = true;
			return;
		}
		bytes_append(text, d->words.data[word].s, d->words.data[word].len);
	}
}

/* Names stand in the file as they can be shown; this is what they are. */
static void make_raw(struct flame_tree *t)
{
	struct bytes raw = { 0 };
	size_t at = 0;

	for (size_t i = 0; i < t->strings.len; i++) {
		struct flame_string *s = &t->strings.data[i];
		size_t start = raw.len;
		text_append_unprintable(&raw, s->s, s->len);
		s->len = raw.len - start;
	}
	for (size_t i = 0; i < t->strings.len; i++) {
		t->strings.data[i].s = raw.len > 0 ? (const char *)raw.data + at : "";
		at += t->strings.data[i].len;
	}
	bytes_release(&t->text);
	t->text = raw;
}

static void read_strings(struct decoder *d)
{
	uint64_t count = read_words(d);
	size_t seen = 0, at = 0;

	if (d->tree->version == 1) {
		d->r->failed |= count != d->words.len;
		for (size_t i = 0; i < d->words.len && !d->r->failed; i++)
			vec_push(&d->tree->strings, d->words.data[i]);
		make_raw(d->tree);
		return;
	}
	/* Each string has an end at least. */
	d->r->failed |= count > reader_left(d->r);
	for (uint64_t i = 0; i < count && !d->r->failed; i++) {
		size_t start = d->tree->text.len;
		read_string_of_words(d, &seen);
		vec_push(&d->tree->strings,
			 ((struct flame_string){ NULL, d->tree->text.len - start }));
	}
	for (size_t i = 0; i < d->tree->strings.len; i++) {
		d->tree->strings.data[i].s =
			at < d->tree->text.len ? (const char *)d->tree->text.data + at : "";
		at += d->tree->strings.data[i].len;
	}
	make_raw(d->tree);
}

void flame_strings_read(struct flame_tree *t, struct bytes_reader *r)
{
	struct decoder d = { .tree = t, .r = r };

	read_strings(&d);
	vec_release(&d.words);
}
