/* Text from outside made safe to print, numbers made readable, and numbers read from users. */
#ifndef PROF_BASE_TEXT_H
#define PROF_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/* Append s with control characters (C0, DEL, C1), invalid UTF-8 and backslashes of such escapes
 * shown as \xNN; valid UTF-8 passes, but bidi controls, line/paragraph separators and what Unicode
 * calls noncharacters (XML forbids U+FFFE and U+FFFF) are escaped too. */
void text_append_printable(struct bytes *out, const char *s, size_t len);
/* Append what text_append_printable made s of; but a NUL stays \x00. */
void text_append_unprintable(struct bytes *out, const char *s, size_t len);
/* Append s as one word of a shell's command, quoted where that is needed. It is printable, can be
 * copied from a terminal, and is s again to the shell. */
void text_append_word(struct bytes *out, const char *s);
/* The same as text_append_printable, as a heap string the caller frees. */
char *text_printable(const char *s);
/* Length of the longest prefix of s that is ASCII, printable as it is, and without backslashes: a
 * column a byte. */
size_t text_plain_length(const char *s, size_t len);
/* Columns on a terminal of valid UTF-8 text (wcwidth rules, locale-independent). */
size_t text_width(const char *s, size_t len);
/* Length of the valid UTF-8 sequence at s (1..4), 0 when invalid; code point in *cp. */
int text_utf8_decode(const char *s, size_t len, uint32_t *cp);

/* The locale's characters are UTF-8, after setlocale(LC_CTYPE, ""): what prof says itself, names
 * apart, is ASCII elsewhere. */
bool text_is_unicode(void);
/* "1.23 s", "45.6 ms"; "12.3 MB"; "12 345": into buf, returned. */
const char *text_duration(char *buf, size_t size, uint64_t ns);
const char *text_bytes(char *buf, size_t size, uint64_t bytes);
const char *text_count(char *buf, size_t size, uint64_t n);

/* Whole-string parses; false leaves *out alone. */
bool text_parse_u64(const char *s, uint64_t *out);	  /* decimal or 0x */
bool text_parse_size(const char *s, uint64_t *out);	  /* 64, 64k, 4M, 1G (1024s) */
bool text_parse_seconds(const char *s, uint64_t *out_ns); /* 1.5, 1.5s, 200ms, 10us, 5ns, 2m */
/* Damerau-Levenshtein distance, bounded by limit (returns limit + 1 when above); for "did you
 * mean". */
unsigned text_distance(const char *a, const char *b, unsigned limit);

#endif
