/* A picture of the screen: cells with a character, a colour and attributes. Knows no terminal. */
#ifndef PROF_TUI_GRID_H
#define PROF_TUI_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum grid_attribute {
	GRID_BOLD = 1,
	GRID_DIM = 2,
	GRID_REVERSE = 4,
	GRID_UNDERLINE = 8,
	GRID_HALVES = 16, /* a half block: the grounds of colour above and of below below */
};

/* What a colour stands for; the terminal decides how it looks. */
enum grid_colour {
	GRID_PLAIN,
	GRID_TITLE,
	GRID_WARN,
	GRID_KERNEL_TEXT,
	GRID_KEY,
	GRID_BAR,
	GRID_HIT,			  /* what the search found */
	GRID_FRAME,			  /* and two shades of each enum code_kind */
	GRID_CHOSEN = GRID_FRAME + 2 * 8, /* half a cell of what is selected */
	GRID_MANY,			  /* and of frames too narrow to be told apart */
	GRID_COLOURS,
};

#define GRID_MARKS 2 /* combining characters kept with one */

struct grid_cell {
	uint32_t base; /* code point; 0: the right half of the wide character before */
	uint32_t marks[GRID_MARKS];
	uint8_t colour, attributes;
	uint8_t below; /* with GRID_HALVES; GRID_PLAIN: nothing */
};

struct grid {
	unsigned width, height;
	struct grid_cell *cells; /* by row */
};

struct grid_style {
	enum grid_colour colour;
	uint8_t attributes;
};

/* A part of a grid: what is written outside of it is not. */
struct grid_area {
	struct grid *grid;
	unsigned x, y, width, height;
};

/* Blank; *g must be zeroed or in use. */
void grid_resize(struct grid *g, unsigned width, unsigned height);
void grid_clear(struct grid *g);
void grid_release(struct grid *g);
struct grid_area grid_whole(struct grid *g);
/* Rows or columns of an area, as far as it has them. */
struct grid_area grid_part(const struct grid_area *a, unsigned x, unsigned y, unsigned width,
			   unsigned height);
/* Printable UTF-8 from column x of row y, no further than room columns (and the area's edge).
 * Returns the columns taken. */
unsigned grid_text(const struct grid_area *a, unsigned x, unsigned y, unsigned room,
		   const char *text, struct grid_style style);
/* The same for text that ends after len bytes. */
unsigned grid_text_n(const struct grid_area *a, unsigned x, unsigned y, unsigned room,
		     const char *text, size_t len, struct grid_style style);
/* Right-aligned so that it ends before column x. */
void grid_text_left_of(const struct grid_area *a, unsigned x, unsigned y, const char *text,
		       struct grid_style style);
/* width blanks. */
void grid_fill(const struct grid_area *a, unsigned x, unsigned y, unsigned width,
	       struct grid_style style);
/* Half a cell in the ground of a colour; the other half stays. */
void grid_half(const struct grid_area *a, unsigned x, unsigned y, bool is_upper,
	       enum grid_colour colour);
/* A cell of the area. */
const struct grid_cell *grid_at(const struct grid_area *a, unsigned x, unsigned y);
/* Give the cells of a row another style, keeping their characters. */
void grid_restyle(const struct grid_area *a, unsigned x, unsigned y, unsigned width,
		  struct grid_style style);
/* A code point as UTF-8. */
void grid_append_char(struct bytes *out, uint32_t cp);
/* Lines of text, without blanks at their ends. */
void grid_print(const struct grid *g, struct bytes *out);
/* The same with a letter for each cell's style: colours as a, b, …, upper case when reversed; plain
 * cells ' ', bold '*', dim '-', underlined '_', reversed '#'. Of half blocks the upper halves, and
 * the lower ones in a line more, behind '>'. */
void grid_print_styles(const struct grid *g, struct bytes *out);

#endif
