/*
 * The report as JSON, schema "prof.report" version 2. Weights are exact integers in the event's
 * unit; without a limit the selfs of all rows (or nodes) sum to "total". A tree is a list whose
 * parents precede children: real stacks nest deeper than JSON readers do.
 */
#include <string.h>

#include "output/json.h"
#include "output/metrics.h"
#include "output/names.h"
#include "output/report.h"

#define SCHEMA_VERSION 2
#define LONGEST_TEXT   ((size_t)65536)

static void add_health(struct json *j, const struct report *r)
{
	const struct health *h = &r->health;

	json_open_object(j, "health");
	json_u64(j, "due", h->due);
	json_u64(j, "delivered", h->delivered);
	json_u64(j, "lost", h->lost);
	json_u64(j, "ends_known", h->ends_known);
	json_u64(j, "whole", h->whole);
	json_u64(j, "guessed", h->guessed);
	json_u64(j, "read_later", h->later);
	json_u64(j, "unnamed_leaves", h->unnamed_leaves);
	json_open_object(j, "ends");
	for (uint8_t i = 0; i < END_COUNT; i++) {
		if (h->by_end[i])
			json_u64(j, stack_end_name(i), h->by_end[i]);
	}
	json_close_object(j);
	json_u64(j, "requested_hz", r->profile->health.requested_rate);
	json_u64(j, "effective_millihz", (uint64_t)(h->effective_hz * 1000 + 0.5));
	json_u64(j, "prof_cpu_ns", health_is_own(r->profile) ? r->profile->health.prof_cpu_ns : 0);
	json_bool(j, "complete", r->profile->health.complete);
	const char *purpose;
	char *remedy = health_remedy(h, r->profile, &purpose);
	if (remedy) {
		json_string(j, "remedy", remedy);
		json_string(j, "remedy_for", purpose);
	}
	free_ptr(&remedy);
	json_close_object(j);
}

static void add_findings(struct json *j, const struct report *r)
{
	json_open_array(j, "findings");
	for (size_t i = 0; i < r->findings.items.len; i++) {
		const struct finding *f = &r->findings.items.data[i];
		json_open_object(j, NULL);
		json_string(j, "id", f->id);
		json_fraction(j, "percent", f->share);
		json_fraction(j, "error_percent", f->error);
		json_string(j, "of", f->of);
		json_string(j, "text", f->text);
		if (f->command)
			json_string(j, "command", f->command);
		else
			json_null(j, "command");
		json_close_object(j);
	}
	json_close_array(j);
}

static void begin(struct json *j, const struct report *r, const char *view)
{
	json_begin(j, r->show.out, 2);
	json_open_object(j, NULL);
	json_string(j, "schema", "prof.report");
	json_u64(j, "version", SCHEMA_VERSION);
	json_string(j, "tool", r->facts.tool);
	json_string(j, "command", r->facts.command);
	json_string(j, "event", r->facts.event_name);
	json_string(j, "unit", unit_name(r->facts.unit));
	json_u64(j, "wall_ns", r->facts.wall_ns);
	json_u64(j, "cpu_ns", r->facts.cpu_ns);
	json_u64(j, "threads", r->facts.threads);
	json_u64(j, "processes", r->facts.processes);
	json_bool(j, "filtered", r->facts.filtered);
	if (r->emptied_by)
		json_string(j, "emptied_by", r->emptied_by);
	json_u64(j, "samples", r->facts.samples);
	json_u64(j, "total", r->facts.total);
	add_health(j, r);
	add_findings(j, r);
	json_string(j, "view", view);
}

static void add_place(struct json *j, const struct report *r, uint32_t module, uint32_t file,
		      uint32_t line)
{
	json_string(j, "module", facts_module_path(r->profile, module));
	json_string(j, "file", profile_str(r->profile, file));
	json_u64(j, "line", line);
}

static void add_list(struct json *j, const char *name, const struct strtab *list)
{
	json_open_array(j, name);
	for (size_t i = 0; i < row_names_count(list); i++)
		json_string(j, NULL, row_names_get(list, i));
	json_close_array(j);
}

static void add_some(struct json *j, const char *name, const struct strtab *list)
{
	if (row_names_count(list))
		add_list(j, name, list);
}

static void add_folded(struct json *j, const struct row_names *n)
{
	json_open_array(j, "folded");
	for (size_t i = 0; i < row_names_count(&n->folded); i++) {
		json_open_object(j, NULL);
		json_string(j, "name", row_names_get(&n->folded, i));
		json_string(j, "linkage", n->folded_symbols.data[i]);
		json_close_object(j);
	}
	json_close_array(j);
}

/* What there is nothing to say of is left out. */
static void add_names(struct json *j, const struct report *r, const struct flat *f,
		      const struct flat_row *row)
{
	struct row_names n;

	row_names_collect(&n, r->profile, f, row);
	add_list(j, "linkage", &n.symbols);
	add_some(j, "variants", &n.variants);
	add_some(j, "versions", &n.versions);
	add_some(j, "aliases", &n.aliases);
	if (n.more_aliases)
		json_u64(j, "more_aliases", n.more_aliases);
	if (row_names_count(&n.folded))
		add_folded(j, &n);
	if (n.more_folded)
		json_u64(j, "more_folded", n.more_folded);
	if (n.ifunc)
		json_bool(j, "ifunc", true);
	if (n.unique)
		json_bool(j, "unique", true);
	row_names_release(&n);
}

static void add_values(struct json *j, const struct report *r, const struct flat_row *row,
		       bool total)
{
	json_open_object(j, total ? "total_metrics" : "self_metrics");
	for (size_t i = 0; i < r->counted->columns.len; i++) {
		struct counted_cell cell = report_metric(r, row, i, total);
		metrics_json_cell(j, r->counted->columns.data[i]->metric->name, &cell);
	}
	json_close_object(j);
}

/* What the group's events counted, as far as it was read with samples. */
static void add_counts(struct json *j, const struct report *r, const struct flat_row *row,
		       bool total)
{
	const struct counted *c = r->counted;
	const struct counted_sums *s = total ? &r->counts.total : &r->counts.self;

	json_open_object(j, total ? "total_counts" : "self_counts");
	for (size_t i = 0; i < c->members.len; i++) {
		const struct profile_event *e = &c->profile->events.data[c->members.data[i]];
		json_u64(j, profile_str(c->profile, e->name),
			 (uint64_t)counted_sums_total(s, row->id, i));
	}
	json_close_object(j);
}

static void add_metrics(struct json *j, const struct report *r, const struct flat_row *row)
{
	add_values(j, r, row, false);
	add_values(j, r, row, true);
	add_counts(j, r, row, false);
	add_counts(j, r, row, true);
}

static void add_row(struct json *j, const struct report *r, const struct flat *f,
		    const struct flat_row *row)
{
	json_open_object(j, NULL);
	json_string(j, "name", row->name);
	json_string(j, "kind", facts_kind_name(row->kind));
	if (r->options->by < FLAT_BY_THREAD)
		add_place(j, r, row->module, row->file, row->line);
	json_u64(j, "self", row->self);
	json_u64(j, "total", row->total);
	json_u64(j, "self_samples", row->self_count);
	json_u64(j, "total_samples", row->total_count);
	json_percent(j, "self_percent", row->self, f->total);
	json_fraction(j, "self_error_percent", row->self_error);
	json_bool(j, "tied", row->tied);
	json_percent(j, "total_percent", row->total, f->total);
	json_fraction(j, "total_error_percent", row->total_error);
	json_bool(j, "inlined", row->inlined);
	if (r->options->by < FLAT_BY_THREAD)
		json_u64(j, "threads", row->threads);
	if (r->options->by == FLAT_BY_FUNCTION)
		add_names(j, r, f, row);
	if (r->counted)
		add_metrics(j, r, row);
	json_close_object(j);
}

/* Rows within the limit and above the least weight; without either, all. */
static size_t count_rows(const struct report *r, const struct flat *f)
{
	uint64_t least = report_least_weight(r, f->total, 0);
	size_t rows = 0;

	while (rows < f->rows.len && (!r->options->limit || rows < r->options->limit) &&
	       f->rows.data[rows].self >= least)
		rows++;
	return rows;
}

static void add_lines(struct json *j, const struct report *r)
{
	json_open_array(j, "lines");
	for (size_t i = 0; i < r->lines.rows.len; i++) {
		const struct hot_line *line = &r->lines.rows.data[i];
		const struct profile_function *f = &r->profile->functions.data[line->function];
		size_t len = 0;
		const char *text = report_line_text(r, line, &len);
		json_open_object(j, NULL);
		json_string(j, "file", profile_str(r->profile, line->file));
		json_u64(j, "line", line->line);
		json_string(j, "function", profile_str(r->profile, f->name));
		json_u64(j, "weight", line->weight);
		json_u64(j, "samples", line->count);
		json_percent(j, "percent", line->weight, r->lines.total);
		json_fraction(j, "error_percent", line->error);
		if (text) {
			CLEANUP_FREE char *copy = xasprintf(
				"%.*s", (int)(len < LONGEST_TEXT ? len : LONGEST_TEXT), text);
			json_string(j, "text", copy);
		} else {
			json_null(j, "text");
		}
		json_close_object(j);
	}
	json_close_array(j);
}

static void add_path_node(struct json *j, const struct report *r, uint32_t node, uint64_t total)
{
	const struct calltree_node *n = &r->tree->nodes.data[node];

	json_string(j, "name", r->tree->keys.data[n->key].name);
	json_u64(j, "total", total);
	json_percent(j, "percent", total, r->tree->total);
}

static void add_path(struct json *j, const struct report *r)
{
	json_open_array(j, "path");
	for (size_t i = 0; i < r->path.steps.len; i++) {
		const struct hot_path_step *step = &r->path.steps.data[i];
		json_open_object(j, NULL);
		add_path_node(j, r, step->node, r->tree->nodes.data[step->node].total);
		json_u64(j, "times", step->times);
		json_close_object(j);
	}
	json_close_array(j);
	json_open_array(j, "path_splits");
	for (uint32_t i = 0; i < r->path.branch_count; i++) {
		const struct hot_path_branch *b = &r->path.branches[i];
		uint32_t last = r->path.steps.data[r->path.steps.len - 1].node;
		json_open_object(j, NULL);
		add_path_node(j, r, b->node == PROFILE_NONE ? last : b->node, b->total);
		json_bool(j, "self", b->node == PROFILE_NONE);
		json_close_object(j);
	}
	json_close_array(j);
}

void report_json_table(struct report *r, const struct flat *f)
{
	struct json j;
	size_t rows = count_rows(r, f);
	uint64_t rest = 0;

	begin(&j, r, "table");
	json_string(&j, "by", report_by_name(r->options->by));
	json_u64(&j, "error_slices", f->slices);
	if (r->tree) {
		add_lines(&j, r);
		add_path(&j, r);
	}
	json_open_array(&j, "rows");
	for (size_t i = 0; i < rows; i++)
		add_row(&j, r, f, &f->rows.data[i]);
	json_close_array(&j);
	for (size_t i = rows; i < f->rows.len; i++)
		rest += f->rows.data[i].self;
	json_open_object(&j, "rest");
	json_u64(&j, "rows", f->rows.len - rows);
	json_u64(&j, "self", rest);
	json_close_object(&j);
	json_close_object(&j);
	json_end(&j);
}

static void add_node(struct json *j, const struct report *r, const struct calltree *t,
		     uint32_t node)
{
	const struct calltree_node *n = &t->nodes.data[node];
	const struct calltree_key *key = &t->keys.data[n->key];

	json_open_object(j, NULL);
	json_u64(j, "id", node);
	if (n->parent == PROFILE_NONE)
		json_null(j, "parent");
	else
		json_u64(j, "parent", n->parent);
	json_string(j, "name", key->name);
	json_string(j, "kind", facts_kind_name(n->kind));
	add_place(j, r, key->module, key->file, key->line);
	json_u64(j, "self", n->self);
	json_u64(j, "total", n->total);
	json_u64(j, "self_samples", n->self_count);
	json_u64(j, "total_samples", n->count);
	json_percent(j, "total_percent", n->total, r->facts.total);
	json_bool(j, "guessed", n->guessed);
	json_close_object(j);
}

static const char *tree_view(const struct report_options *o)
{
	if (o->callers)
		return "callers";
	if (o->callees)
		return "callees";
	return o->frames.inverted ? "inverted tree" : "tree";
}

static void add_nodes(struct json *j, const struct report *r, const char *name,
		      const struct calltree *t)
{
	json_open_array(j, name);
	for (uint32_t i = 0; i < t->nodes.len; i++)
		add_node(j, r, t, i);
	json_close_array(j);
}

void report_json_tree(struct report *r, const struct calltree *t)
{
	struct json j;

	begin(&j, r, tree_view(r->options));
	if (r->around)
		json_string(&j, "around", r->around);
	add_nodes(&j, r, "nodes", t);
	json_close_object(&j);
	json_end(&j);
}

void report_json_peek(struct report *r, const struct calltree *callers,
		      const struct calltree *callees)
{
	struct json j;

	begin(&j, r, "peek");
	json_string(&j, "around", r->around);
	add_nodes(&j, r, "callers", callers);
	add_nodes(&j, r, "callees", callees);
	json_close_object(&j);
	json_end(&j);
}
