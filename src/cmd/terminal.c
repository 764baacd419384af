/* The terminal: width, colour, character set. */
#include "cmd/terminal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/text.h"

const char *const colour_choices[] = { "auto", "always", "never", NULL };

uint32_t terminal_width(void)
{
	struct winsize size;
	const char *columns = getenv("COLUMNS");
	uint64_t n;

	if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
	    size.ws_col > 0)
		return size.ws_col;
	if (columns && text_parse_u64(columns, &n) && n > 0 && n < 100000)
		return (uint32_t)n;
	return 0;
}

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value;
}

bool terminal_colour(enum colour_choice choice)
{
	const char *term = getenv("TERM");

	if (choice != COLOUR_AUTO)
		return choice == COLOUR_ALWAYS;
	if (is_set("NO_COLOR") || !isatty(STDOUT_FILENO))
		return false;
	return term && *term && strcmp(term, "dumb") != 0;
}

void terminal_plain(struct bytes *text)
{
	static const struct {
		const char *unicode, *ascii; /* of the same length */
	} ours[] = { { "\xe2\x80\xa6", "..." }, { "\xc2\xb1", "+-" }, { "\xe2\x89\x88", "'~'" } };

	for (size_t i = 0; !text_is_unicode() && i < text->len; i++)
		for (size_t k = 0; k < ARRAY_LEN(ours); k++) {
			size_t len = strlen(ours[k].ascii);
			if (text->len - i >= len &&
			    memcmp(text->data + i, ours[k].unicode, len) == 0)
				memcpy(text->data + i, ours[k].ascii, len);
		}
}
