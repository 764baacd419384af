/*
 * embed OUTPUT.c KEEP.txt STYLE.css SCRIPT.js…: a tool of the build. Joins the scripts into one
 * function and writes it and the style sheet as C arrays, made small: comments and space go, and
 * every name of the script that KEEP.txt does not list gets a short one, the same wherever it
 * stands, properties included. So KEEP.txt lists what the script shares with others: keywords,
 * names of the browser, attributes, URL parameters. "const", which only helps who reads the source,
 * becomes "let". Statements must end with semicolons.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tokens.h"

#define NAME_LIMIT 4096

static _Noreturn void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("embed: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

struct text {
	char *data;
	size_t len, cap;
};

static void append(struct text *t, const char *s, size_t len)
{
	if (t->len + len + 1 > t->cap) {
		t->cap = 2 * (t->len + len + 1);
		t->data = realloc(t->data, t->cap);
		if (!t->data)
			die("out of memory");
	}
	memcpy(t->data + t->len, s, len);
	t->len += len;
	t->data[t->len] = '\0';
}

/* Only ASCII, and nothing that would end the element the text is put into. */
static void check(const char *path, const struct text *t)
{
	for (size_t i = 0; i < t->len; i++)
		if ((unsigned char)t->data[i] > 126 ||
		    (t->data[i] < ' ' && !strchr("\t\n", t->data[i])))
			die("%s: only ASCII may be embedded", path);
	if (strstr(t->data, "]]>") || strstr(t->data, "</"))
		die("%s: would end the element it is embedded in", path);
}

static void read_file(struct text *t, const char *path)
{
	struct text file = { 0 };
	char buf[65536];
	size_t n;
	FILE *f = fopen(path, "rb");

	if (!f)
		die("cannot open %s", path);
	append(&file, "", 0);
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		append(&file, buf, n);
	fclose(f);
	check(path, &file);
	append(t, file.data, file.len);
	free(file.data);
}

struct names {
	struct name {
		const char *s;
		size_t len, uses, first;
		char short_name[8];
	} rows[NAME_LIMIT];

	size_t count;
};

static struct name *find_name(struct names *names, const char *s, size_t len)
{
	for (size_t i = 0; i < names->count; i++)
		if (names->rows[i].len == len && memcmp(names->rows[i].s, s, len) == 0)
			return &names->rows[i];
	return NULL;
}

static struct name *add_name(struct names *names, const char *s, size_t len)
{
	if (names->count == NAME_LIMIT)
		die("more than %d names", NAME_LIMIT);
	names->rows[names->count] = (struct name){ .s = s, .len = len, .first = names->count };
	return &names->rows[names->count++];
}

/* Words, one or more on a line; a line that starts with # is a comment. */
static void read_keep(struct names *keep, const struct text *t)
{
	for (const char *s = t->data; *s;) {
		size_t len = *s == '#' ? strcspn(s, "\n") : strcspn(s, " \t\n");
		if (*s != '#' && len > 0 && !find_name(keep, s, len))
			add_name(keep, s, len);
		s += len;
		s += strspn(s, " \t\n");
	}
}

static void collect(struct names *ours, struct names *keep, const char *script)
{
	struct tokens tokens = { .pos = script };
	struct token t;

	while (tokens_next(&tokens, &t)) {
		if (t.kind != TOKEN_NAME || find_name(keep, t.s, t.len))
			continue;
		struct name *n = find_name(ours, t.s, t.len);
		n = n ? n : add_name(ours, t.s, t.len);
		n->uses++;
	}
	if (tokens.wrong)
		die("the script: %s", tokens.wrong);
}

static int by_use(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	if (x->uses != y->uses)
		return x->uses < y->uses ? 1 : -1;
	return x->first < y->first ? -1 : 1;
}

/* a, b, …, Z, aa, ba, …: the n-th of them. */
static void nth_name(char *out, size_t n)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t len = 0;

	do {
		out[len++] = letters[n % 52];
		n /= 52;
	} while (n-- > 0);
	out[len] = '\0';
}

static void shorten(struct names *ours, struct names *keep)
{
	size_t next = 0;

	qsort(ours->rows, ours->count, sizeof(ours->rows[0]), by_use);
	for (size_t i = 0; i < ours->count; i++) {
		do
			nth_name(ours->rows[i].short_name, next++);
		while (find_name(keep, ours->rows[i].short_name, strlen(ours->rows[i].short_name)));
	}
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static bool needs_space(char before, char after)
{
	return (is_word(before) && is_word(after)) ||
	       ((before == '+' || before == '-') && before == after);
}

static void write_script(struct text *out, struct names *ours, const char *script)
{
	struct tokens tokens = { .pos = script };
	struct token t;
	size_t line = 0;

	while (tokens_next(&tokens, &t)) {
		const struct name *n = t.kind == TOKEN_NAME ? find_name(ours, t.s, t.len) : NULL;
		bool is_const = t.kind == TOKEN_NAME && t.len == 5 && memcmp(t.s, "const", 5) == 0;
		const char *s = n ? n->short_name : is_const ? "let" : t.s;
		size_t len = n || is_const ? strlen(s) : t.len;
		bool joins = t.kind == TOKEN_TEMPLATE_TAIL;
		if (!joins && out->len > 0 && needs_space(out->data[out->len - 1], s[0]))
			append(out, " ", 1);
		append(out, s, len);
		if (s[0] == ';' && out->len - line > 200) {
			append(out, "\n", 1);
			line = out->len;
		}
	}
}

/* Comments, indentation and empty lines go. */
static void write_style(struct text *out, const char *s)
{
	while (*s) {
		const char *end = strncmp(s, "/*", 2) == 0 ? strstr(s, "*/") : NULL;
		if (end) {
			s = end + 2;
		} else if (*s == '\n' || *s == '\t') {
			if (out->len > 0 && out->data[out->len - 1] != '\n')
				append(out, "\n", 1);
			s++;
		} else {
			append(out, s++, 1);
		}
	}
}

static void write_array(FILE *f, const char *name, const struct text *t)
{
	fprintf(f, "const char %s[] = {", name);
	for (size_t i = 0; i < t->len; i++)
		fprintf(f, "%s%d,", i % 32 ? "" : "\n", t->data[i]);
	fprintf(f, "0\n};\nconst size_t %s_len = sizeof(%s) - 1;\n", name, name);
}

static void write_output(const char *path, const struct text *script, const struct text *style)
{
	FILE *f = fopen(path, "w");

	if (!f)
		die("cannot write %s", path);
	fprintf(f, "/* Made by embed from src/web. */\n#include \"web/web.h\"\n\n");
	write_array(f, "web_flame_js", script);
	write_array(f, "web_flame_css", style);
	if (ferror(f) || fclose(f) != 0)
		die("cannot write %s", path);
}

int main(int argc, char **argv)
{
	static struct names ours, keep;
	struct text keep_text = { 0 }, css = { 0 }, js = { 0 }, script = { 0 }, style = { 0 };

	if (argc < 5)
		die("usage: embed OUTPUT.c KEEP.txt STYLE.css SCRIPT.js...");
	read_file(&keep_text, argv[2]);
	read_file(&css, argv[3]);
	append(&js, "(()=>{'use strict';", 19);
	for (int i = 4; i < argc; i++)
		read_file(&js, argv[i]);
	append(&js, "})();\n", 6);
	read_keep(&keep, &keep_text);
	collect(&ours, &keep, js.data);
	shorten(&ours, &keep);
	write_script(&script, &ours, js.data);
	write_style(&style, css.data);
	check("the script", &script);
	write_output(argv[1], &script, &style);
	free(keep_text.data);
	free(css.data);
	free(js.data);
	free(script.data);
	free(style.data);
	return 0;
}
