/* What the screen has below the functions: the hottest lines with their text, and the hot path. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "output/report.h"

#define PLACE_WIDTH   ((size_t)22) /* of "file.c:123" */
#define NUMBERS_WIDTH ((size_t)14) /* of share and error */
#define NAME_WIDTH    ((size_t)28) /* of a function in the path */
#define BRANCH_WIDTH  ((size_t)20)
#define LONGEST_TEXT  ((size_t)4000)

const char *report_line_text(const struct report *r, const struct hot_line *line, size_t *len)
{
	/* Lines of a file that is newer than the program may have moved. */
	if (source_texts_state(&r->texts, line->file) != SOURCE_AS_RECORDED)
		return NULL;
	return source_texts_line(&r->texts, line->file, line->line, len);
}

/* The line's text without its indentation, tabs as spaces; without a text, its function. */
char *report_line_shown(const struct report *r, const struct hot_line *line)
{
	size_t len = 0;
	const char *text = report_line_text(r, line, &len);

	if (!text) {
		const struct profile_function *f = &r->profile->functions.data[line->function];
		CLEANUP_FREE char *in = xasprintf("in %s", profile_str(r->profile, f->name));
		return show_name(&r->show, in);
	}
	for (; len && (*text == ' ' || *text == '\t'); len--)
		text++;
	CLEANUP_FREE char *copy =
		xasprintf("%.*s", (int)(len < LONGEST_TEXT ? len : LONGEST_TEXT), text);
	for (char *at = copy; *at; at++)
		*at = (char)(*at == '\t' ? ' ' : *at);
	return show_name(&r->show, copy);
}

static char *shown_place(const struct report *r, const struct hot_line *line)
{
	const char *path = profile_str(r->profile, line->file), *slash = strrchr(path, '/');
	CLEANUP_FREE char *place =
		xasprintf("%s:%" PRIu32, slash && slash[1] ? slash + 1 : path, line->line);
	CLEANUP_FREE char *name = show_name(&r->show, place);

	return show_elide(&r->show, name, PLACE_WIDTH);
}

static size_t width_of(const char *text)
{
	return text_width(text, strlen(text));
}

static void print_line(struct report *r, const struct hot_line *line, size_t place_width)
{
	struct show *s = &r->show;
	CLEANUP_FREE char *place = shown_place(r, line), *full = report_line_shown(r, line);
	size_t used = NUMBERS_WIDTH + place_width + 2;
	CLEANUP_FREE char *text = show_start(s, full, s->width > used ? s->width - used : 0);

	show_percent_cell(s, line->weight, r->lines.total, 6);
	show_error_cell(s, "", show_share(line->weight, r->lines.total), line->error, 6);
	bytes_printf(s->out, "  ");
	show_cell(s, place, *text ? place_width : 0, false);
	bytes_printf(s->out, *text ? "  %s\n" : "\n", text);
}

void report_text_lines(struct report *r, size_t most)
{
	struct show *s = &r->show;
	size_t count = r->lines.rows.len < most ? r->lines.rows.len : most, width = 4;

	for (size_t i = 0; i < count; i++) {
		CLEANUP_FREE char *place = shown_place(r, &r->lines.rows.data[i]);
		width = width_of(place) > width ? width_of(place) : width;
	}
	if (!count)
		return;
	show_begin(s, SHOW_DIM);
	bytes_printf(s->out, "  SELF     %s  LINE", s->unicode ? "±" : "+-");
	show_end(s, SHOW_DIM);
	bytes_u8(s->out, '\n');
	for (size_t i = 0; i < count; i++)
		print_line(r, &r->lines.rows.data[i], width);
}

/* "97", of all; "<1". */
static char *whole_percent(const struct report *r, uint64_t total)
{
	uint64_t all = r->tree->total;
	unsigned percent = all ? (unsigned)(((unsigned __int128)total * 100 + all / 2) / all) : 0;

	percent = percent == 100 && total < all ? 99 : percent;
	return percent || !total ? xasprintf("%u", percent) : xstrdup("<1");
}

static const char *node_name(const struct report *r, uint32_t node)
{
	return r->tree->keys.data[r->tree->nodes.data[node].key].name;
}

/* Owned strings. */
struct step_text {
	char *name, *share;
	bool same; /* its share is shown as the one before */
};

static void name_steps(const struct report *r, struct step_text *texts)
{
	for (size_t i = 0; i < r->path.steps.len; i++) {
		const struct hot_path_step *step = &r->path.steps.data[i];
		char times[24] = "";
		if (step->times > 1)
			snprintf(times, sizeof(times), "%s%" PRIu32, r->show.unicode ? " ×" : " x",
				 step->times);
		CLEANUP_FREE char *name =
			show_function(&r->show, node_name(r, step->node), NAME_WIDTH);
		texts[i].name = xasprintf("%s%s", name, times);
		texts[i].share = whole_percent(r, r->tree->nodes.data[step->node].total);
		texts[i].same = i && strcmp(texts[i].share, texts[i - 1].share) == 0;
	}
}

static bool has_split(const struct hot_path *p)
{
	return p->branch_count > 1 || (p->branch_count && p->branches[0].node != PROFILE_NONE);
}

/* " ┬ tokenize 35, grow 26", as many as fit but one at least; or "". */
static char *name_branches(const struct report *r, size_t width)
{
	struct bytes out = { 0 };

	for (uint32_t i = 0; i < r->path.branch_count && has_split(&r->path); i++) {
		const struct hot_path_branch *b = &r->path.branches[i];
		CLEANUP_FREE char *share = whole_percent(r, b->total);
		CLEANUP_FREE char *name =
			b->node == PROFILE_NONE
				? xstrdup("self")
				: show_function(&r->show, node_name(r, b->node), BRANCH_WIDTH);
		CLEANUP_FREE char *text = xasprintf("%s%s %s",
						    i		      ? ", "
						    : r->show.unicode ? " ┬ "
								      : " -< ",
						    name, share);
		if (i && text_width((const char *)out.data, out.len) + width_of(text) > width)
			break;
		bytes_printf(&out, "%s", text);
	}
	bytes_u8(&out, '\0');
	return (char *)out.data;
}

struct path_text {
	const struct step_text *steps;
	size_t count, width; /* width: that the names may take */
	const char *joint, *more;
};

static size_t step_width(const struct step_text *s, bool with_share)
{
	return width_of(s->name) + (with_share ? 1 + width_of(s->share) : 0);
}

/* How many names from the first on to leave out, so that the last ones fit. */
static size_t count_left_out(const struct path_text *t)
{
	size_t used = 0, from = t->count, joint = width_of(t->joint);

	for (; from > 0; from--) {
		const struct step_text *step = &t->steps[from - 1];
		size_t mark = from > 1 ? width_of(t->more) + 4 + joint : 0;
		size_t first = used + step_width(step, true) + (used ? joint : 0);
		if (used && first + mark > t->width)
			break;
		used += step_width(step, !step->same) + (used ? joint : 0);
	}
	return from;
}

/* A share stands behind the first name, and where it changes. */
static void append_path(const struct path_text *t, struct bytes *out)
{
	size_t from = count_left_out(t);

	if (from)
		bytes_printf(out, "%s%zu%s", t->more, from, t->joint);
	for (size_t i = from; i < t->count; i++) {
		bytes_printf(out, "%s%s", i > from ? t->joint : "", t->steps[i].name);
		if (i == from || !t->steps[i].same)
			bytes_printf(out, " %s", t->steps[i].share);
	}
}

static void print_path(struct report *r, const struct step_text *steps)
{
	struct show *s = &r->show;
	CLEANUP_FREE char *split = name_branches(r, s->width / 2);
	size_t taken = strlen("path: ") + width_of(split);
	struct path_text t = { steps, r->path.steps.len, s->width > taken ? s->width - taken : 0,
			       s->unicode ? " › " : " > ", s->unicode ? "…" : ".." };
	struct bytes line = { 0 };

	append_path(&t, &line);
	bytes_u8(&line, '\0');
	CLEANUP_FREE char *shown =
		show_elide(s, (const char *)line.data, t.width > 10 ? t.width : 10);
	bytes_printf(s->out, "path: %s%s\n", shown, split);
	bytes_release(&line);
}

/* A path of one function says no more than its row. */
void report_text_path(struct report *r)
{
	size_t count = r->path.steps.len;
	struct step_text *texts = xcalloc(count, sizeof(*texts));

	if (count > 1) {
		name_steps(r, texts);
		print_path(r, texts);
	}
	for (size_t i = 0; i < count; i++) {
		free_ptr(&texts[i].name);
		free_ptr(&texts[i].share);
	}
	free_ptr(&texts);
}
