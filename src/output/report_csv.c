/* The report as CSV (RFC 4180: CRLF, quotes doubled). Control characters in names are shown as
 * \xNN. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/percent.h"
#include "base/text.h"
#include "output/csv.h"
#include "output/metrics.h"
#include "output/report.h"

static void add_place(struct bytes *out, const struct report *r, uint32_t module, uint32_t file,
		      uint32_t line)
{
	bytes_u8(out, ',');
	csv_text(out, facts_module_path(r->profile, module));
	bytes_u8(out, ',');
	csv_text(out, profile_str(r->profile, file));
	bytes_printf(out, ",%" PRIu32, line);
}

static void add_row(struct bytes *out, const struct report *r, const struct flat *f,
		    const struct flat_row *row)
{
	csv_text(out, row->name);
	bytes_printf(out, ",%s", facts_kind_name(row->kind));
	add_place(out, r, row->module, row->file, row->line);
	bytes_printf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, row->self, row->total,
		     row->self_count, row->total_count);
	csv_percent(out, row->self, f->total);
	csv_error(out, row->self_error);
	csv_percent(out, row->total, f->total);
	csv_error(out, row->total_error);
	for (size_t i = 0; r->counted && i < r->counted->columns.len; i++) {
		struct counted_cell self = report_metric(r, row, i, false);
		struct counted_cell total = report_metric(r, row, i, true);
		metrics_csv_cell(out, &self);
		metrics_csv_cell(out, &total);
	}
	bytes_printf(out, "\r\n");
}

static void add_metric_titles(struct bytes *out, const struct counted *c)
{
	for (size_t i = 0; c && i < c->columns.len; i++) {
		const char *name = c->columns.data[i]->metric->name;
		bytes_u8(out, ',');
		csv_text(out, name);
		bytes_printf(out, ",%s_error,total_%s,total_%s_error", name, name, name);
	}
}

void report_csv_table(struct report *r, const struct flat *f)
{
	uint64_t least = report_least_weight(r, f->total, 0);
	size_t limit = r->options->limit ? r->options->limit : SIZE_MAX;

	/* Several units: of events, each in its own. */
	const char *unit = f->total || !f->rows.len ? unit_name(r->facts.unit) : "weight";

	bytes_printf(
		r->show.out,
		"%s,kind,module,file,line,self_%s,total_%s,self_samples,total_samples,self_percent,"
		"self_error_percent,total_percent,total_error_percent",
		report_by_name(r->options->by), unit, unit);
	add_metric_titles(r->show.out, r->counted);
	bytes_printf(r->show.out, "\r\n");
	for (size_t i = 0; i < f->rows.len && i < limit && f->rows.data[i].self >= least; i++)
		add_row(r->show.out, r, f, &f->rows.data[i]);
}

static void add_node(struct bytes *out, const struct report *r, const struct calltree *t,
		     uint32_t node)
{
	const struct calltree_node *n = &t->nodes.data[node];
	const struct calltree_key *key = &t->keys.data[n->key];

	bytes_printf(out, "%" PRIu32 ",", node);
	if (n->parent != PROFILE_NONE)
		bytes_printf(out, "%" PRIu32, n->parent);
	bytes_u8(out, ',');
	csv_text(out, key->name);
	bytes_printf(out, ",%s", facts_kind_name(n->kind));
	add_place(out, r, key->module, key->file, key->line);
	bytes_printf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\r\n", n->self, n->total,
		     n->self_count, n->count);
}

void report_csv_tree(struct report *r, const struct calltree *t)
{
	const char *unit = unit_name(r->facts.unit);

	bytes_printf(
		r->show.out,
		"id,parent,name,kind,module,file,line,self_%s,total_%s,self_samples,total_samples\r\n",
		unit, unit);
	for (uint32_t i = 0; i < t->nodes.len; i++)
		add_node(r->show.out, r, t, i);
}
