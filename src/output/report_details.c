/* Other names of a row's function: the mark behind its name, and the lines below it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/function_name.h"
#include "analysis/wrap.h"
#include "base/text.h"
#include "output/names.h"
#include "output/report.h"

#define DETAIL_INDENT	21u /* below the names */
#define MARK_NAME_WIDTH ((size_t)24)
#define OWN_NAME_WIDTH	((size_t)16)

/* With the first one's name where that leaves room for the row's own. */
static char *mark_of(const struct report *r, const struct row_names *n, const char *own,
		     size_t width)
{
	uint64_t more = row_names_folded(n) - 1;
	struct bytes last = { 0 };
	CLEANUP_FREE char *own_shown = show_name(&r->show, own);
	size_t needed = text_width(own_shown, strlen(own_shown));

	function_name_append_last(&last, row_names_get(&n->folded, 0));
	bytes_u8(&last, '\0');
	CLEANUP_FREE char *name = show_name(&r->show, (const char *)last.data);
	CLEANUP_FREE char *shown = show_elide(&r->show, name, MARK_NAME_WIDTH);
	bytes_release(&last);
	char *mark = more ? xasprintf(" (same code as %s, +%" PRIu64 ")", shown, more)
			  : xasprintf(" (same code as %s)", shown);
	needed = needed < OWN_NAME_WIDTH ? needed
					 : OWN_NAME_WIDTH; /* longer ones are shortened to that */
	if (text_width(mark, strlen(mark)) + needed <= width)
		return mark;
	free(mark);
	mark = xasprintf(" (+%" PRIu64 " same code)", more + 1);
	if (text_width(mark, strlen(mark)) + needed > width)
		*mark = '\0';
	return mark;
}

char *report_folded_mark(const struct report *r, const struct flat *f, const struct flat_row *row,
			 size_t width)
{
	struct row_names n;
	char *mark;

	row_names_collect(&n, r->profile, f, row);
	bool folded = row_names_count(&n.folded) > 0;
	mark = folded ? mark_of(r, &n, row->name, width) : xstrdup("");
	row_names_release(&n);
	return mark;
}

struct line {
	struct wrap wrap;
	struct bytes text, part;
	struct report *report;
	bool begun;
};

static void add_part(struct line *l, const char *label, const char *text)
{
	CLEANUP_FREE char *shown = show_name(&l->report->show, text);

	if (!l->begun) {
		CLEANUP_FREE char *start = xasprintf("%*s%s", (int)DETAIL_INDENT, "", label);
		wrap_begin(&l->wrap, &l->text, start, l->report->show.width, DETAIL_INDENT + 2);
		l->begun = true;
	}
	bytes_printf(&l->part, "%s", shown);
	wrap_take(&l->wrap, &l->part);
}

static void end_line(struct line *l)
{
	struct show *s = &l->report->show;

	if (l->begun) {
		wrap_end(&l->wrap);
		show_begin(s, SHOW_DIM);
		show_text(s, (const char *)l->text.data, l->text.len - 1);
		show_end(s, SHOW_DIM);
		bytes_u8(s->out, '\n');
	}
	bytes_release(&l->text);
	bytes_release(&l->part);
}

static void print_list(struct report *r, const char *label, const struct strtab *list,
		       uint64_t more)
{
	struct line l = { .report = r };

	for (size_t i = 0; i < row_names_count(list); i++)
		add_part(&l, label, row_names_get(list, i));
	if (more) {
		CLEANUP_FREE char *rest = xasprintf("%" PRIu64 " more", more);
		add_part(&l, label, rest);
	}
	end_line(&l);
}

static void print_remark(struct report *r, const char *text)
{
	struct line l = { .report = r };

	add_part(&l, "", text);
	end_line(&l);
}

void report_text_details(struct report *r, const struct flat *f, const struct flat_row *row)
{
	struct row_names n;

	row_names_collect(&n, r->profile, f, row);
	if (row_names_count(&n.symbols) != 1 ||
	    strcmp(row_names_get(&n.symbols, 0), row->name) != 0)
		print_list(r, "symbol: ", &n.symbols, 0);
	print_list(r, "version: ", &n.versions, 0);
	print_list(r, "also called: ", &n.aliases, n.more_aliases);
	print_list(r, "same code: ", &n.folded, n.more_folded);
	if (n.ifunc)
		print_remark(r, "resolver of an indirect function");
	if (n.unique)
		print_remark(r, "unique in the process");
	row_names_release(&n);
}
