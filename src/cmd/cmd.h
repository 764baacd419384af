/*
 * A subcommand: one file, one row in cmd/main.c's table. Options are rows with the offset into a per-command
 * struct; help, man page and shell completion are generated from the same rows.
 */
#ifndef PROF_CMD_CMD_H
#define PROF_CMD_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/error.h"

enum cmd_exit { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_CONDITION = 3, EXIT_INCONCLUSIVE = 4,
		EXIT_NOT_RECORDED = 125, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

enum option_kind {
	OPT_FLAG,     /* bool; --no-NAME clears it when negatable */
	OPT_STRING,   /* const char * */
	OPT_LIST,     /* struct cmd_strings: may be repeated, each occurrence appended */
	OPT_U64,      /* uint64_t */
	OPT_SIZE,     /* uint64_t bytes: 64k */
	OPT_SECONDS,  /* uint64_t ns */
	OPT_MILLIS,   /* uint64_t ns, given in ms as perf does (-D) */
	OPT_DOUBLE,
	OPT_COUNT,    /* unsigned: -v -v */
	OPT_CHOICE,   /* unsigned: index into choices */
};
struct cmd_option {
	char letter;		/* 0: none */
	const char *name;	/* long, without dashes */
	enum option_kind kind;
	size_t offset;		/* into the command's struct */
	size_t given_offset;	/* of a bool that says "was given"; SIZE_MAX: none */
	const char *argument;	/* "HZ", NULL for flags */
	const char *const *choices; /* OPT_CHOICE: NULL-terminated */
	const char *help;	/* one line */
	bool negatable, hidden;
};
struct cmd_strings {
	const char **items;
	size_t len, cap;
};
struct command {
	const char *name, *summary;
	const char *synopsis;	  /* "prof record [options] [--] command [argument…]" */
	const char *description;  /* paragraphs for the man page */
	const char *examples;	  /* lines: "command    what it does" */
	const struct cmd_option *options; /* ends with a row whose name is NULL */
	size_t options_size;	  /* of the per-command struct; zeroed, then init() */
	void (*init)(void *options);
	bool stops_at_first_operand; /* record: the rest is the command's own */
	int (*run)(void *options, int argc, char **argv); /* operands; returns the exit status */
};

extern const struct command command_record, command_report, command_flame, command_folded, command_info, command_check,
	command_list, command_symbolize, command_import, command_help;

/* Print "prof NAME: text" (control characters escaped) to stderr and return status. */
int cmd_fail(const struct error *err, int status);
/* Write a whole buffer to stdout (or the file path when not NULL or "-"), EPIPE is silent. 0 or -1 (said). */
struct bytes;
int cmd_write_output(const struct bytes *b, const char *path);

/* Shared by the reading commands. */
struct profile;
struct filter_spec;
struct cmd_input_options { /* rows for these: CMD_INPUT_OPTIONS in cmd/input.h */
	const char *input; /* -i */
	const char *time, *comm, *pid, *tid, *module, *symbol, *event, *focus, *ignore;
	bool no_inline;
	unsigned demangle; /* choice: yes, no */
};

#endif
