/* What is shown, as far as it can be undone. Nothing in it depends on how the profile was laid out
 * in memory: places are paths of names. */
#ifndef PROF_TUI_STATE_H
#define PROF_TUI_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "tui/filters.h"

enum view_kind { VIEW_DOWN, VIEW_UP, VIEW_AROUND /* callers and callees of a function */ };

enum table_order { TABLE_SELF, TABLE_TOTAL, TABLE_NAME };

struct state {
	enum view_kind view;
	bool root_below; /* a flame graph, else an icicle graph */
	bool is_dense;	 /* two rows of the graph in one of the screen where it is deeper */
	bool by_module, fold, table;
	char *around, *around_label; /* pattern, and what people call it; NULL unless VIEW_AROUND */
	struct filters filters;
	VEC(uint32_t) zoom; /* names from the root down, ids of the model's */
	unsigned zoom_tree; /* of VIEW_AROUND: 1 is that of callers */
};

void state_copy(struct state *to, const struct state *from);
void state_release(struct state *s);
void state_set_around(struct state *s, const char *pattern, const char *label);
void state_clear_zoom(struct state *s);

#endif
