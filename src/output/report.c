/* prof report: which view, in which format. */
#include "output/report.h"

#include <string.h>

#include "analysis/neighbours.h"

struct view {
	const struct profile *profile;
	const struct filter_result *samples;
	uint32_t event;
};

struct counted_cell report_metric(const struct report *r, const struct flat_row *row, size_t column,
				  bool total)
{
	struct counted_cell cell;

	counted_cell(r->counted, total ? &r->counts.total : &r->counts.self, row->id, column,
		     &cell);
	return cell;
}

static void print_table(struct report *r, const struct flat *f)
{
	switch (r->options->format) {
	case REPORT_JSON:
		report_json_table(r, f);
		break;
	case REPORT_CSV:
		report_csv_table(r, f);
		break;
	case REPORT_MARKDOWN:
		report_md_table(r, f);
		break;
	default:
		report_text_head(r);
		report_text_table(r, f);
	}
}

static void print_tree(struct report *r, const struct calltree *t)
{
	switch (r->options->format) {
	case REPORT_JSON:
		report_json_tree(r, t);
		break;
	case REPORT_CSV:
		report_csv_tree(r, t);
		break;
	default:
		report_text_head(r);
		report_text_tree(r, t);
	}
}

/* Lines and the path are of functions' call tree. */
static void report_functions(struct report *r, const struct view *v)
{
	struct flat f;
	struct calltree tree;
	const struct calltree_options *frames = &r->options->frames;

	flat_build_with_tree(&f, &tree, v->profile, v->samples, v->event, frames);
	if (r->options->format != REPORT_CSV) {
		r->tree = &tree;
		hot_lines_find(&r->lines, v->profile, v->samples, v->event, frames->no_inline,
			       REPORT_HOT_LINES);
		hot_path_find(&r->path, &tree);
		source_texts_init(&r->texts, v->profile);
	}
	print_table(r, &f);
	source_texts_release(&r->texts);
	hot_path_release(&r->path);
	hot_lines_release(&r->lines);
	calltree_release(&tree);
	flat_release(&f);
}

static void report_flat(struct report *r, const struct view *v)
{
	struct flat f;

	if (r->options->by == FLAT_BY_FUNCTION) {
		report_functions(r, v);
		return;
	}
	flat_build(&f, v->profile, v->samples, v->event, r->options->by, &r->options->frames);
	print_table(r, &f);
	flat_release(&f);
}

/* With columns of metrics. */
static int report_counted(struct report *r, const struct view *v, struct error *err)
{
	struct counted counted;
	const struct report_options *o = r->options;

	if (counted_init(&counted, v->profile, v->event, "--columns", o->columns, err) < 0)
		return -1;
	flat_count(&r->counts, &counted, v->samples, o->by, &o->frames);
	r->counted = &counted;
	report_flat(r, v);
	flat_counts_release(&r->counts);
	counted_release(&counted);
	return 0;
}

/* The first level or the frames of a tree follow --by. People see direct recursion as one frame. */
static struct calltree_options tree_frames(const struct report_options *options)
{
	struct calltree_options frames = options->frames;

	frames.by_module |= options->by == FLAT_BY_MODULE;
	frames.by_line |= options->by == FLAT_BY_LINE;
	frames.by_thread |= options->by == FLAT_BY_THREAD;
	frames.merge_recursion |= options->format == REPORT_TEXT;
	return frames;
}

static int report_neighbours(struct report *r, const struct view *v, struct error *err)
{
	struct calltree t;
	struct calltree_options frames = tree_frames(r->options);
	const struct report_options *o = r->options;
	int rc = o->callers ? calltree_callers(&t, v->profile, v->samples, v->event, &frames,
					       "--callers", o->callers, err)
			    : calltree_callees(&t, v->profile, v->samples, v->event, &frames,
					       "--callees", o->callees, err);

	if (rc < 0)
		return -1;
	print_tree(r, &t);
	calltree_release(&t);
	return 0;
}

static int report_peek(struct report *r, const struct view *v, struct error *err)
{
	struct calltree callers, callees;
	struct calltree_options frames = tree_frames(r->options);
	const char *peek = r->options->peek;

	if (calltree_callers(&callers, v->profile, v->samples, v->event, &frames, "--peek", peek,
			     err) < 0)
		return -1;
	int rc = calltree_callees(&callees, v->profile, v->samples, v->event, &frames, "--peek",
				  peek, err);
	if (rc == 0) {
		if (r->options->format == REPORT_JSON) {
			report_json_peek(r, &callers, &callees);
		} else {
			report_text_head(r);
			report_text_peek(r, &callers, &callees);
		}
		calltree_release(&callees);
	}
	calltree_release(&callers);
	return rc;
}

static int report_tree(struct report *r, const struct view *v, struct error *err)
{
	struct calltree t;
	struct calltree_options frames = tree_frames(r->options);

	if (r->options->peek)
		return report_peek(r, v, err);
	if (r->around)
		return report_neighbours(r, v, err);
	calltree_build(&t, v->profile, v->samples, v->event, &frames);
	print_tree(r, &t);
	calltree_release(&t);
	return 0;
}

bool report_is_screen(const struct report *r)
{
	const struct report_options *o = r->options;

	return o->format == REPORT_TEXT && o->by == FLAT_BY_FUNCTION && !o->tree && !r->around;
}

static void find_findings(struct report *r, const struct view *v)
{
	struct findings_input in = { .profile = v->profile,
				     .samples = v->samples,
				     .event = v->event,
				     .health = &r->health,
				     .selection = r->options->selection };

	bool whole = r->options->format == REPORT_JSON || r->options->format == REPORT_MARKDOWN;

	if (whole || report_is_screen(r))
		findings_compute(&r->findings, &in);
}

static void report_init(struct report *r, struct bytes *out, const struct view *v,
			const struct report_options *o)
{
	memset(r, 0, sizeof(*r));
	r->show.out = out;
	r->show.width = o->width ? o->width : 80;
	r->show.colour = o->colour;
	r->show.unicode = o->unicode;
	r->profile = v->profile;
	r->options = o;
	r->emptied_by = v->samples->emptied_by;
	r->around = o->peek ? o->peek : o->callers ? o->callers : o->callees;
	facts_compute(&r->facts, v->profile, v->samples, v->event);
	health_compute(&r->health, v->profile, v->samples);
	find_findings(r, v);
}

int output_report(struct bytes *out, const struct profile *p, const struct filter_result *samples,
		  uint32_t event, const struct report_options *options, struct error *err)
{
	struct view v = { p, samples, event };
	struct report r;
	int rc = 0;

	report_init(&r, out, &v, options);
	if (options->tree || r.around)
		rc = report_tree(&r, &v, err);
	else if (options->columns)
		rc = report_counted(&r, &v, err);
	else
		report_flat(&r, &v);
	findings_release(&r.findings);
	return rc;
}

void output_report_head(struct bytes *out, const struct profile *p,
			const struct filter_result *samples, uint32_t event,
			const struct report_options *options)
{
	struct view v = { p, samples, event };
	struct report_options o = *options;
	struct report r;

	o.tree = true; /* without findings */
	report_init(&r, out, &v, &o);
	report_text_facts(&r);
}

void output_report_findings(struct bytes *out, const struct profile *p,
			    const struct filter_result *samples, uint32_t event,
			    const struct report_options *options)
{
	struct view v = { p, samples, event };
	struct report_options o = { .format = REPORT_TEXT,
				    .width = options->width,
				    .colour = options->colour,
				    .unicode = options->unicode,
				    .selection = options->selection };
	struct report r;

	report_init(&r, out, &v, &o);
	report_text_all_findings(&r);
	findings_release(&r.findings);
}
