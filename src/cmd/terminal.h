/* What is known about the terminal behind standard output. */
#ifndef PROF_CMD_TERMINAL_H
#define PROF_CMD_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

enum colour_choice { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

extern const char *const colour_choices[];

/* Columns: of the terminal, else COLUMNS, else 0 (unknown). */
uint32_t terminal_width(void);
/* Auto: standard output is a terminal that can, and NO_COLOR is unset or empty. */
bool terminal_colour(enum colour_choice choice);
/* Where the locale has no UTF-8, our own texts' ellipses become "...", "±" "+-" and "≈" "'~'": in place. */
struct bytes;
void terminal_plain(struct bytes *text);

#endif
