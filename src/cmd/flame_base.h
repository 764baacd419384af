/* What a differential flame graph compares with: another file, or another event of the same. */
#ifndef PROF_CMD_FLAME_BASE_H
#define PROF_CMD_FLAME_BASE_H

#include "analysis/difftree.h"
#include "cmd/cmd.h"
#include "cmd/input.h"
#include <stdbool.h>

struct flame_base_options {
	const char *file, *event; /* NULL: not given */
	bool absolute;
};

struct flame_base {
	bool is_given;
	struct diff_source source; /* of what is below, or of the view's profile */
	struct profile profile;	   /* of another file */
	struct filter_result samples;
	struct health health; /* before frames were hidden */
};

/* Opens the base of v, if there is one: what is given, or else, of folded stacks with two columns
 * where no event is chosen, the first of them. Where none is chosen and the base is an event of
 * the same file, v shows the first other one. EXIT_DONE, or another
 * status after one line; release only after EXIT_DONE. */
int flame_base_open(struct flame_base *b, const struct command *cmd,
		    const struct flame_base_options *o, const struct cmd_input_options *input,
		    struct cmd_view *v);
void flame_base_release(struct flame_base *b);

#endif
