/* Whether there is a terminal that can show the view. */
#include <stdlib.h>
#include <unistd.h>

#include "tui/terminal.h"
#include "tui/tui.h"

/* Behind ours: its macros have everyday names. */
#include <ncurses.h>
#include <term.h>

static bool has_text(const char *capability)
{
	char *text = tigetstr((char *)(uintptr_t)capability);

	return text && text != (char *)-1;
}

const char *terminal_name(void)
{
	const char *name = getenv("TERM");

	return name && *name ? name : "dumb";
}

bool tui_is_possible(struct error *why)
{
	int rc;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		error_set(why, ERROR_UNSUPPORTED, "standard input and output must be a terminal");
		return false;
	}
	if (setupterm((char *)(uintptr_t)terminal_name(), STDOUT_FILENO, &rc) != OK) {
		error_set(why, ERROR_UNSUPPORTED, "the terminal '%s' is not known (TERM)",
			  terminal_name());
		return false;
	}
	bool can = has_text("cup") && has_text("clear");
	if (!can)
		error_set(why, ERROR_UNSUPPORTED, "the terminal '%s' cannot place text (TERM)",
			  terminal_name());
	del_curterm(cur_term);
	return can;
}
