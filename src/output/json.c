/* The JSON writer. */
#include "output/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/percent.h"
#include "base/text.h"

void json_begin(struct json *j, struct bytes *out, unsigned flat_depth)
{
	*j = (struct json){ .out = out, .flat_depth = flat_depth, .fresh = true };
}

void json_end(struct json *j)
{
	bytes_u8(j->out, '\n');
}

static void new_line(struct json *j)
{
	if (j->depth > j->flat_depth) {
		if (!j->fresh)
			bytes_u8(j->out, ' ');
		return;
	}
	bytes_u8(j->out, '\n');
	for (unsigned i = 0; i < j->depth; i++)
		bytes_u8(j->out, '\t');
}

/* Would the terminal act on it? */
static bool is_printable(const char *s, size_t len)
{
	struct bytes shown = { 0 };

	text_append_printable(&shown, s, len);
	bool same = shown.len == len;
	bytes_release(&shown);
	return same;
}

static void append_code_point(struct bytes *out, const char *s, size_t len, uint32_t cp)
{
	if (cp == '"' || cp == '\\')
		bytes_printf(out, "\\%c", (int)cp);
	else if (cp < 0x80 ? cp < 0x20 || cp == 0x7f : !is_printable(s, len))
		bytes_printf(out, "\\u%04" PRIx32, cp);
	else
		bytes_append(out, s, len);
}

static void append_quoted(struct bytes *out, const char *s)
{
	size_t len = strlen(s);

	bytes_u8(out, '"');
	for (size_t i = 0; i < len;) {
		uint32_t cp = 0;
		int n = text_utf8_decode(s + i, len - i, &cp);
		if (n == 0)
			bytes_printf(out, "\\\\x%02x", (unsigned char)s[i]);
		else
			append_code_point(out, s + i, (size_t)n, cp);
		i += n ? (size_t)n : 1;
	}
	bytes_u8(out, '"');
}

static void begin_member(struct json *j, const char *name)
{
	if (!j->fresh)
		bytes_u8(j->out, ',');
	if (j->depth)
		new_line(j);
	if (name) {
		append_quoted(j->out, name);
		bytes_printf(j->out, ": ");
	}
	j->fresh = false;
}

static void open_with(struct json *j, const char *name, uint8_t bracket)
{
	begin_member(j, name);
	bytes_u8(j->out, bracket);
	j->depth++;
	j->fresh = true;
}

static void close_with(struct json *j, uint8_t bracket)
{
	bool deep = j->depth > j->flat_depth;

	j->depth--;
	if (!j->fresh && !deep)
		new_line(j);
	bytes_u8(j->out, bracket);
	j->fresh = false;
}

void json_open_object(struct json *j, const char *name)
{
	open_with(j, name, '{');
}

void json_open_array(struct json *j, const char *name)
{
	open_with(j, name, '[');
}

void json_close_object(struct json *j)
{
	close_with(j, '}');
}

void json_close_array(struct json *j)
{
	close_with(j, ']');
}

void json_string(struct json *j, const char *name, const char *value)
{
	begin_member(j, name);
	append_quoted(j->out, value);
}

void json_u64(struct json *j, const char *name, uint64_t value)
{
	begin_member(j, name);
	bytes_printf(j->out, "%" PRIu64, value);
}

void json_i64(struct json *j, const char *name, int64_t value)
{
	begin_member(j, name);
	bytes_printf(j->out, "%" PRId64, value);
}

void json_double(struct json *j, const char *name, double value)
{
	if (!isfinite(value)) {
		json_null(j, name);
		return;
	}
	begin_member(j, name);
	bytes_printf(j->out, "%.9g", value);
}

void json_bool(struct json *j, const char *name, bool value)
{
	begin_member(j, name);
	bytes_printf(j->out, value ? "true" : "false");
}

void json_null(struct json *j, const char *name)
{
	begin_member(j, name);
	bytes_printf(j->out, "null");
}

void json_percent(struct json *j, const char *name, uint64_t part, uint64_t all)
{
	if (all == 0) {
		json_null(j, name);
		return;
	}
	begin_member(j, name);
	percent_append_exact(j->out, part, all);
}

void json_fraction(struct json *j, const char *name, double fraction)
{
	if (isnan(fraction)) {
		json_null(j, name);
		return;
	}
	begin_member(j, name);
	percent_append_exact_fraction(j->out, fraction);
}

void json_number(struct json *j, const char *name, double value)
{
	if (!isfinite(value)) {
		json_null(j, name);
		return;
	}
	begin_member(j, name);
	bytes_printf(j->out, "%.9g", value);
}
