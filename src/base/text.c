/* Printable text, readable numbers, and numbers read from users. */
#include "base/text.h"

#include <inttypes.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Shortest form, no surrogates, at most U+10FFFF. */
static bool is_valid_code_point(uint32_t cp, int n)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	return cp >= least[n] && cp <= 0x10ffff && !(cp >= 0xd800 && cp <= 0xdfff);
}

bool text_is_unicode(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

int text_utf8_decode(const char *s, size_t len, uint32_t *cp)
{
	if (len == 0)
		return 0;
	unsigned char c = (unsigned char)s[0];
	if (c < 0x80) {
		*cp = c;
		return 1;
	}
	int n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
	if (c < 0xc2 || c > 0xf4 || len < (size_t)n)
		return 0;
	uint32_t v = c & (0xffu >> (n + 1));
	for (int i = 1; i < n; i++) {
		if (!is_continuation(s[i]))
			return 0;
		v = v << 6 | ((unsigned char)s[i] & 0x3f);
	}
	if (!is_valid_code_point(v, n))
		return 0;
	*cp = v;
	return n;
}

/* Would change how the terminal shows what stands around it, or is no character at all. */
static bool is_unprintable(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0x061c || cp == 0x200e ||
	       cp == 0x200f || (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069) ||
	       (cp & 0xfffe) == 0xfffe;
}

static bool is_plain(char c)
{
	return c >= ' ' && c <= '~' && c != '\\';
}

#define IN_EACH_BYTE(n) (0x0101010101010101ull * (n))

/* Whether one of eight bytes is below ' ', above '~' or a backslash: of those that are not above
 * 0x7f a sum or difference shows it in the highest bit, and no carry comes from a plain one. */
static bool has_other_than_plain(const char *s)
{
	uint64_t v, backslash;

	memcpy(&v, s, sizeof(v));
	backslash = v ^ IN_EACH_BYTE('\\');
	return (v | (v - IN_EACH_BYTE(' ')) | (v + IN_EACH_BYTE(0x7f - '~')) |
		(backslash - IN_EACH_BYTE(1))) &
	       IN_EACH_BYTE(0x80);
}

size_t text_plain_length(const char *s, size_t len)
{
	size_t n = 0;

	while (n + sizeof(uint64_t) <= len && !has_other_than_plain(s + n))
		n += sizeof(uint64_t);
	while (n < len && is_plain(s[n]))
		n++;
	return n;
}

/* A backslash is shown as such unless it would read as one of our own escapes. */
static bool looks_escaped(const char *s, size_t len)
{
	return len >= 2 && s[0] == '\\' && s[1] == 'x';
}

static void append_escaped(struct bytes *out, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		bytes_printf(out, "\\x%02x", (unsigned char)s[i]);
}

void text_append_printable(struct bytes *out, const char *s, size_t len)
{
	for (size_t i = 0; i < len;) {
		size_t plain = text_plain_length(s + i, len - i);
		bytes_append(out, s + i, plain);
		i += plain;
		if (i == len)
			break;
		uint32_t cp = 0;
		int n = text_utf8_decode(s + i, len - i, &cp);
		size_t step = n ? (size_t)n : 1;
		if (n == 0 || is_unprintable(cp) || looks_escaped(s + i, len - i))
			append_escaped(out, s + i, step);
		else
			bytes_append(out, s + i, step);
		i += step;
	}
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte that an escape at s stands for; 0: there is none. */
static int escaped_byte(const char *s, size_t len)
{
	if (len < 4 || !looks_escaped(s, len) || hex_digit(s[2]) < 0 || hex_digit(s[3]) < 0)
		return 0;
	return hex_digit(s[2]) << 4 | hex_digit(s[3]);
}

void text_append_unprintable(struct bytes *out, const char *s, size_t len)
{
	for (size_t i = 0; i < len;) {
		int byte = escaped_byte(s + i, len - i);
		bytes_u8(out, byte ? (uint8_t)byte : (uint8_t)s[i]);
		i += byte ? 4 : 1;
	}
}

#define PLAIN_CHARACTERS                                                         \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-:.,/=@" \
	"%+"

static bool is_printable(const char *s)
{
	uint32_t cp = 0;

	for (int n; *s; s += n) {
		n = text_utf8_decode(s, strlen(s), &cp);
		if (n == 0 || is_unprintable(cp))
			return false;
	}
	return true;
}

/* Inside single quotes a quote is the only thing that needs another way. */
static void append_single_quoted(struct bytes *out, const char *s)
{
	bytes_u8(out, '\'');
	for (; *s; s++) {
		if (*s == '\'')
			bytes_printf(out, "'\\''");
		else
			bytes_u8(out, (uint8_t)*s);
	}
	bytes_u8(out, '\'');
}

/* $'...', of POSIX 2024 and of bash, ksh and zsh long before. */
static void append_escape_quoted(struct bytes *out, const char *s)
{
	bytes_printf(out, "$'");
	for (size_t left = strlen(s); left > 0;) {
		uint32_t cp = 0;
		int n = text_utf8_decode(s, left, &cp);
		size_t step = n ? (size_t)n : 1;
		if (*s == '\n' || *s == '\t')
			bytes_printf(out, *s == '\n' ? "\\n" : "\\t");
		else if (n == 0 || is_unprintable(cp))
			for (size_t i = 0; i < step; i++)
				bytes_printf(out, "\\%03o", (unsigned char)s[i]);
		else if (*s == '\'' || *s == '\\')
			bytes_printf(out, "\\%c", *s);
		else
			bytes_append(out, s, step);
		s += step;
		left -= step;
	}
	bytes_u8(out, '\'');
}

void text_append_word(struct bytes *out, const char *s)
{
	if (*s && !s[strspn(s, PLAIN_CHARACTERS)])
		bytes_printf(out, "%s", s);
	else if (is_printable(s))
		append_single_quoted(out, s);
	else
		append_escape_quoted(out, s);
}

char *text_printable(const char *s)
{
	struct bytes out = { 0 };

	text_append_printable(&out, s, strlen(s));
	bytes_u8(&out, '\0');
	return (char *)out.data;
}

struct scale {
	uint64_t size;
	const char *unit;
};

/* Three significant digits of n in the largest unit that is not above it; scales go downwards and
 * end with size 1. */
static const char *format_scaled(char *buf, size_t size, uint64_t n, const struct scale *scale)
{
	while (scale->size > 1 && n < scale->size)
		scale++;
	if (scale->size == 1) {
		snprintf(buf, size, "%" PRIu64 " %s", n, scale->unit);
		return buf;
	}
	double value = (double)n / (double)scale->size;
	int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
	snprintf(buf, size, "%.*f %s", decimals, value, scale->unit);
	return buf;
}

const char *text_duration(char *buf, size_t size, uint64_t ns)
{
	static const struct scale scales[] = {
		{ 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" }, { 1, "ns" }
	};

	return format_scaled(buf, size, ns, scales);
}

const char *text_bytes(char *buf, size_t size, uint64_t bytes)
{
	static const struct scale scales[] = { { 1000000000000, "TB" },
					       { 1000000000, "GB" },
					       { 1000000, "MB" },
					       { 1000, "kB" },
					       { 1, "B" } };

	return format_scaled(buf, size, bytes, scales);
}

const char *text_count(char *buf, size_t size, uint64_t n)
{
	char digits[24];
	size_t len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, n), out = 0;

	for (size_t i = 0; i < len && out + 2 < size; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			buf[out++] = ' ';
		buf[out++] = digits[i];
	}
	if (size)
		buf[out] = '\0';
	return buf;
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

/* Digits at *s, which it passes; false without a digit or when too large. */
static bool take_digits(const char **s, unsigned base, uint64_t *out)
{
	const char *p = *s;
	uint64_t v = 0;

	for (; (unsigned)digit_value(*p) < base; p++) {
		if (__builtin_mul_overflow(v, base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)digit_value(*p), &v))
			return false;
	}
	if (p == *s)
		return false;
	*s = p;
	*out = v;
	return true;
}

bool text_parse_u64(const char *s, uint64_t *out)
{
	uint64_t v;
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');

	if (hex)
		s += 2;
	if (!take_digits(&s, hex ? 16 : 10, &v) || *s)
		return false;
	*out = v;
	return true;
}

bool text_parse_size(const char *s, uint64_t *out)
{
	static const char units[] = "kKmMgGtT";
	uint64_t v;

	if (!take_digits(&s, 10, &v))
		return false;
	const char *unit = *s ? strchr(units, *s) : NULL;
	if (unit) {
		unsigned shift = 10 * ((unsigned)(unit - units) / 2 + 1);
		if (__builtin_mul_overflow(v, (uint64_t)1 << shift, &v))
			return false;
		s++;
	}
	if (*s)
		return false;
	*out = v;
	return true;
}

static bool time_unit_ns(const char *unit, uint64_t *out)
{
	static const struct scale units[] = { { 1000000000, "" }, { 1000000000, "s" },
					      { 1000000, "ms" },  { 1000, "us" },
					      { 1, "ns" },	  { 60000000000, "m" } };

	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (strcmp(unit, units[i].unit) == 0) {
			*out = units[i].size;
			return true;
		}
	}
	return false;
}

/* The digits after the point as parts of 10^9; further digits are below what can matter. */
static uint64_t take_fraction(const char **s)
{
	uint64_t fraction = 0;
	int digits = 0;

	for (; **s >= '0' && **s <= '9'; (*s)++) {
		if (digits < 9) {
			fraction = fraction * 10 + (uint64_t)(**s - '0');
			digits++;
		}
	}
	for (; digits < 9; digits++)
		fraction *= 10;
	return fraction;
}

bool text_parse_seconds(const char *s, uint64_t *out_ns)
{
	uint64_t whole = 0, fraction = 0, unit, ns;
	bool begins_with_point =
		s[0] == '.' && s[1] >= '0' && s[1] <= '9'; /* as sleep(1) takes it */

	if (!begins_with_point && !take_digits(&s, 10, &whole))
		return false;
	if (*s == '.') {
		s++;
		fraction = take_fraction(&s);
	}
	if (!time_unit_ns(s, &unit) || __builtin_mul_overflow(whole, unit, &ns))
		return false;
	uint64_t part = (uint64_t)((unsigned __int128)fraction * unit / 1000000000);
	if (__builtin_add_overflow(ns, part, &ns))
		return false;
	*out_ns = ns;
	return true;
}

#define DISTANCE_MAX_LEN 127

static unsigned min_unsigned(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Row i of the table, from the last row and the one before it. */
static void distance_row(const char *a, const char *b, size_t i, size_t b_len,
			 const unsigned *before, const unsigned *last, unsigned *row)
{
	row[0] = (unsigned)i;
	for (size_t j = 1; j <= b_len; j++) {
		unsigned d = last[j - 1] + (a[i - 1] != b[j - 1]);
		d = min_unsigned(d, min_unsigned(last[j], row[j - 1]) + 1);
		bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
		if (swapped)
			d = min_unsigned(d, before[j - 2] + 1);
		row[j] = d;
	}
}

unsigned text_distance(const char *a, const char *b, unsigned limit)
{
	unsigned rows[3][DISTANCE_MAX_LEN + 1] = { { 0 } };
	size_t a_len = strlen(a), b_len = strlen(b);
	size_t gap = a_len > b_len ? a_len - b_len : b_len - a_len;

	if (a_len > DISTANCE_MAX_LEN || b_len > DISTANCE_MAX_LEN || gap > limit)
		return strcmp(a, b) == 0 ? 0 : limit + 1;
	for (size_t j = 0; j <= b_len; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= a_len; i++)
		distance_row(a, b, i, b_len, rows[(i + 1) % 3], rows[(i + 2) % 3], rows[i % 3]);
	unsigned d = rows[a_len % 3][b_len];
	return d > limit ? limit + 1 : d;
}
