/* Drawing, part by part. Private to tui/. */
#ifndef PROF_TUI_DRAW_H
#define PROF_TUI_DRAW_H

#include "tui/grid.h"
#include "tui/model.h"

#define SEARCH_WIDTH		    ((size_t)20) /* of a pattern, at most */
#define STYLE(colour_, attributes_) ((struct grid_style){ (colour_), (attributes_) })

void draw_graph(const struct model *m, const struct grid_area *a);
void draw_dense(const struct model *m, const struct grid_area *a);
/* Is it, or of its row of the table, what is selected? */
bool draw_is_chosen(const struct model *m, const struct box *box);
/* Its name in room columns at most, with its share where that fits. The caller frees. */
char *draw_label_of(const struct model *m, const struct box *box, size_t room);
void draw_table(const struct model *m, const struct grid_area *a);
void draw_source(const struct model *m, const struct grid_area *a);
void draw_strip(const struct model *m, const struct grid_area *a);
void draw_status(const struct model *m, const struct grid_area *a);
void draw_sheet(const struct model *m, const struct grid_area *a);
/* Printable text in width columns, cut at its end. */
void draw_start(const struct model *m, const struct grid_area *a, unsigned x, unsigned y,
		unsigned width, const char *text, struct grid_style style);
/* A line of output/'s text with its colours, from its column skip on. */
void draw_coloured(const struct grid_area *a, unsigned y, const char *text, size_t len);

#endif
