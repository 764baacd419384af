/*
 * A flame graph that prof drew, SVG or HTML: the tree it embeds. What the tree does not keep is
 * gone: addresses but of unknown code, and when within a slice of time a sample was taken. Threads,
 * or rows of them and of commands, become tasks.
 */
#include <string.h>

#include "base/base64.h"
#include "base/base91.h"
#include "base/compress.h"
#include "base/io.h"
#include "base/memory.h"
#include "input/flame_build.h"
#include "input/formats.h"

#define FILE_MAX ((size_t)256 << 20)
#define TREE_MAX ((size_t)512 << 20)
/* Only the first version of the tree has it. */
#define UNIT_ATTRIBUTE " data-unit=\""
/* Of graphs in the order of time. */
#define CHART_ATTRIBUTE " data-chart=\"[self]\""
/* Of graphs of two profiles. */
#define COMPARED_ATTRIBUTE " data-effective=\""
/* Nothing that is said in the file comes before: names in it are escaped. */
#define TREE_TAG "<metadata class=\"prof-tree\""

/* The text of an attribute of the tree's element; out is ended by NUL. */
static void read_attribute(struct bytes *out, const char *tag, size_t len, const char *name)
{
	static const struct {
		const char *entity;
		char c;
	} entities[] = { { "&amp;", '&' },
			 { "&lt;", '<' },
			 { "&gt;", '>' },
			 { "&quot;", '"' },
			 { "&#39;", '\'' } };

	size_t name_len = strlen(name);
	const char *at = memmem(tag, len, name, name_len), *end = tag + len;

	bytes_clear(out);
	for (at = at ? at + name_len : end; at < end && *at != '"'; at++) {
		char c = *at;
		for (size_t i = 0; c == '&' && i < ARRAY_LEN(entities); i++) {
			size_t n = strlen(entities[i].entity);
			if ((size_t)(end - at) >= n && memcmp(at, entities[i].entity, n) == 0) {
				c = entities[i].c;
				at += n - 1;
				break;
			}
		}
		bytes_u8(out, (uint8_t)c);
	}
	bytes_u8(out, '\0');
}

/* Of version 1: attributes say what the metric is. */
static void add_named_event(struct profile *p, struct flame_string tag, bool counted)
{
	struct bytes text = { 0 };
	struct profile_event event = { .unit = UNIT_COUNT };

	read_attribute(&text, tag.s, tag.len, " data-count=\"");
	event.name = strtab_add_str(&p->strings, (const char *)text.data);
	read_attribute(&text, tag.s, tag.len, UNIT_ATTRIBUTE);
	for (uint8_t unit = UNIT_COUNT; unit <= UNIT_BYTES; unit++)
		if (strcmp(unit_name(unit), (const char *)text.data) == 0)
			event.unit = unit;
	/* Not so where the graph is of stacks that another tool had summed up. */
	read_attribute(&text, tag.s, tag.len, " data-samples=\"");
	if (counted && strcmp((const char *)text.data, "counted") == 0)
		event.flags = EVENT_COUNTED;
	vec_push(&p->events, event);
	bytes_release(&text);
}

static void add_event(struct profile *p, const struct flame_tree_metric *m, bool counted)
{
	struct profile_event event = {
		.name = strtab_add(&p->strings, m->name.s, m->name.len),
		.unit = m->unit <= UNIT_BYTES ? (uint8_t)m->unit : (uint8_t)UNIT_COUNT,
		.period = m->event_period,
		.frequency = m->event_frequency,
		.exact_total = m->event_total,
		.flags = m->event_flags,
	};

	if (counted && !(m->flags & FLAME_METRIC_SUMMED))
		event.flags |= EVENT_COUNTED;
	vec_push(&p->events, event);
}

/* counted: samples were read one by one. */
static void add_events(struct profile *p, const struct flame_tree *tree, struct flame_string tag,
		       bool counted)
{
	if (tree->version == 1)
		add_named_event(p, tag, counted);
	for (size_t i = 0; i < tree->metrics.len && tree->version > 1; i++)
		add_event(p, &tree->metrics.data[i], counted);
}

/* The element's attributes and text. */
static int find_tree(const struct bytes *file, struct flame_string *tag, struct flame_string *text)
{
	const char *start = memmem(file->data, file->len, TREE_TAG, strlen(TREE_TAG));

	if (!start)
		return -1;
	const char *end = (const char *)file->data + file->len;
	const char *open = memchr(start, '>', (size_t)(end - start));
	const char *close = open ? memchr(open, '<', (size_t)(end - open)) : NULL;
	if (!close)
		return -1;
	*tag = (struct flame_string){ start, (size_t)(open - start) };
	*text = (struct flame_string){ open + 1, (size_t)(close - open - 1) };
	return 0;
}

static int read_tree(struct flame_tree *tree, struct bytes *raw, struct flame_string tag,
		     struct flame_string text, const char *name, struct error *err)
{
	struct bytes packed = { 0 };
	struct error why = { 0 };
	bool first_version = memmem(tag.s, tag.len, UNIT_ATTRIBUTE, strlen(UNIT_ATTRIBUTE));
	int rc = first_version ? base64_decode(&packed, text.s, text.len)
			       : base91_decode(&packed, text.s, text.len);

	if (rc == 0)
		rc = zlib_inflate(raw, packed.data, packed.len, TREE_MAX, &why);
	bytes_release(&packed);
	if (rc < 0 || flame_tree_read(tree, raw->data, raw->len) < 0)
		return error_set(err, ERROR_FORMAT, "%s: the tree in it is damaged", name);
	return 0;
}

/* A comparison is two profiles, of which each event is a part of one. */
static void note_comparison(struct profile *p, struct flame_string tag, uint32_t *warnings)
{
	bool is_compared =
		memmem(tag.s, tag.len, COMPARED_ATTRIBUTE, strlen(COMPARED_ATTRIBUTE)) != NULL;

	if (!is_compared || p->events.len != 2)
		return;
	CLEANUP_FREE char *text = xasprintf(
		"the flame graph compares two profiles: %s is the new one, %s the base (--event)",
		profile_str(p, p->events.data[0].name), profile_str(p, p->events.data[1].name));
	vec_push(&p->notes, strtab_add_str(&p->strings, text));
	++*warnings;
}

static int read_file(struct profile *p, const struct bytes *file, const char *name,
		     uint32_t *warnings, struct error *err)
{
	struct flame_tree tree;
	struct flame_string tag, text;
	struct bytes raw = { 0 };

	if (find_tree(file, &tag, &text) < 0)
		return error_set(err, ERROR_FORMAT,
				 "%s: the flame graph is cut short, or shows no samples", name);
	int rc = read_tree(&tree, &raw, tag, text, name, err);
	if (rc == 0) {
		tree.is_chart = memmem(tag.s, tag.len, CHART_ATTRIBUTE, strlen(CHART_ATTRIBUTE));
		bool counted = flame_build(p, &tree, warnings);
		add_events(p, &tree, tag, counted);
		note_comparison(p, tag, warnings);
		flame_tree_release(&tree);
	}
	bytes_release(&raw);
	return rc;
}

static int read_flame(struct profile *p, int fd, const char *name, uint32_t *warnings,
		      struct error *err)
{
	struct bytes file = { 0 };
	int rc = io_read_all(fd, &file, FILE_MAX, err);

	rc = rc < 0 ? error_context(err, "%s", name) : read_file(p, &file, name, warnings, err);
	bytes_release(&file);
	return rc;
}

/* As prof writes them; other tools' SVGs hold no profile. */
static bool matches(const void *head, size_t len)
{
	static const char *const starts[] = {
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"prof\"",
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
		"<meta name=\"generator\" content=\"prof\"/>\n",
	};

	for (size_t i = 0; i < ARRAY_LEN(starts); i++)
		if (len >= strlen(starts[i]) && memcmp(head, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

const struct input_format input_flame = { "flame graph", matches, read_flame };
