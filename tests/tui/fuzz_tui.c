/*
 * Fuzzing the interactive view: any keys on any profile, on screens of any size. What is drawn has
 * no control characters, and undoing everything leads back to the first screen's state.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "made_profile.h"
#include "tui/model.h"

#define MOST_KEYS 400

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool right, const char *what)
{
	if (right)
		return;
	fprintf(stderr, "fuzz_tui: %s\n", what);
	abort();
}

static void draw(const struct model *m, struct grid *g, struct bytes *out)
{
	model_draw(m, g);
	bytes_clear(out);
	grid_print(g, out);
	unsigned lines = 0;
	for (size_t i = 0; i < out->len; i++) {
		lines += out->data[i] == '\n';
		check(out->data[i] >= 0x20 || out->data[i] == '\n', "no control characters");
	}
	check(lines == g->height, "as many lines as the screen has");
}

static void resize(struct model *m, struct grid *g, uint8_t byte)
{
	unsigned width = 1 + byte % 16 * 13u, height = 1 + byte / 16 * 4u;

	grid_resize(g, width, height);
	model_resize(m, width, height);
}

static void point(struct model *m, const struct grid *g, uint8_t x, uint8_t y)
{
	struct tui_mouse e = { .button = (enum tui_button)(x % 4),
			       .is_repeated = y & 1,
			       .x = x % (g->width + 1),
			       .y = y % (g->height + 1) };

	model_mouse(m, &e);
}

/* Mostly the view's own keys. Repetition counts of regular expressions multiply: not what is
 * tested. */
static uint32_t key_of(uint8_t byte)
{
	if (byte < 0x80)
		return byte == '{' ? '.' : byte;
	if (byte < 0xb0)
		return TUI_KEY_UP + byte % (TUI_KEYS_END - TUI_KEY_UP);
	if (byte < 0xc0)
		return TUI_KEY_ENTER;
	if (byte < 0xd0)
		return TUI_KEY_ESCAPE;
	return model_actions[byte % model_action_count].key;
}

static void press(struct model *m, struct grid *g, const uint8_t *data, size_t size)
{
	struct bytes out = { NULL, 0, 0 };

	for (size_t i = 0; i < size && i < MOST_KEYS; i++) {
		if (data[i] == 0xff && i + 1 < size)
			resize(m, g, data[++i]);
		else if (data[i] == 0xfe && i + 2 < size)
			point(m, g, data[i + 1], data[i + 2]), i += 2;
		else
			model_key(m, key_of(data[i]));
		free(model_take_effect(m).text);
		if (i % 4 == 0)
			draw(m, g, &out);
	}
	draw(m, g, &out);
	bytes_release(&out);
}

static void undo_all(struct model *m)
{
	for (int i = 0; i < 4; i++)
		model_key(m, TUI_KEY_ESCAPE); /* out of prompts and sheets, or a change more */
	while (m->past.len)
		model_undo(m);
	check(m->state.view == m->start.view && m->state.filters.items.len == 0 &&
		      m->state.zoom.len == 0,
	      "all is undone");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile p;
	struct bytes_reader r;
	struct model m;
	struct grid g = { 0 };
	uint8_t bits = size ? data[size - 1] : 0;
	struct tui_input in = { .profile = &p,
				.view = (enum tui_view)(bits % 3),
				.unicode = bits & 4,
				.frames.names = bits >> 3 & 1 ? NAMES_SIMPLE : NAMES_FULL,
				.frames.no_inline = bits & 16 };

	reader_init(&r, data, size);
	made_profile(&p, &r, data, size, bits);
	check(profile_is_consistent(&p), "the made-up profile is consistent");
	check(model_init(&m, &in, NULL) == 0, "it starts without filters");
	m.can_halve = bits & 32;
	resize(&m, &g, bits);
	press(&m, &g, data, size);
	undo_all(&m);
	model_release(&m);
	grid_release(&g);
	profile_release(&p);
	return 0;
}
