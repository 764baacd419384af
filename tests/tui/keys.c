#include "keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
	const char *word;
	uint32_t key;
} names[] = {
	{ "up", TUI_KEY_UP },	     { "down", TUI_KEY_DOWN },	    { "left", TUI_KEY_LEFT },
	{ "right", TUI_KEY_RIGHT },  { "home", TUI_KEY_HOME },	    { "end", TUI_KEY_END },
	{ "pgup", TUI_KEY_PAGE_UP }, { "pgdn", TUI_KEY_PAGE_DOWN }, { "enter", TUI_KEY_ENTER },
	{ "esc", TUI_KEY_ESCAPE },   { "tab", TUI_KEY_TAB },	    { "bs", TUI_KEY_BACKSPACE },
	{ "del", TUI_KEY_DELETE },   { "^U", TUI_CONTROL('U') },    { "^W", TUI_CONTROL('W') },
};

void fixture_init(struct fixture *f, profile_maker *maker, unsigned width, unsigned height)
{
	struct error err = { 0 };

	memset(f, 0, sizeof(*f));
	maker(&f->b, &f->all);
	f->in.profile = &f->b.profile;
	f->in.view = TUI_TREE;
	f->in.unicode = true;
	if (model_init(&f->model, &f->in, &err) < 0)
		fail_msg("%s", err.text);
	f->model.can_halve = true;
	grid_resize(&f->grid, width, height);
	model_resize(&f->model, width, height);
}

void fixture_release(struct fixture *f)
{
	model_release(&f->model);
	grid_release(&f->grid);
	bytes_release(&f->out);
	filter_result_release(&f->all);
	build_release(&f->b);
}

static bool press_named(struct fixture *f, const char *word, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strlen(names[i].word) != len || strncmp(names[i].word, word, len) != 0)
			continue;
		model_key(&f->model, names[i].key);
		return true;
	}
	return false;
}

void press(struct fixture *f, const char *keys)
{
	while (*keys) {
		size_t len = strcspn(keys, " ");
		if (!press_named(f, keys, len))
			for (size_t i = 0; i < len; i++)
				model_key(&f->model, keys[i] == '_' ? ' ' : (unsigned char)keys[i]);
		keys += len + strspn(keys + len, " ");
	}
}

void click(struct fixture *f, unsigned x, unsigned y)
{
	model_mouse(&f->model, &(struct tui_mouse){ .button = TUI_CLICK, .x = x, .y = y });
}

void turn_wheel(struct fixture *f, bool down, unsigned x, unsigned y)
{
	enum tui_button button = down ? TUI_WHEEL_DOWN : TUI_WHEEL_UP;

	model_mouse(&f->model, &(struct tui_mouse){ .button = button, .x = x, .y = y });
}

const char *selected(const struct fixture *f)
{
	const char *name = model_subject(&f->model).name;

	return name ? name : "all";
}

static const char *printed(struct fixture *f, void print(const struct grid *, struct bytes *))
{
	model_draw(&f->model, &f->grid);
	bytes_clear(&f->out);
	print(&f->grid, &f->out);
	bytes_u8(&f->out, '\0');
	return (const char *)f->out.data;
}

const char *screen(struct fixture *f)
{
	return printed(f, grid_print);
}

const char *styles(struct fixture *f)
{
	return printed(f, grid_print_styles);
}

const char *screen_line(struct fixture *f, unsigned y)
{
	char *at = (char *)(uintptr_t)screen(f);

	while (y--)
		at = strchr(at, '\n') + 1;
	*strchr(at, '\n') = '\0';
	return at;
}

void few_stacks(struct build *b, struct filter_result *all)
{
	build_init(b);
	build_stack(b, "main;a;b", 100);
	build_stack(b, "main;a;c", 200);
	build_stack(b, "main;d;b", 400);
	build_stack(b, "main;d", 800);
	build_finish(b, all);
}

void deep_stacks(struct build *b, struct filter_result *all)
{
	build_init(b);
	build_stack(b, "main;run;loop;a;b;c;d;e;f;g;h;i;j;k;l;m;n;o;p;q;r;s;t;u;v;w;x;y;z", 500);
	build_stack(b, "main;run;loop;handle_request;parse;tokenize;next;d;e;f;g;h;i;j;k;l;m;n;o;p",
		    200);
	build_stack(b, "main;run;loop;handle_request;parse;tokenize", 150);
	build_stack(b, "main;run;loop;handle_request;answer;d;e;f;g;h;i;j;k;l;m;n;o;p;q;r;s;t;u",
		    100);
	build_stack(b, "main;run;loop;idle", 50);
	for (char name[] = "main;run;loop;sA"; name[15] <= 'Z'; name[15]++)
		build_stack(b, name, 2);
	build_finish(b, all);
}

void wide_profile(struct build *b, struct filter_result *all)
{
	build_init(b);
	uint64_t leaf = build_code(b, b->program, "leaf");
	uint32_t root = build_node(b, PROFILE_NONE, b->program, build_code(b, b->program, "main"));
	uint32_t nodes[64];
	uint64_t codes[64];
	for (unsigned i = 0; i < 64; i++) {
		char name[16];
		snprintf(name, sizeof(name), "f%u", i);
		codes[i] = build_code(b, b->program, name);
	}
	/* Every path of three functions, several times as deep: 64 * 64 * 4 stacks. */
	for (unsigned i = 0; i < 64 * 64 * 4; i++) {
		nodes[0] = build_node(b, root, b->program, codes[i % 64]);
		nodes[1] = build_node(b, nodes[0], b->program, codes[i / 64 % 64]);
		nodes[2] = build_node(b, nodes[1], b->program, codes[i / 4096]);
		build_sample(b, nodes[2], b->program, leaf, 1000 + i % 7);
	}
	build_finish(b, all);
}
