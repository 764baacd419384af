/*
 * prof annotate as JSON, schema "prof.annotate" version 1. Weights are exact integers in the
 * event's unit; the weights of lines sum to the function's, as do those of instructions and of
 * what is told as missing.
 */
#include "analysis/annotate_counts.h"
#include "analysis/frames.h"
#include "output/annotate.h"
#include "output/facts.h"
#include "output/json.h"
#include "output/metrics.h"

#define SCHEMA_VERSION 1

static void add_metrics(struct json *j, const struct annotate_output *o,
			const struct annotate_weight *w)
{
	const struct annotation *a = o->annotation;

	if (!a->counts)
		return;
	json_open_object(j, "metrics");
	for (size_t i = 0; i < a->counts->counted.columns.len; i++) {
		struct counted_cell cell = annotate_metric(a, w, i);
		metrics_json_cell(j, a->counts->counted.columns.data[i]->metric->name, &cell);
	}
	json_close_object(j);
}

static void add_weight(struct json *j, const struct annotate_output *o,
		       const struct annotate_weight *w)
{
	json_u64(j, "weight", w->weight);
	json_u64(j, "samples", w->count);
	json_percent(j, "percent", w->weight, annotation_base(o->annotation));
	json_fraction(j, "error_percent", w->error);
	add_metrics(j, o, w);
}

static void add_text(struct json *j, const struct annotate_output *o, uint32_t file, uint32_t line)
{
	size_t len = 0;
	const char *text = line ? source_texts_line(o->texts, file, line, &len) : NULL;

	if (!text) {
		json_null(j, "text");
		return;
	}
	CLEANUP_FREE char *copy = xstrndup(text, len);
	json_string(j, "text", copy);
}

static void add_place(struct json *j, const struct annotate_output *o, uint32_t file, uint32_t line)
{
	json_string(j, "file", profile_str(o->annotation->profile, file));
	json_u64(j, "line", line);
}

static void add_function(struct json *j, const struct annotate_output *o)
{
	const struct annotation *a = o->annotation;
	const struct calltree_key *key = annotation_key(a, a->key);

	json_open_object(j, "function");
	json_string(j, "name", key->name);
	json_string(j, "kind", facts_kind_name(key->kind));
	json_string(j, "module", facts_module_path(a->profile, key->module));
	add_place(j, o, key->file, key->line);
	json_u64(j, "weight", a->all.weight);
	json_u64(j, "samples", a->all.count);
	json_percent(j, "percent", a->all.weight, a->total);
	json_fraction(j, "error_percent", a->all.error);
	add_metrics(j, o, &a->all);
	json_u64(j, "others", a->others);
	json_close_object(j);
}

static void add_inlined(struct json *j, const struct annotate_output *o,
			const struct annotated_inlined *row)
{
	json_open_object(j, NULL);
	json_string(j, "name", annotation_name(o->annotation, row->name));
	add_place(j, o, row->file, row->line);
	add_weight(j, o, &row->all);
	add_text(j, o, row->file, row->line);
	json_close_object(j);
}

static void add_line(struct json *j, const struct annotate_output *o,
		     const struct annotated_line *row)
{
	json_open_object(j, NULL);
	add_place(j, o, row->file, row->line);
	add_weight(j, o, &row->all);
	json_u64(j, "own_weight", row->own);
	add_text(j, o, row->file, row->line);
	json_open_array(j, "inlined");
	for (uint32_t i = 0; i < row->inlined_count; i++)
		add_inlined(j, o, &o->annotation->inlined.data[row->first_inlined + i]);
	json_close_array(j);
	json_close_object(j);
}

static const char *flow_name(uint8_t flow)
{
	static const char *const names[] = { "next", "jump", "branch", "call", "return" };

	return flow < ARRAY_LEN(names) ? names[flow] : names[0];
}

static void add_instruction(struct json *j, const struct annotate_output *o,
			    const struct instruction *i)
{
	const struct profile *p = o->annotation->profile;

	json_open_object(j, NULL);
	json_u64(j, "address", i->address);
	json_u64(j, "length", i->length);
	json_string(j, "text", instruction_text(&o->instructions, i));
	json_bool(j, "known", i->known);
	json_string(j, "flow", flow_name(i->flow));
	if (i->has_target)
		json_u64(j, "target", i->target);
	json_bool(j, "is_target", i->is_target);
	if (i->function != PROFILE_NONE) {
		json_string(j, "function", profile_str(p, p->functions.data[i->function].name));
		add_place(j, o, i->file, i->line);
	}
	add_weight(j, o, &i->all);
	json_close_object(j);
}

static void add_block(struct json *j, const struct annotate_output *o,
		      const struct instruction_block *b)
{
	json_open_object(j, NULL);
	json_string(j, "module", facts_module_path(o->annotation->profile, b->module));
	json_u64(j, "weight", b->weight);
	json_bool(j, "cut", b->is_cut);
	json_open_array(j, "instructions");
	for (uint32_t i = 0; i < b->count; i++)
		add_instruction(j, o, &o->instructions.items.data[b->first + i]);
	json_close_array(j);
	json_close_object(j);
}

static void add_code(struct json *j, const struct annotate_output *o)
{
	const struct instructions *all = &o->instructions;

	if (o->options->view == ANNOTATE_SOURCE)
		return;
	if (all->error.code)
		json_string(j, "no_instructions", all->error.text);
	json_open_array(j, "code");
	for (size_t b = 0; b < all->blocks.len; b++)
		add_block(j, o, &all->blocks.data[b]);
	json_close_array(j);
	json_open_object(j, "code_missing");
	json_u64(j, "weight", all->missing);
	json_u64(j, "samples", all->missing_count);
	json_close_object(j);
}

static const char *state_name(enum source_state state)
{
	static const char *const names[] = { "as recorded", "newer", "changed" };

	return names[state];
}

static void add_sources(struct json *j, const struct annotate_output *o)
{
	const struct annotation *a = o->annotation;

	json_open_array(j, "sources");
	for (size_t i = 0; i < a->lines.len; i++) {
		uint32_t file = a->lines.data[i].file;
		if (!file || (i && a->lines.data[i - 1].file == file))
			continue;
		json_open_object(j, NULL);
		json_string(j, "file", profile_str(a->profile, file));
		json_bool(j, "found", source_texts_has(o->texts, file));
		json_string(j, "state", state_name(source_texts_state(o->texts, file)));
		json_close_object(j);
	}
	json_close_array(j);
}

void annotate_json(struct annotate_output *o)
{
	const struct annotation *a = o->annotation;
	const struct profile *p = a->profile;
	const struct profile_event *e = a->event < p->events.len ? &p->events.data[a->event] : NULL;
	struct json j;

	json_begin(&j, o->show.out, 2);
	json_open_object(&j, NULL);
	json_string(&j, "schema", "prof.annotate");
	json_u64(&j, "version", SCHEMA_VERSION);
	json_string(&j, "event", e ? profile_str(p, e->name) : "");
	json_string(&j, "unit", unit_name(e ? e->unit : (uint8_t)UNIT_COUNT));
	json_u64(&j, "samples", a->sample_count);
	json_u64(&j, "total", a->total);
	json_string(&j, "percent_of", a->of_all ? "all" : "function");
	add_function(&j, o);
	add_sources(&j, o);
	json_open_array(&j, "lines");
	for (size_t i = 0; i < a->lines.len; i++)
		add_line(&j, o, &a->lines.data[i]);
	json_close_array(&j);
	add_code(&j, o);
	json_close_object(&j);
	json_end(&j);
}
