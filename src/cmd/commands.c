/* The table of commands: a new one is its own file and one row here. */
#include <string.h>

#include "cmd/cmd.h"

const struct command *const commands[] = {
	&command_record,    &command_report, &command_flame, &command_folded,
	&command_info,	    &command_check,  &command_list,  &command_import,
	&command_symbolize, &command_help,   NULL,
};

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}
