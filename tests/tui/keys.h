/* A model and the keys that are pressed on it. */
#ifndef TESTS_TUI_KEYS_H
#define TESTS_TUI_KEYS_H

#include "build_profile.h"
#include "tui/model.h"

typedef void profile_maker(struct build *b, struct filter_result *all);

struct fixture {
	struct build b;
	struct filter_result all;
	struct tui_input in;
	struct model model;
	struct grid grid;
	struct bytes out;
};

/* Deeper than a screen is high: a common path, branches of several widths. */
void deep_stacks(struct build *b, struct filter_result *all);
void few_stacks(struct build *b, struct filter_result *all);
/* Every path of three functions out of 64, 64 and 4; a large tree. */
void wide_profile(struct build *b, struct filter_result *all);

/* Fails unless it starts. */
void fixture_init(struct fixture *f, profile_maker *maker, unsigned width, unsigned height);
void fixture_release(struct fixture *f);
/* Words: names of keys (down, enter, esc, …), others are typed letter by letter; "_" is a blank. */
void press(struct fixture *f, const char *keys);
void click(struct fixture *f, unsigned x, unsigned y);
void turn_wheel(struct fixture *f, bool down, unsigned x, unsigned y);
/* The name of what is selected, "all" for the root. */
const char *selected(const struct fixture *f);
/* What is on the screen. */
const char *screen(struct fixture *f);
const char *styles(struct fixture *f);
/* The line of the screen, from 0; valid until the next. */
const char *screen_line(struct fixture *f, unsigned y);

struct CMUnitTest;
int run_changes_tests(void);
int run_dense_tests(void);
int run_extremes_tests(void);
int run_grid_tests(void);
int run_leaving_tests(void);
int run_mouse_tests(void);
int run_moving_tests(void);
int run_screen_tests(void);
int run_search_tests(void);
int run_source_tests(void);
int run_strip_tests(void);
int run_view_tests(void);

#endif
