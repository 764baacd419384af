/*
 * Folded stacks: "comm;root;…;leaf weight" lines, sorted, equal lines merged, sums exact. Readers
 * split at ';' and take a last number as the weight, so neither may be part of a frame's name: ';'
 * becomes ':', a space before digits at the end '_', and what is not printable an escape.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/output.h"

/* A bound against files made to blow up. */
#define BYTES_LIMIT ((uint64_t)1 << 30)
#define DEEPER	    ";[deeper frames]"

struct name { /* of a key, escaped */
	char *text;
	uint32_t len;
};

struct line {
	size_t offset;
	size_t len;
	uint64_t weight;
};

struct folding {
	const struct calltree *tree;
	struct name *names;
	uint32_t *depths;
	uint64_t *weights; /* per node, of the lines that end there */
	bool *cut;	   /* per node: what is deeper was added to it */
	struct bytes text;
	VEC(struct line) lines;
};

static bool is_number(const char *s)
{
	return *s && s[strspn(s, "0123456789.")] == '\0';
}

static void escape(struct name *out, const char *name)
{
	struct bytes b = { 0 };

	text_append_printable(&b, *name ? name : "[no name]", *name ? strlen(name) : 9);
	bytes_u8(&b, '\0');
	char *text = (char *)b.data;
	for (char *at = text; (at = strchr(at, ';'));)
		*at = ':';
	char *space = strrchr(text, ' ');
	if (space && (is_number(space + 1) || !space[1]))
		*space = '_';
	out->text = text;
	out->len = (uint32_t)(b.len - 1);
}

static void name_keys(struct folding *f)
{
	f->names = xcalloc(f->tree->keys.len, sizeof(*f->names));
	for (size_t i = 0; i < f->tree->keys.len; i++)
		escape(&f->names[i], f->tree->keys.data[i].name);
}

static uint64_t own_weight(const struct folding *f, size_t node, bool count)
{
	const struct calltree_node *n = &f->tree->nodes.data[node];

	return count ? n->self_count : n->self;
}

/* Bytes of all lines when stacks are cut at depth_limit. */
static uint64_t measure(const struct folding *f, uint32_t depth_limit, bool count,
			uint64_t *lengths)
{
	const struct calltree_node *nodes = f->tree->nodes.data;
	uint64_t sum = 0;

	lengths[0] = 0;
	for (size_t i = 1; i < f->tree->nodes.len; i++) {
		lengths[i] = lengths[nodes[i].parent];
		if (f->depths[i] <= depth_limit) {
			lengths[i] += f->names[nodes[i].key].len + 1;
			sum += own_weight(f, i, count) ? lengths[i] + 24 : 0;
		}
	}
	return sum;
}

static uint32_t choose_depth_limit(const struct folding *f, const struct folded_options *options)
{
	uint64_t *lengths = xcalloc(f->tree->nodes.len, sizeof(*lengths));
	uint64_t bytes = options->bytes_limit ? options->bytes_limit : BYTES_LIMIT;
	uint32_t limit = UINT32_MAX;

	while (limit > 8 && measure(f, limit, options->count, lengths) > bytes)
		limit = limit == UINT32_MAX ? 1 << 16 : limit / 2;
	free(lengths);
	return limit;
}

static void find_depths(struct folding *f)
{
	f->depths = xcalloc(f->tree->nodes.len, sizeof(*f->depths));
	for (size_t i = 1; i < f->tree->nodes.len; i++)
		f->depths[i] = f->depths[f->tree->nodes.data[i].parent] + 1;
}

/* Weights of nodes below the limit move up to it; children come after parents. */
static void find_weights(struct folding *f, uint32_t depth_limit, bool count)
{
	size_t n = f->tree->nodes.len;

	f->weights = xcalloc(n, sizeof(*f->weights));
	f->cut = xcalloc(n, sizeof(*f->cut));
	for (size_t i = n; i-- > 1;) {
		f->weights[i] += own_weight(f, i, count);
		if (f->depths[i] <= depth_limit)
			continue;
		f->weights[f->tree->nodes.data[i].parent] += f->weights[i];
		f->cut[f->tree->nodes.data[i].parent] = true;
		f->weights[i] = 0;
	}
}

static size_t path_length(const struct folding *f, uint32_t node)
{
	const struct calltree_node *nodes = f->tree->nodes.data;
	size_t len = f->cut[node] ? sizeof(DEEPER) - 1 : 0;

	for (uint32_t i = node; i; i = nodes[i].parent)
		len += f->names[nodes[i].key].len + (nodes[i].parent != 0);
	return len;
}

/* Written from its end. */
static void add_line(struct folding *f, uint32_t node)
{
	const struct calltree_node *nodes = f->tree->nodes.data;
	struct line line = { .offset = f->text.len, .weight = f->weights[node] };

	line.len = path_length(f, node);
	bytes_reserve(&f->text, line.len);
	char *end = (char *)f->text.data + f->text.len + line.len;
	f->text.len += line.len;
	if (f->cut[node]) {
		end -= sizeof(DEEPER) - 1;
		memcpy(end, DEEPER, sizeof(DEEPER) - 1);
	}
	for (uint32_t i = node; i; i = nodes[i].parent) {
		const struct name *name = &f->names[nodes[i].key];
		end -= name->len;
		memcpy(end, name->text, name->len);
		if (nodes[i].parent)
			*--end = ';';
	}
	vec_push(&f->lines, line);
}

static int compare_lines(const void *a, const void *b, void *context)
{
	const struct line *x = a, *y = b;
	const char *text = context;
	int order = memcmp(text + x->offset, text + y->offset, x->len < y->len ? x->len : y->len);

	return order ? order : x->len < y->len ? -1 : x->len > y->len;
}

static void print_lines(struct folding *f, struct bytes *out)
{
	const char *text = (const char *)f->text.data;

	if (f->lines.len)
		qsort_r(f->lines.data, f->lines.len, sizeof(*f->lines.data), compare_lines,
			f->text.data);
	for (size_t i = 0; i < f->lines.len; i++) {
		struct line *line = &f->lines.data[i];
		if (i + 1 < f->lines.len && compare_lines(line, line + 1, f->text.data) == 0) {
			line[1].weight += line->weight;
			continue;
		}
		bytes_append(out, text + line->offset, line->len);
		bytes_printf(out, " %" PRIu64 "\n", line->weight);
	}
}

static void folding_release(struct folding *f)
{
	for (size_t i = 0; i < f->tree->keys.len; i++)
		free(f->names[i].text);
	free(f->names);
	free(f->depths);
	free(f->weights);
	free(f->cut);
	bytes_release(&f->text);
	vec_release(&f->lines);
}

void output_folded(struct bytes *out, const struct profile *p, const struct filter_result *samples,
		   uint32_t event, const struct folded_options *options)
{
	struct calltree tree;
	struct folding f = { .tree = &tree };
	struct calltree_options frames = options->frames;

	frames.by_comm = !frames.by_thread;
	calltree_build(&tree, p, samples, event, &frames);
	name_keys(&f);
	find_depths(&f);
	find_weights(&f, choose_depth_limit(&f, options), options->count);
	for (uint32_t i = 1; i < tree.nodes.len; i++) {
		if (f.weights[i])
			add_line(&f, i);
	}
	print_lines(&f, out);
	folding_release(&f);
	calltree_release(&tree);
}
