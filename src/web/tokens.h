/* JavaScript as far as it must be understood to leave out space and to rename: its tokens. */
#ifndef PROF_WEB_TOKENS_H
#define PROF_WEB_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind {
	TOKEN_NAME,
	TOKEN_NUMBER,
	TOKEN_STRING, /* quoted, a regular expression, or a template up to its end or to "${" */
	TOKEN_TEMPLATE_TAIL, /* of a template, from "}" on */
	TOKEN_SIGN,
};

struct token {
	enum token_kind kind;
	const char *s;
	size_t len;
};

#define TEMPLATE_DEPTH 8

struct tokens { /* start with .pos */
	const char *pos;
	const char *wrong; /* why it stopped before the end */
	char before;	   /* last character of the token before; 0 at the start */
	bool after_keyword;
	int braces[TEMPLATE_DEPTH]; /* open braces inside each open template's "${" */
	int depth;
};

/* False at the end, or when something is wrong. */
bool tokens_next(struct tokens *t, struct token *out);

#endif
