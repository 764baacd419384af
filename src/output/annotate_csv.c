/* prof annotate as CSV: a row for each line, each function inlined there, and each instruction. */
#include <inttypes.h>

#include "analysis/annotate_counts.h"
#include "output/annotate.h"
#include "output/csv.h"
#include "output/facts.h"
#include "output/metrics.h"

struct row {
	const char *kind, *function, *text;
	uint32_t module, file, line; /* module: PROFILE_NONE, of the function's */
	uint64_t address;
	const struct annotate_weight *weight;
};

static size_t count_columns(const struct annotate_output *o)
{
	const struct annotate_counts *c = o->annotation->counts;

	return c ? c->counted.columns.len : 0;
}

static void add_row(struct annotate_output *o, const struct row *row)
{
	const struct profile *p = o->annotation->profile;
	struct bytes *out = o->show.out;

	bytes_printf(out, "%s,", row->kind);
	csv_text(out, row->function);
	bytes_u8(out, ',');
	csv_text(out, facts_module_path(p, row->module));
	bytes_u8(out, ',');
	csv_text(out, profile_str(p, row->file));
	bytes_printf(out, ",%" PRIu32 ",", row->line);
	if (row->address)
		bytes_printf(out, "0x%" PRIx64, row->address);
	bytes_printf(out, ",%" PRIu64 ",%" PRIu64, row->weight->weight, row->weight->count);
	csv_percent(out, row->weight->weight, annotation_base(o->annotation));
	csv_error(out, row->weight->error);
	bytes_u8(out, ',');
	csv_text(out, row->text);
	for (size_t i = 0; i < count_columns(o); i++) {
		struct counted_cell cell = annotate_metric(o->annotation, row->weight, i);
		metrics_csv_cell(out, &cell);
	}
	bytes_printf(out, "\r\n");
}

static void add_source(struct annotate_output *o, struct row *row)
{
	size_t len = 0;
	const char *text = row->line ? source_texts_line(o->texts, row->file, row->line, &len) : "";
	CLEANUP_FREE char *copy = xstrndup(text ? text : "", len);

	row->text = copy;
	add_row(o, row);
}

static void add_lines(struct annotate_output *o)
{
	const struct annotation *a = o->annotation;
	const struct calltree_key *key = annotation_key(a, a->key);

	for (size_t i = 0; i < a->lines.len; i++) {
		const struct annotated_line *line = &a->lines.data[i];
		struct row row = { .kind = "line",
				   .function = key->name,
				   .module = key->module,
				   .file = line->file,
				   .line = line->line,
				   .weight = &line->all };
		add_source(o, &row);
		for (uint32_t k = 0; k < line->inlined_count; k++) {
			const struct annotated_inlined *in =
				&a->inlined.data[line->first_inlined + k];
			row.kind = "inlined";
			row.function = annotation_name(a, in->name);
			row.file = in->file;
			row.line = in->line;
			row.weight = &in->all;
			add_source(o, &row);
		}
	}
}

static void add_instructions(struct annotate_output *o)
{
	const struct profile *p = o->annotation->profile;
	const struct instructions *all = &o->instructions;

	for (size_t i = 0; i < all->items.len; i++) {
		const struct instruction *in = &all->items.data[i];
		const struct profile_function *f =
			in->function == PROFILE_NONE ? NULL : &p->functions.data[in->function];
		struct row row = { .kind = "instruction",
				   .function = f ? profile_str(p, f->name) : "",
				   .text = instruction_text(all, in),
				   .module = all->blocks.data[in->block].module,
				   .file = f ? in->file : 0,
				   .line = f ? in->line : 0,
				   .address = in->address,
				   .weight = &in->all };
		add_row(o, &row);
	}
}

void annotate_csv(struct annotate_output *o)
{
	bytes_printf(o->show.out, "row,function,module,file,line,address,weight,samples,percent,"
				  "error_percent,text");
	for (size_t i = 0; i < count_columns(o); i++) {
		const char *name = o->annotation->counts->counted.columns.data[i]->metric->name;
		bytes_u8(o->show.out, ',');
		csv_text(o->show.out, name);
		bytes_printf(o->show.out, ",%s_error", name);
	}
	bytes_printf(o->show.out, "\r\n");
	if (o->options->view != ANNOTATE_ASM)
		add_lines(o);
	if (o->options->view != ANNOTATE_SOURCE)
		add_instructions(o);
}
