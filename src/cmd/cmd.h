/*
 * A subcommand: one file, one row in cmd/commands.c's table. Options are rows with the offset into
 * a per-command struct; help, man page and shell completion are generated from the same rows.
 */
#ifndef PROF_CMD_CMD_H
#define PROF_CMD_CMD_H

#include "base/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cmd_exit {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_CONDITION = 3,
	EXIT_INCONCLUSIVE = 4,
	EXIT_NOT_RECORDED = 125,
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
};

enum option_kind {
	OPT_FLAG,    /* bool; --no-NAME clears it when negatable */
	OPT_STRING,  /* const char * */
	OPT_LIST,    /* struct cmd_strings: may be repeated, each occurrence appended */
	OPT_U64,     /* uint64_t */
	OPT_SIZE,    /* uint64_t bytes: 64k */
	OPT_SECONDS, /* uint64_t ns */
	OPT_MILLIS,  /* uint64_t ns, given in ms as perf does (-D) */
	OPT_DOUBLE,  /* not negative, finite */
	OPT_COUNT,   /* unsigned: -v -v */
	OPT_CHOICE,  /* unsigned: index into choices */
};

struct cmd_option {
	char letter;	  /* 0: none */
	const char *name; /* long, without dashes */
	enum option_kind kind;
	size_t offset;	      /* into the command's struct */
	size_t given_offset;  /* of a bool that says "was given"; OPTION_NOT_TOLD: none */
	const char *argument; /* "HZ", NULL for flags and counts */
	uint64_t least;	      /* OPT_U64: less is refused */
	const char *implied;  /* the value when "=VALUE" is left out; NULL: it must be there */
	const char *const *choices; /* OPT_CHOICE: NULL-terminated */
	const char *help;	    /* one line */
	const char *heading;	    /* begins a group of options in the help */
	bool negatable, hidden;
	bool selects; /* which samples and frames: whatever shows them shows the same ones with it */
};

#define OPTION_NOT_TOLD SIZE_MAX

/* A row for a field of a command's struct; further fields as designated initializers. */
#define OPTION(type, field, kind_, letter_, name_, ...)                                       \
	{                                                                                     \
		.letter = (letter_), .name = (name_), .kind = (kind_),                        \
		.offset = offsetof(type, field), .given_offset = OPTION_NOT_TOLD, __VA_ARGS__ \
	}
#define OPTION_TOLD(type, field, told, kind_, letter_, name_, ...)                                 \
	{                                                                                          \
		.letter = (letter_), .name = (name_), .kind = (kind_),                             \
		.offset = offsetof(type, field), .given_offset = offsetof(type, told), __VA_ARGS__ \
	}

struct cmd_strings {
	const char **items; /* NULL-terminated once there is one */
	size_t len, cap;
};

struct command {
	const char *name, *summary;
	const char *synopsis;	 /* lines: "prof record [options] [--] command [argument…]" */
	const char *description; /* paragraphs for the man page, separated by empty lines */
	const char *examples;	 /* lines: "command\twhat it does" */
	const struct cmd_option *options; /* ends with a row whose name is NULL */
	size_t options_size;		  /* of the per-command struct; zeroes are the defaults */
	bool stops_at_first_operand;	  /* record: the rest is the command's own */
	int (*run)(void *options, int argc, char **argv); /* operands; returns the exit status */
};

/* Every command, NULL-terminated, in the order help shows them. */
extern const struct command *const commands[];
const struct command *command_find(const char *name); /* NULL when there is none */
/* Says that there is no such command, with near ones; cmd: who says so, or NULL. Returns
 * EXIT_USAGE. */
int command_unknown(const struct command *cmd, const char *name);

extern const struct command command_record, command_stat, command_report, command_annotate, command_flame,
	command_folded, command_info, command_check, command_list, command_cache, command_symbolize,
	command_import, command_roofline, command_help;

/* From now on the process ends with one line and status 1 when memory runs out. */
void cmd_end_when_exhausted(const struct command *cmd);
/* Print "prof NAME: text" (control characters escaped; NULL: no name) as one line to stderr. */
void cmd_say(const struct command *cmd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same for an error, and return status. */
int cmd_fail(const struct command *cmd, const struct error *err, int status);
/* The same for a fault in what was typed: returns EXIT_USAGE. */
int cmd_usage(const struct command *cmd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* EXIT_USAGE for ERROR_USAGE, else EXIT_FAILED. */
int cmd_status(const struct error *err);

/* Write a whole buffer to path, or to stdout when NULL or "-" (EPIPE is silent). A regular file is
 * replaced only when everything was written. EXIT_DONE, or EXIT_FAILED after having said why. */
struct bytes;
int cmd_write_output(const struct command *cmd, const struct bytes *b, const char *path);
/* Fails when output (NULL, "-": none) is the file input (NULL: prof.data), by whatever name: what
 * is read is not to be replaced by what is made of it. */
int cmd_check_other_file(const char *input, const char *output, struct error *err);

#endif
