/* Files for the interactive view: source that is read, pictures that are written. */
#include "cmd/interactive.h"

#include <errno.h>

#include "base/io.h"
#include "cmd/annotate_program.h"
#include "cmd/annotate_sources.h"
#include "cmd/replace.h"

struct host {
	struct profile *profile;
	const struct source_places *places;
};

static void read_sources(void *context, struct source_texts *texts, const struct annotation *a,
			 bool all)
{
	const struct host *h = context;

	annotate_sources_read(texts, a, h->places, all);
}

static void read_file(void *context, struct source_texts *texts, uint32_t module, uint32_t file)
{
	const struct host *h = context;

	annotate_sources_read_file(texts, h->profile, module, file, h->places);
}

/* The whole function is not asked for where all of its samples have code: that takes a process. */
static int read_program(void *context, const struct annotation *a, bool *changed, struct error *err)
{
	const struct host *h = context;

	return annotate_program_is_wanted(a) ? annotate_program_read(h->profile, a, changed, err)
					     : 0;
}

static char *find_source(void *context, const char *name)
{
	const struct host *h = context;

	return annotate_source_path(h->places, name);
}

static int write_file(void *context, const char *path, const struct bytes *text, struct error *err)
{
	struct replace r;

	(void)context;
	if (replace_begin(&r, path, REPLACE_USUAL_MODE, err) < 0)
		return -1;
	if (io_write_full(r.fd, text->data, text->len) == 0)
		return replace_finish(&r, false, err);
	error_set_errno(err, errno, "%s", path);
	replace_abandon(&r);
	return -1;
}

int cmd_show_interactively(const struct command *cmd, struct profile *p, struct tui_input *in,
			   const struct source_places *places)
{
	struct error err = { 0 };
	struct host host = { p, places };

	in->host = (struct tui_host){ .context = &host,
				      .read_program = read_program,
				      .read_sources = read_sources,
				      .read_file = read_file,
				      .find_source = find_source,
				      .write_file = write_file };
	if (tui_run(in, &err) == 0)
		return EXIT_DONE;
	return cmd_fail(cmd, &err, cmd_status(&err));
}
