/* What colours look like, by how many the terminal has. Text on a frame is black on a colour that
 * is light, so that it reads in dark and light themes. */
#include <limits.h>
#include <ncurses.h>
#include <string.h>

#include "analysis/calltree.h"
#include "tui/terminal.h"

#define BRIGHT 8 /* of 16 colours */

struct look {
	short text, ground; /* -1: the terminal's own */
};

/* By enum code_kind, two shades each. */
static const short grounds_256[8][2] = {
	[CODE_USER] = { 215, 222 },	 [CODE_LIBRARY] = { 117, 153 },
	[CODE_KERNEL] = { 176, 182 },	 [CODE_JIT] = { 115, 121 },
	[CODE_INLINED] = { 185, 228 },	 [CODE_UNKNOWN] = { 248, 250 },
	[CODE_SYNTHETIC] = { 253, 254 }, [CODE_THREAD] = { 195, 189 },
};
static const short grounds_16[8][2] = {
	[CODE_USER] = { COLOR_YELLOW, COLOR_YELLOW },
	[CODE_LIBRARY] = { COLOR_CYAN, COLOR_CYAN },
	[CODE_KERNEL] = { COLOR_MAGENTA, COLOR_MAGENTA },
	[CODE_JIT] = { COLOR_GREEN, COLOR_GREEN },
	[CODE_INLINED] = { COLOR_YELLOW + BRIGHT, COLOR_YELLOW + BRIGHT },
	[CODE_UNKNOWN] = { COLOR_WHITE, COLOR_WHITE },
	[CODE_SYNTHETIC] = { COLOR_WHITE + BRIGHT, COLOR_WHITE + BRIGHT },
	[CODE_THREAD] = { COLOR_CYAN + BRIGHT, COLOR_CYAN + BRIGHT },
};
/* Without edges two shades must be told apart. */
static const short halves_16[8][2] = {
	[CODE_USER] = { COLOR_YELLOW, COLOR_YELLOW + BRIGHT },
	[CODE_LIBRARY] = { COLOR_CYAN, COLOR_CYAN + BRIGHT },
	[CODE_KERNEL] = { COLOR_MAGENTA, COLOR_MAGENTA + BRIGHT },
	[CODE_JIT] = { COLOR_GREEN, COLOR_GREEN + BRIGHT },
	[CODE_INLINED] = { COLOR_YELLOW, COLOR_YELLOW + BRIGHT },
	[CODE_UNKNOWN] = { COLOR_WHITE, COLOR_BLACK + BRIGHT },
	[CODE_SYNTHETIC] = { COLOR_WHITE, COLOR_BLACK + BRIGHT },
	[CODE_THREAD] = { COLOR_CYAN, COLOR_CYAN + BRIGHT },
};
static const short grounds_8[8] = {
	[CODE_USER] = COLOR_YELLOW,	[CODE_LIBRARY] = COLOR_CYAN,
	[CODE_KERNEL] = COLOR_MAGENTA,	[CODE_JIT] = COLOR_GREEN,
	[CODE_INLINED] = COLOR_YELLOW,	[CODE_UNKNOWN] = COLOR_WHITE,
	[CODE_SYNTHETIC] = COLOR_WHITE, [CODE_THREAD] = COLOR_CYAN,
};

static bool has_colours;

static struct look look_of_frame(unsigned kind, unsigned shade)
{
	if (COLORS >= 256)
		return (struct look){ 16, grounds_256[kind][shade] };
	if (COLORS >= 16)
		return (struct look){ COLOR_BLACK, grounds_16[kind][shade] };
	return (struct look){ COLOR_BLACK, grounds_8[kind] };
}

static struct look look_of(unsigned colour)
{
	switch (colour) {
	case GRID_WARN:
		return (struct look){ COLOR_YELLOW, -1 };
	case GRID_KERNEL_TEXT:
		return (struct look){ COLOR_MAGENTA, -1 };
	case GRID_KEY:
		return (struct look){ COLOR_CYAN, -1 };
	case GRID_BAR:
		return (struct look){ COLORS >= 256 ? 208 : COLOR_YELLOW, -1 };
	case GRID_HIT:
		return (struct look){ COLORS >= 16 ? COLOR_WHITE + BRIGHT : COLOR_WHITE,
				      COLORS >= 256 ? 125 : COLOR_RED };
	case GRID_CHOSEN:
		return (struct look){ COLORS >= 256 ? 231 : COLOR_WHITE,
				      COLORS >= 256 ? 19 : COLOR_BLUE };
	case GRID_MANY:
		return (struct look){ -1, COLORS >= 256	 ? 243
					  : COLORS >= 16 ? COLOR_BLACK + BRIGHT
							 : COLOR_WHITE };
	default:
		return (struct look){ -1, -1 };
	}
}

static struct look look_of_any(unsigned colour)
{
	if (colour >= GRID_FRAME && colour < GRID_CHOSEN)
		return look_of_frame((colour - GRID_FRAME) / 2, (colour - GRID_FRAME) % 2);
	return look_of(colour);
}

void colours_start(bool wanted)
{
	has_colours = wanted && has_colors() && start_color() == OK && COLORS >= 8 &&
		      COLOR_PAIRS > GRID_COLOURS && use_default_colors() == OK;
	if (!has_colours)
		return;
	for (unsigned i = 1; i < GRID_COLOURS; i++) {
		struct look l = look_of_any(i);
		init_pair((short)i, l.text, l.ground);
	}
}

/* Dim text on a coloured ground is unreadable in many terminals. */
static attr_t attributes_of(uint8_t colour, uint8_t attributes)
{
	attr_t a = A_NORMAL;
	bool on_ground = has_colours && colour >= GRID_FRAME;

	a |= attributes & GRID_BOLD ? A_BOLD : 0;
	a |= attributes & GRID_DIM && !on_ground ? A_DIM : 0;
	a |= attributes & GRID_REVERSE ? A_REVERSE : 0;
	a |= attributes & GRID_UNDERLINE ? A_UNDERLINE : 0;
	if (!has_colours && colour == GRID_HIT)
		a |= A_BOLD | A_UNDERLINE;
	return a;
}

/* Two grounds as a pair of colours, made when first asked for. */
static short pair_of(short upper, short lower)
{
	static short pairs[257][257], used = GRID_COLOURS; /* 0: not there */
	short *pair = &pairs[upper + 1][lower + 1];

	if (*pair == 0 && used < COLOR_PAIRS && used < SHRT_MAX) {
		init_pair(used, upper, lower);
		*pair = used++;
	}
	return *pair;
}

/* The colour that half a cell has. */
static short ground_of(unsigned colour)
{
	if (colour == GRID_PLAIN)
		return -1;
	if (colour >= GRID_FRAME && colour < GRID_CHOSEN && COLORS < 256)
		return halves_16[(colour - GRID_FRAME) / 2][(colour - GRID_FRAME) % 2];
	return look_of_any(colour).ground;
}

static short pair_of_halves(const struct grid_cell *c)
{
	short upper = ground_of(c->colour), lower = ground_of(c->below);

	return c->colour == GRID_PLAIN ? pair_of(lower, -1) : pair_of(upper, lower);
}

bool colours_have_halves(void)
{
	return has_colours && COLORS >= 16;
}

struct terminal_look colours_of(const struct grid_cell *c)
{
	if (c->attributes & GRID_HALVES)
		return (struct terminal_look){ A_NORMAL, has_colours ? pair_of_halves(c) : 0 };
	return (struct terminal_look){ attributes_of(c->colour, c->attributes),
				       has_colours ? c->colour : 0 };
}
