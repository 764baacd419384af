/*
 * How long keys of the interactive view take on a prof.data, and how many nodes the tree then has.
 * bench_tui FILE [keys…]; each word is typed letter by letter, "^M" is Enter. A large one:
 * node tools/bench/folded_tree.js 100000 | prof import -o FILE -
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "profile/reader.h"
#include "tui/model.h"

static double milliseconds_since(uint64_t start)
{
	return (double)(clock_thread_cpu_ns() - start) / 1e6;
}

static void say(const char *what, uint64_t start, const struct model *m)
{
	printf("%-14s %8.1f ms  %9zu nodes\n", what, milliseconds_since(start),
	       m->view.trees[0].nodes.len);
}

static void press(struct model *m, const char *word)
{
	uint64_t start = clock_thread_cpu_ns();

	for (const char *at = word; *at; at++) {
		bool is_enter = at[0] == '^' && at[1] == 'M';
		model_key(m, is_enter ? (uint32_t)TUI_KEY_ENTER : (unsigned char)*at);
		at += is_enter;
		free(model_take_effect(m).text);
	}
	say(word, start, m);
}

int main(int argc, char **argv)
{
	/* Focused on what a search finds, without it, left out; bottom-up. */
	static const char *const usual[] = {
		"/cache::filter^M", "F", "u", "X", "u", "H", "u", "b", "b", "F", "b", "u",
		"/cache::index^M",  "F", "b", "t"
	};
	const char *const *words = argc > 2 ? (const char *const *)&argv[2] : usual;
	size_t count = argc > 2 ? (size_t)argc - 2 : ARRAY_LEN(usual);
	struct profile_read_report report = { 0 };
	struct error err = { 0 };
	struct profile p;
	struct model m;
	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;

	memory_for_one_job();
	profile_init(&p);
	if (fd < 0 || profile_read_fd(&p, fd, argv[1], &report, &err) < 0) {
		fprintf(stderr, "bench_tui FILE: %s\n", fd < 0 ? "no file" : err.text);
		return 1;
	}
	uint64_t start = clock_thread_cpu_ns();
	struct tui_input in = { .profile = &p, .view = TUI_TREE, .unicode = true };
	if (model_init(&m, &in, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	model_resize(&m, 160, 50);
	say("open", start, &m);
	for (size_t i = 0; i < count; i++)
		press(&m, words[i]);
	model_release(&m);
	profile_release(&p);
	close(fd);
	return 0;
}
