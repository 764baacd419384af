/* What is selected, in words; and the commands and stacks to copy. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/frames.h"
#include "analysis/origin.h"
#include "analysis/percent.h"
#include "analysis/simple_name.h"
#include "base/text.h"
#include "output/flame.h"
#include "output/show.h"
#include "tui/model.h"

static struct subject of_row(const struct flat_row *row)
{
	return (struct subject){ .name = row->name,
				 .module = row->module,
				 .file = row->file,
				 .line = row->line,
				 .kind = row->kind,
				 .self = row->self,
				 .total = row->total,
				 .count = row->total_count };
}

static struct subject of_node(const struct calltree *t, uint32_t node)
{
	const struct calltree_node *n = &t->nodes.data[node];
	const struct calltree_key *k = &t->keys.data[n->key];

	return (struct subject){ .name = node ? k->name : NULL,
				 .module = k->module,
				 .file = k->file,
				 .line = k->line,
				 .kind = n->kind,
				 .guessed = n->guessed,
				 .self = n->self,
				 .total = n->total,
				 .count = n->count };
}

struct subject model_subject(const struct model *m)
{
	const struct flat_row *row = m->state.table ? table_selected(m) : NULL;

	if (m->state.table)
		return row ? of_row(row) : (struct subject){ .module = PROFILE_NONE };
	return of_node(&m->view.trees[m->selected.tree], m->selected.node);
}

/* ---- its lines ---- */

/* What functions of the profile are called in this view, as ids of the model's names. */
static void name_lines(struct model *m)
{
	const struct profile *p = m->in->profile;
	const struct hot_lines *lines = view_lines(&m->view);
	struct bytes simple = { 0 };

	for (size_t i = m->line_names.len; i < lines->rows.len; i++) {
		const struct profile_function *f = &p->functions.data[lines->rows.data[i].function];
		const char *name = profile_str(p, f->name);
		if (m->in->frames.names == NAMES_NONE && f->linkage)
			name = profile_str(p, f->linkage);
		bytes_clear(&simple);
		if (m->in->frames.names == NAMES_SIMPLE) {
			simple_name_append(&simple, name);
			bytes_u8(&simple, '\0');
			name = (const char *)simple.data;
		}
		vec_push(&m->line_names, strtab_add_str(&m->names, name));
	}
	bytes_release(&simple);
}

struct source_line model_subject_line(struct model *m)
{
	struct subject s = model_subject(m);
	struct source_line best = { s.file, s.line, 0 };

	if (!s.name || m->state.by_module || s.kind == CODE_SYNTHETIC)
		return (struct source_line){ 0, 0, 0 };
	name_lines(m);
	uint32_t name = strtab_add_str(&m->names, s.name);
	const struct hot_lines *lines = view_lines(&m->view);
	/* The heaviest come first. */
	for (size_t i = 0; i < lines->rows.len; i++)
		if (m->line_names.data[i] == name)
			return (struct source_line){ lines->rows.data[i].file,
						     lines->rows.data[i].line,
						     lines->rows.data[i].weight };
	return best;
}

/* Each file once: there may be none. */
static void ask_for_file(struct model *m, uint32_t module, uint32_t file)
{
	const struct tui_host *host = &m->in->host;

	if (!file || !host->read_file || hmap_get(&m->source_files, file) != HMAP_NONE)
		return;
	hmap_put(&m->source_files, file, 1);
	host->read_file(host->context, &m->texts, module, file);
}

void model_look_for_source(struct model *m)
{
	struct subject s = model_subject(m);
	struct source_line before = m->source;

	if (m->places.source.height == 0)
		return;
	m->source = model_subject_line(m);
	m->source_name = s.name ? strtab_add_str(&m->names, s.name) : 0;
	if (m->source.file != before.file || m->source.line != before.line)
		m->source_scroll = 0;
	ask_for_file(m, s.module, m->source.file);
}

void model_forget_sources(struct model *m)
{
	source_texts_release(&m->texts);
	source_texts_init(&m->texts, m->in->profile);
	hmap_release(&m->source_files);
}

/* ---- in words ---- */

static void add_part(struct bytes *out, const char *separator)
{
	if (out->len)
		bytes_printf(out, "%s", separator);
}

const char *model_dot(const struct model *m)
{
	return m->in->unicode ? " \xc2\xb7 " : " | ";
}

static void describe_place(const struct model *m, const struct subject *s, struct bytes *out)
{
	const struct profile *p = m->in->profile;
	struct show show = { .unicode = m->in->unicode };

	if (!s->name)
		return;
	bytes_printf(out, "%s%s", flame_kind_name(s->kind), s->guessed ? ", guessed" : "");
	if (s->module != PROFILE_NONE && !m->state.by_module && s->kind != CODE_SYNTHETIC) {
		CLEANUP_FREE char *module = show_name(&show, frame_module_name(p, s->module));
		add_part(out, model_dot(m));
		bytes_printf(out, "%s", module);
	}
	if (s->file && !m->state.by_module) {
		const char *path = profile_str(p, s->file), *slash = strrchr(path, '/');
		CLEANUP_FREE char *file = show_name(&show, slash && slash[1] ? slash + 1 : path);
		add_part(out, model_dot(m));
		bytes_printf(out, "%s", file);
		if (s->line)
			bytes_printf(out, ":%" PRIu32, s->line);
	}
}

uint8_t model_unit(const struct model *m)
{
	const struct profile *p = m->in->profile;

	return m->view.event < p->events.len ? p->events.data[m->view.event].unit
					     : (uint8_t)UNIT_COUNT;
}

static void add_percent(struct bytes *out, uint64_t part, uint64_t all)
{
	if (all)
		percent_append(out, part, all);
	bytes_printf(out, all ? "%%" : "-");
}

static uint64_t all_weight(const struct model *m)
{
	return m->view.has_table ? m->view.flat.total : view_total(&m->view);
}

static void describe_row(const struct model *m, const struct flat_row *row, struct bytes *out)
{
	struct bytes error = { 0 };

	percent_append_error(&error, m->in->unicode ? "\xc2\xb1" : "+-",
			     show_share(row->self, all_weight(m)), row->self_error);
	bytes_u8(&error, '\0');
	add_part(out, model_dot(m));
	bytes_printf(out, "self ");
	add_percent(out, row->self, all_weight(m));
	if (error.len > 1)
		bytes_printf(out, " %s", (const char *)error.data);
	bytes_release(&error);
}

/* Is the selected frame part of what is zoomed into, but not all of it? Callers of that are drawn,
 * too. */
static bool is_within_zoom(const struct model *m)
{
	const struct calltree *t = &m->view.trees[m->zoomed.tree];
	uint32_t n = m->selected.node;

	if (m->zoomed.node == 0 || m->zoomed.tree != m->selected.tree || n == m->zoomed.node)
		return false;
	while (n > m->zoomed.node) /* parents precede children */
		n = t->nodes.data[n].parent;
	return n == m->zoomed.node;
}

static void describe_node(const struct model *m, struct bytes *out)
{
	const struct calltree *t = &m->view.trees[m->selected.tree];
	const struct calltree_node *n = &t->nodes.data[m->selected.node];
	bool up = m->state.view == VIEW_UP || m->selected.tree == 1;

	if (n->parent != PROFILE_NONE && n->parent != 0) {
		add_part(out, model_dot(m));
		add_percent(out, n->total, t->nodes.data[n->parent].total);
		bytes_printf(out, " of %s", up ? "what it calls" : "its caller");
	}
	if (is_within_zoom(m)) {
		add_part(out, model_dot(m));
		add_percent(out, n->total,
			    m->view.trees[m->zoomed.tree].nodes.data[m->zoomed.node].total);
		bytes_printf(out, " of view");
	}
	if (!up) {
		add_part(out, model_dot(m));
		bytes_printf(out, "self ");
		add_percent(out, n->self, view_total(&m->view));
	}
}

void model_describe(const struct model *m, struct bytes *name, struct bytes *place,
		    struct bytes *numbers)
{
	struct subject s = model_subject(m);
	const struct flat_row *row = m->state.table ? table_selected(m) : NULL;
	struct show show = { .unicode = m->in->unicode };
	CLEANUP_FREE char *shown = show_name(&show, s.name ? s.name : m->state.table ? "" : "all");
	char count[32];

	bytes_printf(name, "%s", shown);
	describe_place(m, &s, place);
	show_weight(numbers, model_unit(m), s.total);
	bytes_printf(numbers, ", ");
	add_percent(numbers, s.total, m->state.table ? all_weight(m) : view_total(&m->view));
	bytes_printf(numbers, " of all");
	if (row)
		describe_row(m, row, numbers);
	else if (!m->state.table)
		describe_node(m, numbers);
	if (!m->in->profile->is_summed) {
		add_part(numbers, model_dot(m));
		bytes_printf(numbers, "%s %s", text_count(count, sizeof(count), s.count),
			     s.count == 1 ? "sample" : "samples");
	}
}

/* ---- to copy ---- */

char *model_folded(const struct model *m)
{
	const struct calltree *t = &m->view.trees[m->selected.tree];
	bool up = m->state.view == VIEW_UP || m->selected.tree == 1;
	struct bytes out = { 0 };
	VEC(uint32_t) path = { 0 };

	if (m->state.table || m->selected.node == 0)
		return NULL;
	for (uint32_t n = m->selected.node; n; n = t->nodes.data[n].parent)
		vec_push(&path, n);
	for (size_t i = 0; i < path.len; i++) {
		uint32_t node = path.data[up ? i : path.len - 1 - i];
		CLEANUP_FREE char *name = text_printable(view_name(t, node));
		for (char *at = name; *at; at++)
			*at = (char)(*at == ';' ? ':' : *at);
		bytes_printf(&out, "%s%s", i ? ";" : "", name);
	}
	bytes_printf(&out, " %" PRIu64, t->nodes.data[m->selected.node].total);
	bytes_u8(&out, '\0');
	vec_release(&path);
	return (char *)out.data;
}

static bool has_kind(const struct filters *f, enum filter_kind kind)
{
	for (size_t i = 0; i < f->items.len; i++)
		if (f->items.data[i].kind == kind)
			return true;
	return false;
}

/* What is zoomed into, as a filter: it comes nearest. */
static bool append_zoom(const struct model *m, struct bytes *out)
{
	const struct calltree *t = &m->view.trees[m->zoomed.tree];
	const struct state *s = &m->state;

	if (m->zoomed.node == 0)
		return true;
	if (s->by_module || s->view == VIEW_AROUND || has_kind(&s->filters, FILTER_FOCUS))
		return false;
	CLEANUP_FREE char *word =
		filter_exact(m->in->profile, view_name(t, m->zoomed.node), m->in->frames.names);
	bytes_printf(out, " --focus ");
	text_append_word(out, word);
	return false;
}

char *model_command(const struct model *m, bool *is_exact)
{
	const struct state *s = &m->state;
	struct bytes out = { 0 };

	bytes_printf(&out, "prof report");
	origin_append(&out, m->in->profile, " ");
	if (s->by_module || s->table)
		bytes_printf(&out, " --by %s", s->by_module ? "module" : "function");
	if (!s->table && s->view == VIEW_AROUND) {
		bytes_printf(&out, " --peek ");
		text_append_word(&out, s->around);
	} else if (!s->table) {
		bytes_printf(&out, s->view == VIEW_UP ? " --inverted" : " --tree");
	}
	filters_append_words(&s->filters, &out);
	*is_exact = append_zoom(m, &out);
	if (s->fold)
		bytes_printf(&out, " --merge-recursion");
	if (m->in->frame_words)
		bytes_printf(&out, "%s", m->in->frame_words);
	bytes_u8(&out, '\0');
	return (char *)out.data;
}
