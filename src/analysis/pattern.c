/* Parsing and matching lists of names. */
#include "analysis/pattern.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/frames.h"
#include "analysis/function_name.h"

static int compile(struct pattern *p, const char *option, struct error *err)
{
	int rc = regcomp(&p->regex, p->text, REG_EXTENDED | REG_NOSUB);
	char why[128];

	if (rc == 0)
		return 0;
	regerror(rc, &p->regex, why, sizeof(why));
	p->is_regex = false;
	return error_set(err, ERROR_USAGE, "%s: '%s' is not a regular expression: %s", option,
			 p->text, why);
}

/* Only * and ? are special: brackets and backslashes are common in names. */
static char *make_glob(const char *text)
{
	if (!strpbrk(text, "*?"))
		return NULL;
	char *glob = xmalloc(2 * strlen(text) + 1), *to = glob;

	for (; *text; text++) {
		if (*text == '[' || *text == '\\')
			*to++ = '\\';
		*to++ = *text;
	}
	*to = '\0';
	return glob;
}

static bool in_slashes(const char *s, size_t len)
{
	return len > 2 && s[0] == '/' && s[len - 1] == '/';
}

static int add_item(struct patterns *ps, const char *s, size_t len, bool is_regex,
		    struct error *err)
{
	struct pattern p = { .is_regex = is_regex, .fit = FUNCTION_UNQUALIFIED };

	if (in_slashes(s, len)) {
		p.is_regex = true;
		s++;
		len -= 2;
	}
	if (len == 0)
		return error_set(err, ERROR_USAGE, "%s: an empty name in the list", ps->option);
	p.text = xstrndup(s, len);
	p.glob = p.is_regex ? NULL : make_glob(p.text);
	int rc = p.is_regex ? compile(&p, ps->option, err) : 0;
	vec_push(&ps->items, p);
	return rc;
}

/* Where a /regex/ that begins at s ends: at a slash before a comma or the end; NULL when it is
 * none. */
static const char *regex_end(const char *s)
{
	if (*s != '/')
		return NULL;
	for (const char *at = s + 1; *at; at++) {
		if (*at == '/' && at > s + 1 && (at[1] == ',' || at[1] == '\0'))
			return at + 1;
	}
	return NULL;
}

static const char *name_end(const char *s)
{
	while (*s && (*s != ',' || s[1] == ' '))
		s++;
	return s;
}

int patterns_parse(struct patterns *ps, const char *option, const char *list, struct error *err)
{
	memset(ps, 0, sizeof(*ps));
	ps->option = option;
	for (const char *at = list; at;) {
		const char *end = regex_end(at);
		if (!end)
			end = name_end(at);
		if (add_item(ps, at, (size_t)(end - at), false, err) < 0)
			return -1;
		at = *end ? end + 1 : NULL;
	}
	return 0;
}

static const char *const scopes[] = {
	[SCOPE_FUNCTION] = "", [SCOPE_MODULE_OF] = "module:", [SCOPE_FILE_OF] = "file:"
};

/* As modules without a file are called, and not one letter in either case. */
static bool is_bracketed(const char *name)
{
	size_t len = strlen(name);

	return len > 4 && name[0] == '[' && strcspn(name, "]") == len - 1;
}

int patterns_add_regex(struct patterns *ps, const char *option, const char *regex,
		       const struct profile *p, struct error *err)
{
	uint8_t scope = SCOPE_FUNCTION;

	for (uint8_t i = 1; i < ARRAY_LEN(scopes); i++) {
		if (strncmp(regex, scopes[i], strlen(scopes[i])) != 0)
			continue;
		regex += strlen(scopes[i]);
		scope = i;
		break;
	}
	ps->option = option;
	ps->option_is_regex = true;
	if (scope == SCOPE_MODULE_OF && (is_bracketed(regex) || frame_has_module(p, regex))) {
		vec_push(&ps->items, ((struct pattern){ .text = xstrdup(regex), .scope = scope }));
		return 0;
	}
	int rc = add_item(ps, regex, strlen(regex), true, err);
	if (ps->items.len > 0)
		ps->items.data[ps->items.len - 1].scope = scope;
	return rc;
}

void patterns_release(struct patterns *ps)
{
	for (size_t i = 0; i < ps->items.len; i++) {
		if (ps->items.data[i].is_regex)
			regfree(&ps->items.data[i].regex);
		free(ps->items.data[i].text);
		free(ps->items.data[i].glob);
	}
	vec_release(&ps->items);
}

static bool matches(const struct pattern *p, const char *name, char tail)
{
	size_t len = strlen(p->text);

	if (p->is_regex)
		return regexec(&p->regex, name, 0, NULL, 0) == 0;
	if (strncmp(name, p->text, len) == 0 && (name[len] == '\0' || (tail && name[len] == tail)))
		return true;
	return p->glob && fnmatch(p->glob, name, 0) == 0;
}

bool patterns_match(struct patterns *ps, const char *name, char tail)
{
	bool any = false;

	for (size_t i = 0; i < ps->items.len; i++) {
		if (!matches(&ps->items.data[i], name, tail))
			continue;
		ps->items.data[i].used = true;
		any = true;
	}
	return any;
}

static bool fits_code(const struct pattern *p, const struct pattern_code *code)
{
	switch (p->scope) {
	case SCOPE_MODULE_OF:
		return matches(p, code->module, 0) || matches(p, code->path, 0);
	case SCOPE_FILE_OF:
		return matches(p, code->file, 0);
	default:
		return matches(p, code->name, 0);
	}
}

bool patterns_match_code(struct patterns *ps, const struct pattern_code *code)
{
	bool any = false;

	for (size_t i = 0; i < ps->items.len; i++) {
		if (!fits_code(&ps->items.data[i], code))
			continue;
		ps->items.data[i].used = true;
		any = true;
	}
	return any;
}

uint32_t patterns_match_each(struct patterns *ps, const struct pattern_code *code)
{
	uint32_t fits = 0;

	for (uint32_t i = 0; i < ps->items.len && i < 32; i++) {
		if (!fits_code(&ps->items.data[i], code))
			continue;
		ps->items.data[i].used = true;
		fits |= 1u << i;
	}
	return fits;
}

void patterns_see_function(struct patterns *ps, const char *name)
{
	for (size_t i = 0; i < ps->items.len; i++) {
		struct pattern *p = &ps->items.data[i];
		uint8_t fit = (uint8_t)function_name_fit(name, p->text);
		if (fit < p->fit)
			p->fit = fit;
	}
}

bool patterns_match_function(struct patterns *ps, const char *name)
{
	bool any = false;

	for (size_t i = 0; i < ps->items.len; i++) {
		struct pattern *p = &ps->items.data[i];
		if (!matches(p, name, 0) &&
		    (p->is_regex || function_name_fit(name, p->text) > p->fit))
			continue;
		p->used = true;
		any = true;
	}
	return any;
}

const char *pattern_prefix(const struct pattern *p)
{
	return scopes[p->scope];
}

const struct pattern *patterns_unused(const struct patterns *ps)
{
	for (size_t i = 0; i < ps->items.len; i++) {
		if (!ps->items.data[i].used)
			return &ps->items.data[i];
	}
	return NULL;
}
