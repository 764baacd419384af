/*
 * embed OUTPUT.c KEEP.txt LOADER.js STILL.css LIVE.css DIFF.css [NAME FILE… --]…: a tool of the
 * build. Makes scripts and style sheets small and writes them as C arrays. The scripts of each NAME
 * become one function; it, LIVE.css and the style sheets of NAME are deflated, as text that
 * LOADER.js unpacks.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base91.h"
#include "base/compress.h"
#include "base/io.h"
#include "web/minify.h"

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

static void append(struct bytes *out, const char *s)
{
	bytes_append(out, s, strlen(s));
}

/* As a string: a NUL behind the end. */
static const char *text_of(struct bytes *b)
{
	bytes_u8(b, '\0');
	b->len--;
	return (const char *)b->data;
}

/* Only ASCII, and nothing that would end the element the text is put into. */
static void check(const char *path, struct bytes *b)
{
	const char *text = text_of(b);

	for (size_t i = 0; i < b->len; i++)
		if (b->data[i] > 126 || (b->data[i] < ' ' && !strchr("\t\n", b->data[i])))
			die("%s: only ASCII may be embedded", path);
	if (strstr(text, "]]>") || strstr(text, "</"))
		die("%s: would end the element it is embedded in", path);
}

static void read_file(struct bytes *out, const char *path)
{
	struct bytes file = { 0 };
	struct error err = { 0 };

	if (io_read_file(path, &file, 1 << 24, &err) < 0)
		die("%s", err.text);
	check(path, &file);
	bytes_append(out, file.data, file.len);
	bytes_release(&file);
}

static void add_style(struct bytes *out, const char *path)
{
	struct bytes source = { 0 };

	read_file(&source, path);
	minify_style(out, text_of(&source));
	bytes_release(&source);
}

static void add_script(struct bytes *out, struct bytes *source, struct bytes *keep)
{
	const char *wrong = minify_script(out, text_of(source), text_of(keep));

	if (wrong)
		die("the script: %s", wrong);
}

static bool is_style(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && strcmp(dot, ".css") == 0;
}

/* The style sheets and the scripts' function, a NUL between them. */
static void pack(struct bytes *out, const char *style, char **files, struct bytes *keep)
{
	struct bytes source = { 0 }, content = { 0 }, packed = { 0 };

	append(&source, "document.currentScript.run=(root,inflate,style)=>{'use strict';");
	for (char **file = files; *file; file++)
		if (!is_style(*file))
			read_file(&source, *file);
	append(&source, "};");
	add_style(&content, style);
	for (; *files; files++)
		if (is_style(*files))
			add_style(&content, *files);
	bytes_u8(&content, '\0');
	add_script(&content, &source, keep);
	zlib_deflate(&packed, content.data, content.len, 12);
	base91_encode(out, packed.data, packed.len);
	bytes_release(&source);
	bytes_release(&content);
	bytes_release(&packed);
}

/* LOADER.js is one function, which is called. */
static void load(struct bytes *out, const char *loader, struct bytes *keep)
{
	struct bytes source = { 0 };

	append(&source, "(");
	read_file(&source, loader);
	append(&source, ")();");
	add_script(out, &source, keep);
	append(out, "\n");
	bytes_release(&source);
}

static void write_array(FILE *f, const char *name, const struct bytes *b)
{
	fprintf(f, "const char web_flame_%s[] = {", name);
	for (size_t i = 0; i < b->len; i++)
		fprintf(f, "%s%d,", i % 32 ? "" : "\n", b->data[i]);
	fprintf(f, "0\n};\nconst size_t web_flame_%s_len = sizeof(web_flame_%s) - 1;\n", name,
		name);
}

/* NAME FILE…, up to "--" or the end; returns what follows. */
static char **write_packed(FILE *f, const char *style, char **words, struct bytes *keep)
{
	struct bytes packed = { 0 };
	const char *name = *words++;
	char **end = words;

	while (*end && strcmp(*end, "--") != 0)
		end++;
	char **next = *end ? end + 1 : end;
	*end = NULL;
	pack(&packed, style, words, keep);
	check("the packed script", &packed);
	write_array(f, name, &packed);
	bytes_release(&packed);
	return next;
}

static void write_plain(FILE *f, char **argv, struct bytes *keep)
{
	struct bytes script = { 0 }, style = { 0 }, diff_style = { 0 };

	load(&script, argv[3], keep);
	add_style(&style, argv[4]);
	add_style(&diff_style, argv[6]);
	check("the script", &script);
	check("the style", &style);
	check("the differential style", &diff_style);
	write_array(f, "js", &script);
	write_array(f, "css", &style);
	write_array(f, "diff_css", &diff_style);
	bytes_release(&script);
	bytes_release(&style);
	bytes_release(&diff_style);
}

int main(int argc, char **argv)
{
	struct bytes keep = { 0 };

	if (argc < 9)
		die("usage: embed OUTPUT.c KEEP.txt LOADER.js STILL.css LIVE.css DIFF.css [NAME FILE... --]...");
	FILE *f = fopen(argv[1], "we");
	if (!f)
		die("cannot write %s", argv[1]);
	read_file(&keep, argv[2]);
	fprintf(f, "/* Made by embed from src/web. */\n#include \"web/web.h\"\n\n");
	write_plain(f, argv, &keep);
	for (char **words = argv + 7; *words;)
		words = write_packed(f, argv[5], words, &keep);
	if (ferror(f) || fclose(f) != 0)
		die("cannot write %s", argv[1]);
	bytes_release(&keep);
	return 0;
}
