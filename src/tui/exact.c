/* Patterns that fit one name. */
#include <string.h>

#include "analysis/simple_name.h"
#include "base/hash.h"
#include "tui/filters.h"

#define LONGEST_PATTERN ((size_t)64 << 10)

static void append_escaped(struct bytes *out, const char *name)
{
	for (; *name; name++) {
		if (strchr(".*+?^${}()|[]\\", *name))
			bytes_u8(out, '\\');
		if (*name == '/')
			bytes_printf(out, "[/]"); /* so that no slash ends the pattern */
		else
			bytes_u8(out, (uint8_t)*name);
	}
}

static void append_exact(struct bytes *out, const char *name)
{
	bytes_u8(out, '^');
	append_escaped(out, name);
	bytes_u8(out, '$');
}

/* Of every function that is called name for short. */
static void append_simple(struct bytes *out, const struct profile *p, const char *name)
{
	struct strtab seen;
	struct bytes simple = { 0 };

	strtab_init(&seen);
	for (size_t i = 0; i < p->functions.len && out->len < LONGEST_PATTERN; i++) {
		const char *full = profile_str(p, p->functions.data[i].name);
		size_t known = seen.strings.len;
		bytes_clear(&simple);
		simple_name_append(&simple, full);
		bytes_u8(&simple, '\0');
		if (strcmp((const char *)simple.data, name) != 0 ||
		    strtab_add_str(&seen, full) < known)
			continue;
		if (out->len)
			bytes_u8(out, '|');
		append_exact(out, full);
	}
	bytes_release(&simple);
	strtab_release(&seen);
}

char *filter_exact(const struct profile *p, const char *name, enum name_style style)
{
	struct bytes out = { 0 };

	if (style == NAMES_SIMPLE)
		append_simple(&out, p, name);
	if (out.len == 0)
		append_exact(&out, name);
	bytes_u8(&out, '\0');
	return (char *)out.data;
}

/* In a list names are as they are, but for what separates them and stands for others. */
char *filter_name(const char *name)
{
	struct bytes out = { 0 };

	if (*name && !strpbrk(name, ",*?/"))
		return xstrdup(name);
	bytes_u8(&out, '/');
	append_exact(&out, name);
	bytes_printf(&out, "/");
	bytes_u8(&out, '\0');
	return (char *)out.data;
}

static bool is_plain(const char *name)
{
	size_t len =
		strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return len > 0 && name[len] == '\0';
}

char *filter_function(const char *name)
{
	struct bytes out = { 0 };

	if (is_plain(name))
		return xstrdup(name);
	bytes_u8(&out, '/');
	append_exact(&out, name);
	bytes_u8(&out, '/');
	bytes_u8(&out, '\0');
	return (char *)out.data;
}
