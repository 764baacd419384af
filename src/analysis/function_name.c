/* Taking the names of functions apart, without knowing the language they come from. */
#include "analysis/function_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"

/* What compilers append to the names of copies and parts they make: "f.constprop.0". */
static size_t without_clone_suffix(const char *name, size_t len)
{
	static const char *const marks[] = { " [clone ", " (.",	  ".constprop.", ".isra.",
					     ".part.",	 ".cold", ".lto_priv.",	 ".llvm." };

	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		const char *at = memmem(name, len, marks[i], strlen(marks[i]));
		if (at && at > name)
			len = (size_t)(at - name);
	}
	return len;
}

const char *function_name_variant(const char *linkage)
{
	return linkage + without_clone_suffix(linkage, strlen(linkage));
}

/* A row of one line is called "f(int):12". */
static size_t without_line(const char *name, size_t len)
{
	size_t at = len;

	while (at > 0 && isdigit((unsigned char)name[at - 1]))
		at--;
	return at < len && at > 1 && name[at - 1] == ':' && name[at - 2] != ':' ? at - 1 : len;
}

/* The '(' that belongs to the ')' at close, or close when there is none. */
static size_t opening(const char *name, size_t close)
{
	size_t depth = 0;

	for (size_t at = close + 1; at-- > 0;) {
		depth += name[at] == ')';
		if (name[at] == '(' && --depth == 0)
			return at;
	}
	return close;
}

static bool ends_with(const char *name, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len >= n && memcmp(name + len - n, end, n) == 0;
}

/* Only " const" and its like may follow parameters: scopes have parameters too, and the parentheses
 * of "operator()" are none. */
static size_t without_parameters(const char *name, size_t len)
{
	const char *last = memrchr(name, ')', len);
	size_t close = last ? (size_t)(last - name) : 0;

	if (!last || (close + 1 < len && name[close + 1] != ' '))
		return len;
	size_t open = opening(name, close);
	return open == 0 || open == close || ends_with(name, open, "operator") ? len : open;
}

static bool after_operator(const char *name, size_t at)
{
	while (at > 0 && strchr("<>=-", name[at - 1]))
		at--;
	return ends_with(name, at, "operator");
}

/* Append name without what is between < and >; false when they do not pair. */
static bool append_without_templates(struct bytes *out, const char *name, size_t len)
{
	size_t depth = 0;

	for (size_t i = 0; i < len; i++) {
		bool mark = strchr("<>", name[i]) && !after_operator(name, i) &&
			    !(name[i] == '>' && i > 0 && name[i - 1] == '-');
		if (mark && name[i] == '>' && depth-- == 0)
			return false;
		if (!mark && depth == 0)
			bytes_u8(out, (uint8_t)name[i]);
		depth += mark && name[i] == '<';
	}
	return depth == 0;
}

static bool is_same(const char *name, size_t len, const char *wanted)
{
	return strlen(wanted) == len && memcmp(name, wanted, len) == 0;
}

/* Behind "::", a Go package's dot, or a return type. */
static bool is_last_part(const char *name, size_t len, const char *wanted)
{
	size_t n = strlen(wanted);

	if (n == 0 || n >= len || !ends_with(name, len, wanted))
		return false;
	const char *before = name + len - n - 1;
	return strchr(" .*&", *before) || (*before == ':' && before > name && before[-1] == ':');
}

enum function_fit function_name_fit(const char *name, const char *wanted)
{
	struct bytes plain = { 0 };
	enum function_fit fit = FUNCTION_OTHER;
	size_t all = strlen(name);
	size_t full = without_clone_suffix(name, without_line(name, all));
	size_t base = without_parameters(name, full);

	if (is_same(name, all, wanted) || is_same(name, full, wanted) ||
	    is_same(name, base, wanted))
		return FUNCTION_FULL;
	if (is_last_part(name, full, wanted) || is_last_part(name, base, wanted))
		fit = FUNCTION_UNQUALIFIED;
	if (append_without_templates(&plain, name, base) && plain.len) {
		const char *text = (const char *)plain.data;
		if (is_same(text, plain.len, wanted))
			fit = FUNCTION_NO_TEMPLATE;
		else if (is_last_part(text, plain.len, wanted))
			fit = FUNCTION_UNQUALIFIED;
	}
	bytes_release(&plain);
	return fit;
}

static size_t last_part_start(const char *name, size_t len)
{
	size_t at = len;

	while (at > 1 && name[at - 1] != ' ' && !(name[at - 1] == ':' && name[at - 2] == ':'))
		at--;
	return at > 1 ? at : 0;
}

void function_name_append_last(struct bytes *out, const char *name)
{
	struct bytes plain = { 0 };
	size_t base = without_parameters(
		name, without_clone_suffix(name, without_line(name, strlen(name))));

	if (!append_without_templates(&plain, name, base)) {
		bytes_clear(&plain);
		bytes_append(&plain, name, base);
	}
	size_t at = last_part_start((const char *)plain.data, plain.len);
	if (plain.len > at)
		bytes_append(out, plain.data + at, plain.len - at);
	bytes_release(&plain);
}
