/* The loop: keys to the model, its picture to the terminal, what it asks for done. */
#include "tui/tui.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tui/model.h"
#include "tui/terminal.h"

struct screen {
	struct model model;
	struct grid grid;
};

static void show(struct screen *s)
{
	model_draw(&s->model, &s->grid);
	terminal_show(&s->grid);
}

/* In the last line, before long work. */
static void say_busy(void *context, const char *what)
{
	struct screen *s = context;
	struct grid_area whole = grid_whole(&s->grid);
	unsigned y = s->grid.height - 1;

	grid_fill(&whole, 0, y, whole.width, (struct grid_style){ GRID_PLAIN, 0 });
	grid_text(&whole, 0, y, whole.width, what, (struct grid_style){ GRID_WARN, GRID_BOLD });
	terminal_show(&s->grid);
}

static void resize(struct screen *s)
{
	unsigned width, height;

	terminal_size(&width, &height);
	grid_resize(&s->grid, width, height);
	model_resize(&s->model, width, height);
}

static void copy(struct screen *s, const char *text)
{
	if (terminal_copy(text))
		model_say(&s->model, false, "copied, where the terminal lets us: %s", text);
	else
		model_say(&s->model, false, "%s", text);
}

/* Signals that end prof wait until the file is whole. */
static void write_picture(struct screen *s, const char *path)
{
	const struct tui_host *host = &s->model.in->host;
	struct bytes picture = { 0 };
	struct error err = { 0 };
	sigset_t all, before;

	say_busy(s, "writing the picture ...");
	model_picture(&s->model, &picture);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	int rc = host->write_file ? host->write_file(host->context, path, &picture, &err)
				  : error_set(&err, ERROR_UNSUPPORTED, "files cannot be written");
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (rc < 0)
		model_say(&s->model, true, "%s", err.text);
	else
		model_say(&s->model, false, "wrote %s (open it in a browser)", path);
	bytes_release(&picture);
}

static void save(struct screen *s, const struct effect *e)
{
	struct stat st;

	if (lstat(e->text, &st) < 0 || e->overwrite)
		write_picture(s, e->text);
	else if (stat(e->text, &st) == 0 && !S_ISREG(st.st_mode))
		model_say(&s->model, true, "%s: not a regular file", e->text);
	else
		model_ask_to_overwrite(&s->model, e->text);
}

static void edit(struct screen *s, const struct effect *e)
{
	struct error err = { 0 };

	terminal_leave();
	int rc = editor_run(e->text, e->line, &err);
	terminal_return();
	resize(s);
	if (rc < 0)
		model_say(&s->model, true, "%s", err.text);
}

/* False: the user leaves. */
static bool carry_out(struct screen *s)
{
	struct effect e = model_take_effect(&s->model);

	switch (e.kind) {
	case EFFECT_QUIT:
		return false;
	case EFFECT_REDRAW:
		terminal_redraw();
		break;
	case EFFECT_COPY:
		copy(s, e.text);
		break;
	case EFFECT_SAVE:
		save(s, &e);
		break;
	case EFFECT_MOUSE:
		terminal_take_mouse(s->model.has_mouse);
		break;
	case EFFECT_EDIT:
		edit(s, &e);
		break;
	default:
		break;
	}
	free(e.text);
	return true;
}

static void run(struct screen *s)
{
	resize(s);
	for (;;) {
		show(s);
		struct terminal_event e = terminal_next();
		if (e.gone)
			return;
		if (e.resized)
			resize(s);
		else if (e.has_mouse)
			model_mouse(&s->model, &e.mouse);
		else if (e.key != TUI_KEY_NONE)
			model_key(&s->model, e.key);
		if (!carry_out(s))
			return;
	}
}

int tui_run(const struct tui_input *in, struct error *err)
{
	struct screen s = { .grid = { 0 } };

	/* What is wrong with a filter is said before the screen is taken. */
	if (model_init(&s.model, in, err) < 0)
		return -1;
	if (terminal_start(in->colour, err) < 0) {
		model_release(&s.model);
		return -1;
	}
	grid_resize(&s.grid, 1, 1);
	s.model.can_halve = in->unicode && terminal_has_halves();
	s.model.busy = say_busy;
	s.model.busy_context = &s;
	run(&s);
	terminal_end();
	grid_release(&s.grid);
	model_release(&s.model);
	return 0;
}

void tui_put_terminal_back(void)
{
	restore_now();
}
