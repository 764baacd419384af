/* The interactive view, with what it may ask a command for. */
#ifndef PROF_CMD_INTERACTIVE_H
#define PROF_CMD_INTERACTIVE_H

#include "cmd/annotate_sources.h"
#include "cmd/cmd.h"
#include "tui/tui.h"

/* Shows it until the user leaves. p: in's profile, to which code may be added; in's host is filled
 * in. Source is looked for in places, too. EXIT_DONE or EXIT_FAILED after having said why. */
int cmd_show_interactively(const struct command *cmd, struct profile *p, struct tui_input *in,
			   const struct source_places *places);

#endif
