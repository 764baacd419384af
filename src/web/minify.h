/* Scripts and style sheets made small. Part of the build's tool embed. */
#ifndef PROF_WEB_MINIFY_H
#define PROF_WEB_MINIFY_H

#include "base/bytes.h"

/*
 * The script (ended by NUL) without comments and space; every name that keep (ended by NUL) does
 * not list gets a short one, the same wherever it stands, properties included. Names that are only
 * declared inside of functions may get the same one where they do not meet; all of the script must
 * be in one function. So keep lists what the script shares with others: keywords, names of the
 * browser, attributes, URL parameters. "const", which only helps who reads the source, becomes
 * "let". Statements must end with semicolons. keep is words, one or more on a line; a line that
 * starts with # is a comment. Returns NULL, or what is wrong.
 */
const char *minify_script(struct bytes *out, const char *script, const char *keep);
/* The style sheet (ended by NUL) without comments and the space that says nothing. */
void minify_style(struct bytes *out, const char *style);

#endif
