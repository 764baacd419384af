/* The user's lists of names: "name", "glob*" (with * and ?) or "/regex/", separated
 * by commas. */
#ifndef PROF_ANALYSIS_PATTERN_H
#define PROF_ANALYSIS_PATTERN_H

#include "base/error.h"
#include "base/memory.h"
#include "profile/profile.h"
#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

enum pattern_scope { SCOPE_FUNCTION, SCOPE_MODULE_OF, SCOPE_FILE_OF };

struct pattern {
	char *text;
	char *glob;	     /* NULL: none */
	bool is_regex, used; /* used: something matched it */
	uint8_t fit;	     /* enum function_fit: the worst that still counts */
	uint8_t scope; /* enum pattern_scope: of what the text tells, by "module:" or "file:" before
			  it */
	regex_t regex;
};

struct patterns {
	const char *option;   /* "--comm", for messages */
	bool option_is_regex; /* its items may have a prefix */
	VEC(struct pattern) items;
};

/* option as in "--comm". A comma before a space belongs to the name: "f(int, char)". */
int patterns_parse(struct patterns *ps, const char *option, const char *list, struct error *err);
/* One more regular expression, with or without slashes around it; behind "module:" or "file:" it is
 * about these (patterns_match_code), else about functions. Behind "module:" it may also be the name
 * or path of a module of p, which is then taken as it is: "module:[kernel]". *ps is zeroed before
 * the first. */
int patterns_add_regex(struct patterns *ps, const char *option, const char *regex,
		       const struct profile *p, struct error *err);
void patterns_release(struct patterns *ps);

static inline bool patterns_given(const struct patterns *ps)
{
	return ps->items.len > 0;
}

/* True when an item is name, or name up to the character tail (0: none), or a glob or regex that
 * fits. Marks every such item used. */
bool patterns_match(struct patterns *ps, const char *name, char tail);

struct pattern_code { /* a function, or code without a name; "" where something is not known */
	const char *name, *module, *path,
		*file; /* path: the module's; either of its names will do */
};

/* Which of the first 32 items fit it, as bits; marks them used. */
uint32_t patterns_match_each(struct patterns *ps, const struct pattern_code *code);
/* Does one of them, of however many, fit it? */
bool patterns_match_code(struct patterns *ps, const struct pattern_code *code);
/* The same for functions' names, which need not be whole (function_name.h). Of all names the best
 * fit counts, so each must be shown to patterns_see_function before any is matched. */
void patterns_see_function(struct patterns *ps, const char *name);
bool patterns_match_function(struct patterns *ps, const char *name);
/* The first item nothing matched, NULL when all were used. */
const struct pattern *patterns_unused(const struct patterns *ps);
/* "module:", "file:" or "": what stood before the item's text. */
const char *pattern_prefix(const struct pattern *p);

#endif
