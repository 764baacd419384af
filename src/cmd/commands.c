/* The table of commands: a new one is its own file and one row here. */
#include <string.h>

#include "analysis/near.h"
#include "base/bytes.h"
#include "cmd/cmd.h"

const struct command *const commands[] = {
	&command_record,
	&command_stat,
	&command_report,
	&command_annotate,
	&command_flame,
	&command_folded,
	&command_info,
	&command_check,
	&command_roofline,
	&command_list,
	&command_import,
	&command_symbolize,
	&command_cache,
	&command_help,
	NULL,
};

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

int command_unknown(const struct command *cmd, const char *name)
{
	struct bytes hint = { 0 };
	struct near near;

	near_init(&near, name);
	for (size_t i = 0; commands[i]; i++)
		near_offer(&near, commands[i]->name);
	if (near.best_count)
		near_append(&near, &hint);
	else
		bytes_printf(&hint, "; 'prof help' lists them all");
	cmd_usage(cmd, "there is no command '%s'%.*s", name, (int)hint.len,
		  (const char *)hint.data);
	bytes_release(&hint);
	return EXIT_USAGE;
}
