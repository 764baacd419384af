/* Results of prof stat, written as they come. */
#include "cmd/stat_show.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/io.h"
#include "base/text.h"
#include "cmd/terminal.h"
#include "output/stat.h"

#define HEADING_EVERY 25 /* intervals */

/* Intervals are for somebody who looks on: they go to the file itself; a result alone takes the
 * place of a former one when it is whole. */
static int open_output(struct stat_show *s, struct error *err)
{
	const char *path = s->words->output;

	s->fd = STDERR_FILENO;
	if (!path)
		return 0;
	if (strcmp(path, "-") == 0) {
		s->fd = STDOUT_FILENO;
		return 0;
	}
	s->replaces = !s->words->interval_ns;
	if (s->replaces && replace_begin(&s->replace, path, REPLACE_USUAL_MODE, err) < 0)
		return -1;
	s->fd = s->replaces ? s->replace.fd
			    : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
	return s->fd < 0 ? error_set_errno(err, errno, "%s", path) : 0;
}

int stat_show_begin(struct stat_show *s, const struct stat_words *words,
		    const struct stat_plan *plan)
{
	struct error err = { 0 };

	*s = (struct stat_show){ .words = words, .plan = plan };
	if (open_output(s, &err) < 0)
		return cmd_fail(&command_stat, &err, EXIT_FAILED);
	s->title = stat_title(&plan->options);
	s->again = stat_again(&plan->options);
	return EXIT_DONE;
}

/* What does not go into the file is not lost: it is shown instead. */
static void write_out(struct stat_show *s, struct bytes *out)
{
	if (io_write_full(s->fd, out->data, out->len) != 0) {
		s->errnum = s->errnum ? s->errnum : errno;
		if (s->words->output)
			(void)io_write_full(STDERR_FILENO, out->data, out->len);
	}
	bytes_release(out);
}

static struct stat_view view_of(const struct stat_show *s)
{
	return (struct stat_view){
		.title = s->title,
		.again = s->again,
		.warmups = s->plan->warmups,
		.notes = s->notes.data,
		.note_count = s->words->quiet ? 0 : s->notes.len,
		.metrics = &s->plan->metrics,
		.cpus = s->plan->cpu_count,
		.threads_per_core = s->plan->threads_per_core,
		.slots = s->plan->slots,
		.width = s->words->output ? 0 : terminal_width(),
		.unicode = text_is_unicode(),
		.verbose = s->words->verbose > 0,
	};
}

static const char *separator_of(const struct stat_words *w)
{
	return w->separator ? w->separator : w->csv ? "," : NULL;
}

void stat_show_interval(void *ctx, const struct counter_table *t)
{
	struct stat_show *s = ctx;
	const char *separator = separator_of(s->words);
	struct stat_view view = view_of(s);
	struct bytes out = { 0 };

	s->shown_ns += t->elapsed_ns;
	if (s->words->json)
		output_stat_json_interval(&out, &view, t, s->shown_ns);
	else if (separator)
		output_stat_csv_interval(&out, &view, t, s->shown_ns, separator, !s->begun);
	else
		output_stat_text_interval(&out, &view, t, s->shown_ns,
					  s->intervals++ % HEADING_EVERY == 0);
	s->begun = true;
	write_out(s, &out);
}

/* A line each. */
static void add_lines(struct stat_show *s, const struct bytes *lines)
{
	const char *at = (const char *)lines->data, *end = at + lines->len;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((newline ? newline : end) - at);
		if (len)
			vec_push(&s->notes, xstrndup(at, len));
		at += len + 1;
	}
}

void stat_show_notes(struct stat_show *s, char *const *notes, size_t count)
{
	for (size_t i = 0; i < s->notes.len; i++)
		free(s->notes.data[i]);
	vec_clear(&s->notes);
	for (size_t i = 0; i < count; i++)
		vec_push(&s->notes, xstrdup(notes[i]));
	if (s->plan->notes.len)
		add_lines(s, &s->plan->notes);
}

void stat_show_runs(struct stat_show *s, const struct counter_run *runs, size_t count)
{
	const char *separator = separator_of(s->words);
	struct stat_view view = view_of(s);
	struct bytes out = { 0 };

	view.runs = runs;
	view.run_count = count;
	if (s->words->json) {
		output_stat_json(&out, &view, s->words->interval_ns > 0);
	} else if (separator) {
		output_stat_csv(&out, &view, separator, !s->begun);
	} else {
		if (s->begun)
			bytes_u8(&out, '\n');
		output_stat_text(&out, &view);
	}
	s->begun = true;
	write_out(s, &out);
}

static int finish_file(struct stat_show *s, struct error *err)
{
	if (s->errnum) {
		if (s->replaces)
			replace_abandon(&s->replace);
		return s->words->output ? error_set_errno(err, s->errnum, "%s", s->words->output)
					: 0; /* standard error: nobody to tell */
	}
	if (s->replaces && !s->begun) /* nothing was counted: what was there stays */
		replace_abandon(&s->replace);
	else if (s->replaces)
		return replace_finish(&s->replace, false, err);
	return 0;
}

int stat_show_end(struct stat_show *s)
{
	struct error err = { 0 };
	int rc = finish_file(s, &err);

	if (!s->replaces && s->fd > STDERR_FILENO)
		close(s->fd);
	for (size_t i = 0; i < s->notes.len; i++)
		free(s->notes.data[i]);
	vec_release(&s->notes);
	free(s->title);
	free(s->again);
	return rc == 0 ? EXIT_DONE : cmd_fail(&command_stat, &err, EXIT_FAILED);
}
