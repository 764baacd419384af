/*
 * All of the interactive view but the terminal: what is shown and what is selected. Keys change it,
 * model_draw() draws it. What only the outside can do comes out as an effect. A key costs what is
 * on the screen; only a change of what is shown (filters, views, search) goes over all of the tree.
 */
#ifndef PROF_TUI_MODEL_H
#define PROF_TUI_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/source_texts.h"
#include "base/hash.h"
#include "tui/grid.h"
#include "tui/layout.h"
#include "tui/search.h"
#include "tui/sheet.h"
#include "tui/state.h"
#include "tui/strip.h"
#include "tui/tui.h"
#include "tui/view.h"

/* Keys: code points, and these. */
enum tui_key {
	TUI_KEY_NONE = 0,
	TUI_KEY_ENTER = '\r',
	TUI_KEY_ESCAPE = 0x1b,
	TUI_KEY_BACKSPACE = 0x7f,
	TUI_KEY_TAB = '\t',
	TUI_KEY_UP = 0x110000,
	TUI_KEY_DOWN,
	TUI_KEY_LEFT,
	TUI_KEY_RIGHT,
	TUI_KEY_HOME,
	TUI_KEY_END,
	TUI_KEY_PAGE_UP,
	TUI_KEY_PAGE_DOWN,
	TUI_KEY_DELETE,
	TUI_KEYS_END,
};

enum tui_button { TUI_CLICK, TUI_WHEEL_UP, TUI_WHEEL_DOWN, TUI_RELEASE };

struct tui_mouse {
	enum tui_button button;
	unsigned x, y;	  /* cell of the screen */
	bool is_repeated; /* a click soon after one at the same place */
};

#define TUI_CONTROL(letter) ((uint32_t)(letter)&31u)

enum effect_kind {
	EFFECT_NONE,
	EFFECT_QUIT,
	EFFECT_REDRAW,
	EFFECT_COPY,  /* text: to the terminal's clipboard */
	EFFECT_SAVE,  /* text: the path; model_picture() makes what is written. What exists is
			 replaced with overwrite only, else model_ask_to_overwrite() asks */
	EFFECT_EDIT,  /* text: the file here; line */
	EFFECT_MOUSE, /* model.has_mouse has changed */
};

struct effect {
	enum effect_kind kind;
	char *text;
	uint32_t line;
	bool overwrite;
};

struct source_line {
	uint32_t file, line;
	uint64_t weight; /* of the sampled line, 0: it is where the function is declared */
};

struct table {
	VEC(uint32_t) order; /* rows of the view's table, as sorted and searched */
	bool is_made;
	enum table_order sorted_by;
	size_t selected, top;
};

struct rect {
	unsigned x, y, width, height;
};

/* Where things are for a size of the screen. Without height: not shown. */
struct arrangement {
	unsigned head_lines;
	struct rect path, graph, table, source, strip, details, status;
};

struct model {
	const struct tui_input *in;
	struct strtab names;
	struct view view;
	struct state start, state;
	VEC(struct state) past;
	uint64_t built; /* how often trees were made */
	struct search search;
	bool has_stepped; /* the last change was a zoom to a match */
	bool has_mouse;	  /* else it is the terminal's */
	bool has_clicked; /* the last click did more than to select */
	struct place zoomed, selected;
	int top;	/* the first row shown */
	bool can_halve; /* the terminal shows half blocks in enough colours */
	bool is_dense;	/* the rows are so laid out */
	struct layout layout;
	struct table table;
	struct source_texts texts;
	VEC(uint32_t) line_names;  /* of the view's lines: names of their functions */
	struct source_line source; /* of what is selected, while the source is shown */
	uint32_t source_name;
	struct hmap source_files; /* that were asked for; string ids */
	int source_scroll;	  /* rows of the source away from where its line is in the middle */
	unsigned width, height;
	struct arrangement places;
	struct strip strip;
	struct bytes head; /* lines: what ran, and the health */
	char *message;	   /* of the last key; printable */
	bool is_warning;
	struct sheet sheet;
	struct prompt prompt;
	struct effect effect;
	/* Called before what may take long; may be NULL. */
	void (*busy)(void *context, const char *what);
	void *busy_context;
};

/* in must stay. -1: a filter or function is not as it must be. */
int model_init(struct model *m, const struct tui_input *in, struct error *err);
void model_release(struct model *m);
void model_resize(struct model *m, unsigned width, unsigned height);
void model_key(struct model *m, uint32_t key);
/* A click selects, another one on what is selected is Enter, the wheel scrolls what is below it. On
 * the strip what is between pressing and letting go, or two clicks, becomes the filter of time. */
void model_mouse(struct model *m, const struct tui_mouse *e);
/* The grid has the size of model_resize(). */
void model_draw(const struct model *m, struct grid *g);
/* Takes over what is to be done, at most one thing for each key. The caller frees its text. */
struct effect model_take_effect(struct model *m);
void model_say(struct model *m, bool is_warning, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void model_ask_to_overwrite(struct model *m, const char *path);
/* The view as an SVG. */
void model_picture(const struct model *m, struct bytes *out);

/* ---- for the parts of the model ---- */

/* Show next, which is taken over: undoable when keep is set. Where that cannot be, says why and
 * stays. */
bool model_change(struct model *m, struct state *next, bool keep);
/* A copy of what is shown, to change. */
struct state model_state(const struct model *m);
void model_undo(struct model *m);
void model_reset(struct model *m);
void model_zoom(struct model *m, struct place to);
void model_zoom_to_match(struct model *m, struct place to);
void model_leave(struct model *m);
void model_move(struct model *m, uint32_t key);
/* To the next match (by: 1) or the one before it, wherever it is in the tree: zooms where it cannot
 * be seen. */
void model_step(struct model *m, int by);
/* For the name of what is selected when minds_case is set, else for what the user types. */
void model_search(struct model *m, const char *text, bool minds_case);
/* Is going over all of it slow enough to be felt? */
bool model_is_large(const struct model *m);
/* If it is: says what takes so long. */
void model_announce(struct model *m, const char *what);
/* To the nearest match on the screen, unless one is selected. */
void model_go_to_match(struct model *m);
void model_lay_out(struct model *m);
/* How many rows of the graph the screen has. */
int model_rows(const struct model *m);
void model_arrange(struct model *m);
void model_look_for_source(struct model *m);
/* Text of files is void: what the recording holds, and the files, are looked at anew. */
void model_forget_sources(struct model *m);
void model_scroll_source(struct model *m, int by);
void model_select(struct model *m, struct place to);
/* Is to wide enough to have a box? Scrolls its row onto the screen then. */
bool model_can_see(struct model *m, struct place to);
/* What is zoomed into, or the function in the middle. */
struct place model_first(const struct model *m);

/* The function, module or row that is selected: name NULL when none is. */
struct subject {
	const char *name;
	uint32_t module, file, line;
	uint8_t kind;
	bool guessed;
	uint64_t self, total, count;
};

struct subject model_subject(const struct model *m);
/* The hottest line of the subject, or where it is declared; line 0: not known. */
struct source_line model_subject_line(struct model *m);

/* Keys and what they do. */
struct model_action {
	uint32_t key;
	void (*act)(struct model *m);
	bool needs_subject;
	unsigned place;	     /* on the last line, from 1; 0: not there */
	const char *label;   /* short, for the last line */
	const char *heading; /* begins a group in the help */
	const char *help;    /* NULL: not there */
};
extern const struct model_action model_actions[];
extern const size_t model_action_count;

/* A command that shows the same, or comes nearest. Caller frees. */
char *model_command(const struct model *m, bool *is_exact);
/* The selected stack in folded form; NULL: none. The caller frees. */
char *model_folded(const struct model *m);
/* About what is selected; place and numbers have parts with model_dot() between them. */
void model_describe(const struct model *m, struct bytes *name, struct bytes *place,
		    struct bytes *numbers);
const char *model_dot(const struct model *m);
/* enum profile_unit of the shown weights. */
uint8_t model_unit(const struct model *m);

/* Show other rows of the graph: further from the root by so many, or nearer to it. */
void model_scroll(struct model *m, int by);
/* What a key does before it is known which one it is. */
void model_begin_key(struct model *m);

void table_make(struct model *m);
void table_move(struct model *m, uint32_t key);
/* The order whose title is at column x. */
enum table_order table_order_at(unsigned x);
/* The same rows, others on the screen. */
void table_scroll(struct model *m, int by);
/* NULL: there is none. */
const struct flat_row *table_selected(const struct model *m);

/* Move *row of a list whose rows go from 0 to last, room of them on the screen, as the key says.
 * False: the key does not move. */
bool list_move(uint32_t key, size_t room, size_t last, size_t *row);

#endif
