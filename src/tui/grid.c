/* Cells. */
#include "tui/grid.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define UPPER_HALF 0x2580u
#define LOWER_HALF 0x2584u

static struct grid_cell *cell_at(const struct grid_area *a, unsigned x, unsigned y)
{
	if (x >= a->width || y >= a->height)
		return NULL;
	return &a->grid->cells[(size_t)(a->y + y) * a->grid->width + a->x + x];
}

void grid_clear(struct grid *g)
{
	for (size_t i = 0; i < (size_t)g->width * g->height; i++)
		g->cells[i] = (struct grid_cell){ .base = ' ' };
}

void grid_resize(struct grid *g, unsigned width, unsigned height)
{
	g->cells = xrealloc_array(g->cells, (size_t)width * height, sizeof(*g->cells));
	g->width = width;
	g->height = height;
	grid_clear(g);
}

void grid_release(struct grid *g)
{
	free(g->cells);
	memset(g, 0, sizeof(*g));
}

struct grid_area grid_whole(struct grid *g)
{
	return (struct grid_area){ .grid = g, .width = g->width, .height = g->height };
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

struct grid_area grid_part(const struct grid_area *a, unsigned x, unsigned y, unsigned width,
			   unsigned height)
{
	struct grid_area part = *a;

	x = least(x, a->width);
	y = least(y, a->height);
	part.x += x;
	part.y += y;
	part.width = least(width, a->width - x);
	part.height = least(height, a->height - y);
	return part;
}

static void add_mark(struct grid_cell *c, uint32_t mark)
{
	for (size_t i = 0; i < GRID_MARKS; i++) {
		if (c->marks[i])
			continue;
		c->marks[i] = mark;
		return;
	}
}

static void put(const struct grid_area *a, unsigned x, unsigned y, uint32_t base,
		struct grid_style style)
{
	struct grid_cell *c = cell_at(a, x, y);

	if (c)
		*c = (struct grid_cell){ .base = base,
					 .colour = (uint8_t)style.colour,
					 .attributes = style.attributes };
}

unsigned grid_text_n(const struct grid_area *a, unsigned x, unsigned y, unsigned room,
		     const char *text, size_t len, struct grid_style style)
{
	unsigned used = 0;

	room = x < a->width ? least(room, a->width - x) : 0;
	for (size_t i = 0; i < len;) {
		uint32_t cp = '?';
		int n = text_utf8_decode(text + i, len - i, &cp);
		size_t step = n > 0 ? (size_t)n : 1;
		unsigned columns = n > 0 ? (unsigned)text_width(text + i, step) : 1;
		i += step;
		if (columns == 0) {
			struct grid_cell *before = used ? cell_at(a, x + used - 1, y) : NULL;
			if (before && before->base == 0 && used > 1)
				before = cell_at(a, x + used - 2, y);
			if (before)
				add_mark(before, cp);
			continue;
		}
		if (used + columns > room)
			break;
		put(a, x + used, y, cp < 0x20 ? '?' : cp, style);
		if (columns == 2)
			put(a, x + used + 1, y, 0, style);
		used += columns;
	}
	return used;
}

unsigned grid_text(const struct grid_area *a, unsigned x, unsigned y, unsigned room,
		   const char *text, struct grid_style style)
{
	return grid_text_n(a, x, y, room, text, strlen(text), style);
}

void grid_text_left_of(const struct grid_area *a, unsigned x, unsigned y, const char *text,
		       struct grid_style style)
{
	size_t width = text_width(text, strlen(text));

	if (width <= x)
		grid_text(a, x - (unsigned)width, y, (unsigned)width, text, style);
}

void grid_fill(const struct grid_area *a, unsigned x, unsigned y, unsigned width,
	       struct grid_style style)
{
	for (unsigned i = 0; i < width && x + i < a->width; i++)
		put(a, x + i, y, ' ', style);
}

void grid_half(const struct grid_area *a, unsigned x, unsigned y, bool is_upper,
	       enum grid_colour colour)
{
	struct grid_cell *c = cell_at(a, x, y);

	if (!c)
		return;
	if (!(c->attributes & GRID_HALVES))
		*c = (struct grid_cell){ .attributes = GRID_HALVES };
	if (is_upper)
		c->colour = (uint8_t)colour;
	else
		c->below = (uint8_t)colour;
	c->base = c->colour != GRID_PLAIN ? UPPER_HALF : LOWER_HALF;
}

const struct grid_cell *grid_at(const struct grid_area *a, unsigned x, unsigned y)
{
	return cell_at(a, x, y);
}

void grid_restyle(const struct grid_area *a, unsigned x, unsigned y, unsigned width,
		  struct grid_style style)
{
	for (unsigned i = 0; i < width; i++) {
		struct grid_cell *c = cell_at(a, x + i, y);
		if (!c)
			return;
		c->colour = (uint8_t)style.colour;
		c->attributes = style.attributes;
	}
}

void grid_append_char(struct bytes *out, uint32_t cp)
{
	if (cp < 0x80) {
		bytes_u8(out, (uint8_t)cp);
	} else if (cp < 0x800) {
		bytes_u8(out, (uint8_t)(0xc0 | cp >> 6));
		bytes_u8(out, (uint8_t)(0x80 | (cp & 63)));
	} else if (cp < 0x10000) {
		bytes_u8(out, (uint8_t)(0xe0 | cp >> 12));
		bytes_u8(out, (uint8_t)(0x80 | (cp >> 6 & 63)));
		bytes_u8(out, (uint8_t)(0x80 | (cp & 63)));
	} else {
		bytes_u8(out, (uint8_t)(0xf0 | cp >> 18));
		bytes_u8(out, (uint8_t)(0x80 | (cp >> 12 & 63)));
		bytes_u8(out, (uint8_t)(0x80 | (cp >> 6 & 63)));
		bytes_u8(out, (uint8_t)(0x80 | (cp & 63)));
	}
}

static void end_line(struct bytes *out)
{
	while (out->len && out->data[out->len - 1] == ' ')
		out->len--;
	bytes_u8(out, '\n');
}

void grid_print(const struct grid *g, struct bytes *out)
{
	for (unsigned y = 0; y < g->height; y++) {
		for (unsigned x = 0; x < g->width; x++) {
			const struct grid_cell *c = &g->cells[(size_t)y * g->width + x];
			if (c->base == 0)
				continue;
			grid_append_char(out, c->base);
			for (size_t i = 0; i < GRID_MARKS && c->marks[i]; i++)
				grid_append_char(out, c->marks[i]);
		}
		end_line(out);
	}
}

static char style_letter(const struct grid_cell *c)
{
	bool reversed = c->attributes & GRID_REVERSE;

	if (c->colour != GRID_PLAIN)
		return (char)((reversed ? 'A' : 'a') + c->colour - 1);
	if (reversed)
		return '#';
	if (c->attributes & GRID_BOLD)
		return '*';
	if (c->attributes & GRID_DIM)
		return '-';
	return c->attributes & GRID_UNDERLINE ? '_' : ' ';
}

static void append_lower_halves(const struct grid *g, unsigned y, struct bytes *out)
{
	bool has_any = false;

	for (unsigned x = 0; x < g->width; x++)
		has_any |= g->cells[(size_t)y * g->width + x].attributes & GRID_HALVES;
	if (!has_any)
		return;
	bytes_u8(out, '>');
	for (unsigned x = 0; x < g->width; x++) {
		const struct grid_cell *c = &g->cells[(size_t)y * g->width + x];
		bool has_lower = c->attributes & GRID_HALVES && c->below != GRID_PLAIN;
		bytes_u8(out, has_lower ? (uint8_t)('a' + c->below - 1) : ' ');
	}
	end_line(out);
}

void grid_print_styles(const struct grid *g, struct bytes *out)
{
	for (unsigned y = 0; y < g->height; y++) {
		for (unsigned x = 0; x < g->width; x++)
			bytes_u8(out, (uint8_t)style_letter(&g->cells[(size_t)y * g->width + x]));
		end_line(out);
		append_lower_halves(g, y, out);
	}
}
