/* Fuzz target: the option parser. The input is a command's name and its words, separated by NULs;
 * every command's rows are reachable. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cmd/cmd.h"
#include "cmd/options.h"

enum { MAX_WORDS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int split(char *text, size_t size, char **words)
{
	int n = 0;

	for (size_t at = 0; at < size && n < MAX_WORDS; at += strlen(text + at) + 1)
		words[n++] = text + at;
	words[n] = NULL;
	return n;
}

static void check_operands(const struct words *o, char **words, int argc)
{
	if (o->count < 0 || o->count > argc || o->items[o->count] != NULL)
		abort();
	if (o->items < words || o->items > words + argc)
		abort();
}

static void parse(const struct command *cmd, int argc, char **words)
{
	CLEANUP_FREE void *options = xcalloc(1, cmd->options_size);
	struct words operands = { argc, words };
	struct error err = { 0 };

	int rc = options_parse(cmd->options, cmd->stops_at_first_operand, options, &operands, &err);
	if (rc == 0)
		check_operands(&operands, words, argc);
	if (rc < 0 && (err.code != ERROR_USAGE || err.text[0] == '\0'))
		abort();
	options_release(cmd->options, options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP_FREE char *text = xmalloc(size + 1);
	char *words[MAX_WORDS + 1];

	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	int argc = split(text, size, words);
	const struct command *cmd = argc ? command_find(words[0]) : NULL;
	if (cmd)
		parse(cmd, argc - 1, words + 1);
	return 0;
}
