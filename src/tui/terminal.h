/* The terminal: ncurses stays behind this. Private to tui/. */
#ifndef PROF_TUI_TERMINAL_H
#define PROF_TUI_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "tui/grid.h"
#include "tui/model.h"

/* TERM, or "dumb". */
const char *terminal_name(void);
/* Takes the terminal over: standard input and output. -1: it cannot place text. */
int terminal_start(bool colour, struct error *err);
/* Gives it back as it was; may be called again. */
void terminal_end(void);
/* Has it the colours to tell half blocks apart? */
bool terminal_has_halves(void);
/* For another program; and back. */
void terminal_leave(void);
void terminal_return(void);
void terminal_size(unsigned *width, unsigned *height);
void terminal_show(const struct grid *g);

/* What has happened: one of these. */
struct terminal_event {
	uint32_t key; /* TUI_KEY_…, or a code point */
	bool has_mouse;
	struct tui_mouse mouse;
	bool resized;
	bool gone; /* there is nobody any more */
};

/* Waits for the next. */
struct terminal_event terminal_next(void);
/* Whether clicks come here, else the terminal does with them what it likes. */
void terminal_take_mouse(bool wanted);
/* Forget what is on the screen. */
void terminal_redraw(void);
/* Ask it to take text as its clipboard's (OSC 52). False where it may not know that. */
bool terminal_copy(const char *text);

/* Colours of a grid, for ncurses. */
struct terminal_look {
	unsigned long attributes;
	short pair;
};

void colours_start(bool wanted);
struct terminal_look colours_of(const struct grid_cell *c);
bool colours_have_halves(void);

/* The terminal as it was is remembered: a signal that ends the process puts it back. restore_now()
 * does it without ncurses. */
void restore_remember(void);
void restore_arm(bool armed);
/* A signal gives the mouse back, too. */
void restore_mouse(void);
void restore_forget(void);
void restore_now(void);

/* Runs $VISUAL or $EDITOR, else vi, for path at line. -1 when it cannot be started. */
int editor_run(const char *path, uint32_t line, struct error *err);

#endif
