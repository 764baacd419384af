/* What is said before and after the rows of prof annotate. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/frames.h"
#include "analysis/origin.h"
#include "analysis/percent.h"
#include "analysis/wrap.h"
#include "base/text.h"
#include "output/annotate.h"

static void add_share(struct wrap *w, const struct annotate_output *o)
{
	const struct annotation *a = o->annotation;
	const struct profile *p = a->profile;
	const struct profile_event *e = a->event < p->events.len ? &p->events.data[a->event] : NULL;
	struct bytes part = { 0 };

	if (a->total) {
		percent_append(&part, a->all.weight, a->total);
		bytes_printf(&part, "%%");
	}
	if (a->all.error == a->all.error) { /* known */
		bytes_printf(&part, " %s", o->show.unicode ? "±" : "+-");
		percent_append_fraction(&part, a->all.error);
	}
	bytes_printf(&part, " of ");
	show_weight(&part, e ? e->unit : (uint8_t)UNIT_COUNT, a->total);
	if (e) {
		CLEANUP_FREE char *name = text_printable(profile_str(p, e->name));
		bytes_printf(&part, " %s", name);
	}
	wrap_take(w, &part);
	char count[32];
	bytes_printf(&part, "%s %s", text_count(count, sizeof(count), a->all.count),
		     p->is_summed	 ? a->all.count == 1 ? "stack" : "stacks"
		     : a->all.count == 1 ? "sample"
					 : "samples");
	wrap_take(w, &part);
	bytes_release(&part);
}

static void add_place(struct wrap *w, const struct annotate_output *o)
{
	const struct calltree_key *key = annotation_key(o->annotation, o->annotation->key);
	struct bytes part = { 0 };

	CLEANUP_FREE char *module =
		show_name(&o->show, frame_module_name(o->annotation->profile, key->module));
	bytes_printf(&part, "%s", module);
	wrap_take(w, &part);
	if (key->file) {
		CLEANUP_FREE char *file = annotate_file_name(o, key->file);
		bytes_printf(&part, "%s", file);
		if (key->line)
			bytes_printf(&part, ":%" PRIu32, key->line);
	}
	wrap_take(w, &part);
	bytes_release(&part);
}

static void show_line(struct annotate_output *o, const struct bytes *text, enum show_style style)
{
	show_begin(&o->show, style);
	bytes_append(o->show.out, text->data, text->len ? text->len - 1 : 0);
	show_end(&o->show, style);
	bytes_u8(o->show.out, '\n');
}

static void print_headline(struct annotate_output *o)
{
	struct wrap w;
	struct bytes line = { 0 }, part = { 0 }, shown = { 0 };
	struct show plain = o->show;
	CLEANUP_FREE char *name =
		show_function(&o->show, annotation_name(o->annotation, o->annotation->key),
			      o->show.width > 2 ? o->show.width - 2 : 1);

	wrap_begin(&w, &line, "", o->show.width, 2);
	bytes_printf(&part, "%s", name);
	wrap_take(&w, &part);
	add_share(&w, o);
	add_place(&w, o);
	wrap_end(&w);
	plain.out = &shown;
	show_text(&plain, (const char *)line.data, line.len);
	show_line(o, &shown, SHOW_BOLD);
	bytes_release(&line);
	bytes_release(&part);
	bytes_release(&shown);
}

/* A sentence of its own, which breaks between words. */
static void say(struct annotate_output *o, enum show_style style, const char *sentence)
{
	struct bytes text = { 0 };
	struct show paragraph = o->show;

	paragraph.out = &text;
	show_paragraph(&paragraph, sentence);
	show_line(o, &text, style);
	bytes_release(&text);
}

/* The kernel's numbers (PERF_TYPE_…, PERF_COUNT_SW_…). */
enum { TYPE_SOFTWARE = 1, TYPE_TRACEPOINT = 2, SOFTWARE_TASK_CLOCK = 1 };

/* Two of these ask for the address of the very instruction. */
static unsigned precision(const char *name)
{
	const char *modifiers = strrchr(name, ':');
	unsigned count = 0;

	if (!modifiers || strspn(modifiers + 1, "ukhGHpPSDIWe") != strlen(modifiers + 1))
		return 0;
	while (*modifiers)
		count += *modifiers++ == 'p';
	return count;
}

/* Is a sample's address that of the instruction it is about? What software counts happens in it,
 * but clocks interrupt whatever they were asked for. */
static bool is_precise(const struct annotation *a)
{
	const struct profile *p = a->profile;

	if (a->event >= p->events.len)
		return false;
	const struct profile_event *e = &p->events.data[a->event];
	if (e->type == TYPE_SOFTWARE)
		return e->config > SOFTWARE_TASK_CLOCK;
	return e->type == TYPE_TRACEPOINT || precision(profile_str(p, e->name)) >= 2;
}

static void say_what_shares_are(struct annotate_output *o)
{
	bool code = o->instructions.items.len > 0 && !is_precise(o->annotation);
	CLEANUP_FREE char *text = xasprintf(
		"shares are of %s%s", o->annotation->of_all ? "all samples" : "the function",
		code ? "; skid: a weight may be the previous instruction's" : "");

	say(o, SHOW_DIM, text);
}

static void say_few(struct annotate_output *o)
{
	if (o->annotation->has_errors || o->annotation->profile->is_summed)
		return;
	CLEANUP_FREE char *text = xasprintf(
		"%" PRIu64 " %s: too few to say how sure these shares are; record longer "
		"or faster (-F)",
		o->annotation->all.count, o->annotation->all.count == 1 ? "sample" : "samples");
	say(o, SHOW_WARN, text);
}

static void say_others(struct annotate_output *o)
{
	const struct annotation *a = o->annotation;
	struct bytes text = { 0 };

	if (!a->others)
		return;
	bytes_printf(&text, "%" PRIu32 " more %s (", a->others,
		     a->others == 1 ? "function fits" : "functions fit");
	percent_append(&text, a->others_weight, a->total);
	bytes_printf(&text, "%%): its whole name, or --module, tells them apart");
	bytes_u8(&text, '\0');
	say(o, SHOW_DIM, (const char *)text.data);
	bytes_release(&text);
}

/* Once for each file of the function's own lines. */
static void say_states(struct annotate_output *o)
{
	const struct annotation *a = o->annotation;

	for (size_t i = 0; i < a->lines.len; i++) {
		uint32_t file = a->lines.data[i].file;
		if (!file || (i && a->lines.data[i - 1].file == file))
			continue;
		enum source_state state = source_texts_state(o->texts, file);
		CLEANUP_FREE char *name = annotate_file_name(o, file);
		CLEANUP_FREE char *text = NULL;
		if (state == SOURCE_CHANGED)
			text = xasprintf("%s has changed since: its lines are shown as recorded",
					 name);
		else if (state == SOURCE_NEWER)
			text = xasprintf("%s is newer than the program: its lines may have moved",
					 name);
		else if (!source_texts_has(o->texts, file) && o->options->view != ANNOTATE_ASM)
			text = xasprintf("no text of %s: --source-dir DIR says where it is", name);
		if (text)
			say(o, SHOW_WARN, text);
	}
}

static bool has_lines(const struct annotation *a)
{
	for (size_t i = 0; i < a->lines.len; i++)
		if (a->lines.data[i].line)
			return true;
	return false;
}

static bool is_kernel(const struct annotate_output *o)
{
	return annotation_key(o->annotation, o->annotation->key)->kind == CODE_KERNEL;
}

static void say_no_lines(struct annotate_output *o)
{
	if (is_kernel(o))
		say(o, SHOW_WARN, "lines and code of the kernel are not recorded");
	if (is_kernel(o) || has_lines(o->annotation) || o->options->view == ANNOTATE_ASM)
		return;
	say(o, SHOW_WARN,
	    "no lines are known of this code: it has no debug information (gcc -g), or 'prof "
	    "symbolize' finds it");
}

static void say_no_code(struct annotate_output *o)
{
	const struct instructions *all = &o->instructions;
	struct bytes text = { 0 };

	if (o->options->view == ANNOTATE_SOURCE || all->missing == 0 || is_kernel(o))
		return;
	if (all->error.code) {
		bytes_printf(&text, "%s", all->error.text);
	} else {
		bytes_printf(&text, "code of ");
		percent_append(&text, all->missing, o->annotation->all.weight);
		bytes_printf(&text,
			     "%% of these samples is not in the recording, which keeps that of "
			     "the hottest functions, nor is the program that ran here");
	}
	bytes_u8(&text, '\0');
	CLEANUP_FREE char *shown = show_name(&o->show, (const char *)text.data);
	say(o, SHOW_WARN, shown);
	bytes_release(&text);
}

void annotate_head(struct annotate_output *o)
{
	print_headline(o);
	say_what_shares_are(o);
	say_few(o);
	say_others(o);
	say_states(o);
	say_no_lines(o);
	say_no_code(o);
}

/* "prof annotate -i FILE FUNCTION". */
static void append_command(struct bytes *out, const struct annotate_output *o)
{
	bytes_printf(out, "prof annotate");
	origin_append(out, o->annotation->profile, " -i ");
	if (!o->options->function)
		return;
	bytes_u8(out, ' ');
	text_append_word(out, o->options->function);
}

static void print_next(struct annotate_output *o)
{
	struct wrap w;
	struct bytes part = { 0 }, line = { 0 }, shown = { 0 };
	struct show plain = o->show;

	wrap_begin(&w, &line, "next: ", o->show.width, 6);
	append_command(&part, o);
	bytes_printf(&part, o->options->whole ? "" : " --whole");
	wrap_take(&w, &part);
	if (o->options->view != ANNOTATE_ASM) {
		bytes_printf(&part, "--asm");
		wrap_take(&w, &part);
	}
	if (o->options->view != ANNOTATE_SOURCE) {
		bytes_printf(&part, "--source");
		wrap_take(&w, &part);
	}
	wrap_end(&w);
	plain.out = &shown;
	show_text(&plain, (const char *)line.data, line.len);
	show_line(o, &shown, SHOW_DIM);
	bytes_release(&part);
	bytes_release(&line);
	bytes_release(&shown);
}

void annotate_rest(struct annotate_output *o, size_t left, uint64_t left_weight, const char *one,
		   const char *many)
{
	if (left) {
		struct bytes share = { 0 };
		percent_append(&share, left_weight, annotation_base(o->annotation));
		bytes_printf(&share, "%%");
		bytes_u8(&share, '\0');
		show_cell(&o->show, (const char *)share.data, 6, true);
		bytes_printf(o->show.out, "  %zu more %s\n", left, left == 1 ? one : many);
		bytes_release(&share);
	}
	print_next(o);
}
