/*
 * What a unit's producer tells of how its code was compiled. gcc writes its options there; clang
 * does with -grecord-command-line only; Go writes those that differ from the usual ones. What is
 * not written is not known: nothing is guessed from the code.
 */
#include <string.h>

#include "symbolize/dwarf_private.h"

static bool starts_with(const char *s, const char *word)
{
	return strncmp(s, word, strlen(word)) == 0;
}

/* The last word that begins with this one, behind a space; *some: a word is an option. */
static const char *last_option(const char *producer, const char *option, bool *some)
{
	const char *last = NULL;

	*some = false;
	for (const char *at = strchr(producer, ' '); at; at = strchr(at + 1, ' ')) {
		*some |= at[1] == '-';
		if (starts_with(at + 1, option))
			last = at + 1;
	}
	return last;
}

static bool is_word(const char *at, const char *word)
{
	size_t len = strlen(word);

	return strncmp(at, word, len) == 0 && (!at[len] || strchr(" ;", at[len]));
}

enum dwarf_build dwarf_producer_build(const char *producer)
{
	bool some;

	if (!producer)
		return DWARF_BUILD_UNKNOWN;
	if (starts_with(producer, "Go cmd/compile "))
		return last_option(producer, "-N", &some) ? DWARF_BUILD_UNOPTIMIZED
							  : DWARF_BUILD_OPTIMIZED;
	bool gcc = starts_with(producer, "GNU ") && !starts_with(producer, "GNU AS ");
	if (!gcc && !strstr(producer, "clang version "))
		return DWARF_BUILD_UNKNOWN;
	const char *level = last_option(producer, "-O", &some);
	if (level)
		return is_word(level, "-O0") ? DWARF_BUILD_UNOPTIMIZED : DWARF_BUILD_OPTIMIZED;
	/* Functions that were linked with -flto keep their own levels. */
	return some && !starts_with(producer, "GNU GIMPLE ") ? DWARF_BUILD_UNOPTIMIZED
							     : DWARF_BUILD_UNKNOWN;
}
