/* ncurses: the only file, beside colours.c and restore.c, that knows it. */
#include "tui/terminal.h"

#include <errno.h>
#include <locale.h>
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "base/base64.h"
#include "base/io.h"
#include "tui/model.h"
#include "tui/tui.h"

#define ESCAPE_DELAY_MS 25
#define DOUBLE_CLICK_NS UINT64_C(400000000)
#define LONGEST_COPY	((size_t)48 << 10) /* terminals take up to 100 kB of base64 */

#define MOST_WAITING 8 /* ncurses keeps as many */
#define MOUSE_EVENTS (BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON4_PRESSED | BUTTON5_PRESSED)

static MEVENT events[MOST_WAITING]; /* of the mouse, that came at once: the last one first */
static unsigned waiting;
static SCREEN *screen;
static FILE *output;	  /* of its own, so that nothing else is in its buffer */
static unsigned failures; /* of reading, one after the other */

int terminal_start(bool colour, struct error *err)
{
	if (!tui_is_possible(err))
		return -1;
	restore_remember();
	/* The terminal knows its size; these may be old, and would keep it from changing. */
	unsetenv("LINES");
	unsetenv("COLUMNS");
	output = fdopen(dup(STDOUT_FILENO), "w");
	screen = output ? newterm(NULL, output, stdin) : NULL;
	if (!screen)
		return error_set(err, ERROR_UNSUPPORTED, "the terminal '%s' cannot be used",
				 terminal_name());
	set_term(screen);
	restore_arm(true);
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	set_escdelay(ESCAPE_DELAY_MS);
	mouseinterval(0);
	terminal_take_mouse(true);
	curs_set(0);
	colours_start(colour);
	return 0;
}

void terminal_end(void)
{
	if (!screen)
		return;
	endwin();
	restore_forget();
	delscreen(screen);
	fclose(output);
	screen = NULL;
}

bool terminal_has_halves(void)
{
	return colours_have_halves();
}

void terminal_leave(void)
{
	endwin();
	restore_arm(false);
}

void terminal_return(void)
{
	restore_arm(true);
	clearok(stdscr, TRUE);
	refresh();
}

void terminal_take_mouse(bool wanted)
{
	if (mousemask(wanted ? MOUSE_EVENTS : 0, NULL))
		restore_mouse();
}

void terminal_size(unsigned *width, unsigned *height)
{
	int rows, columns;

	getmaxyx(stdscr, rows, columns);
	*width = (unsigned)(columns > 0 ? columns : 1);
	*height = (unsigned)(rows > 0 ? rows : 1);
}

static void show_cell(unsigned x, unsigned y, const struct grid_cell *c)
{
	wchar_t text[GRID_MARKS + 2] = { (wchar_t)c->base };
	struct terminal_look look = colours_of(c);
	cchar_t cell;

	for (size_t i = 0; i < GRID_MARKS && c->marks[i]; i++)
		text[i + 1] = (wchar_t)c->marks[i];
	/* What the C library takes for something else than we do must not shift the line. */
	if (c->base >= 0x80 && wcwidth((wchar_t)c->base) < 1)
		text[0] = L'?', text[1] = L'\0';
	if (setcchar(&cell, text, (attr_t)look.attributes, look.pair, NULL) == OK)
		mvadd_wch((int)y, (int)x, &cell);
}

void terminal_show(const struct grid *g)
{
	erase();
	for (unsigned y = 0; y < g->height; y++)
		for (unsigned x = 0; x < g->width; x++) {
			const struct grid_cell *c = &g->cells[(size_t)y * g->width + x];
			if (c->base)
				show_cell(x, y, c);
		}
	refresh();
}

void terminal_redraw(void)
{
	clearok(stdscr, TRUE);
}

static uint32_t special(wint_t code)
{
	static const struct {
		wint_t code;
		uint32_t key;
	} keys[] = {
		{ KEY_UP, TUI_KEY_UP },
		{ KEY_DOWN, TUI_KEY_DOWN },
		{ KEY_LEFT, TUI_KEY_LEFT },
		{ KEY_RIGHT, TUI_KEY_RIGHT },
		{ KEY_HOME, TUI_KEY_HOME },
		{ KEY_FIND, TUI_KEY_HOME },
		{ KEY_END, TUI_KEY_END },
		{ KEY_SELECT, TUI_KEY_END },
		{ KEY_PPAGE, TUI_KEY_PAGE_UP },
		{ KEY_NPAGE, TUI_KEY_PAGE_DOWN },
		{ KEY_DC, TUI_KEY_DELETE },
		{ KEY_ENTER, TUI_KEY_ENTER },
		{ KEY_BACKSPACE, TUI_KEY_BACKSPACE },
	};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (keys[i].code == code)
			return keys[i].key;
	return TUI_KEY_NONE;
}

/* What came at once is told last first. */
static void read_mouse(void)
{
	MEVENT event;

	for (waiting = 0; waiting < MOST_WAITING && getmouse(&event) == OK;)
		if (event.x >= 0 && event.y >= 0 && event.bstate & MOUSE_EVENTS)
			events[waiting++] = event;
}

static struct terminal_event next_mouse(void)
{
	static struct tui_mouse last;
	static uint64_t last_ns;
	uint64_t now = clock_monotonic_ns();
	const MEVENT *event = &events[--waiting];
	struct tui_mouse mouse = { .button = event->bstate & BUTTON4_PRESSED	? TUI_WHEEL_UP
					     : event->bstate & BUTTON5_PRESSED	? TUI_WHEEL_DOWN
					     : event->bstate & BUTTON1_RELEASED ? TUI_RELEASE
										: TUI_CLICK,
				   .x = (unsigned)event->x,
				   .y = (unsigned)event->y };

	if (mouse.button == TUI_CLICK) {
		mouse.is_repeated =
			now - last_ns < DOUBLE_CLICK_NS && last.x == mouse.x && last.y == mouse.y;
		last = mouse;
		last_ns = now;
	}
	return (struct terminal_event){ .has_mouse = true, .mouse = mouse };
}

struct terminal_event terminal_next(void)
{
	static const unsigned patience = 32; /* bytes that are no characters fail, too */
	struct terminal_event e = { .key = TUI_KEY_NONE };
	wint_t code = 0;

	if (waiting)
		return next_mouse();
	errno = 0;
	int rc = get_wch(&code);
	failures = rc == ERR && errno != EINTR ? failures + 1 : 0;
	if (rc == ERR)
		e.gone = failures > patience;
	else if (rc == KEY_CODE_YES && code == KEY_RESIZE)
		e.resized = true;
	else if (rc == KEY_CODE_YES && code == KEY_MOUSE)
		read_mouse();
	else if (rc == KEY_CODE_YES)
		e.key = special(code);
	else
		e.key = code == '\n' ? (uint32_t)TUI_KEY_ENTER : (uint32_t)code;
	return e;
}

bool terminal_copy(const char *text)
{
	static const char *const knowing[] = { "xterm", "screen", "tmux",      "rxvt",	 "foot",
					       "kitty", "st",	  "alacritty", "wezterm" };
	struct bytes out = { 0 };
	bool knows = false;

	for (size_t i = 0; i < ARRAY_LEN(knowing); i++)
		knows |= strncmp(terminal_name(), knowing[i], strlen(knowing[i])) == 0;
	if (!knows || strlen(text) > LONGEST_COPY)
		return false;
	bytes_printf(&out, "\x1b]52;c;");
	base64_encode(&out, text, strlen(text));
	bytes_u8(&out, '\a');
	fflush(output);
	int rc = io_write_full(STDOUT_FILENO, out.data, out.len);
	bytes_release(&out);
	return rc == 0;
}
