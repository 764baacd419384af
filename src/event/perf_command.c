/* perf record's command line: its options, and where the command begins. */
#include "event/perf_command.h"

#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* Options whose value is the next word, in perf up to 6.12. */
#define LETTERS_WITH_VALUE "CDFGcejkmoprtu"

static const char *const names_with_value[] = {
	"affinity",
	"branch-filter",
	"call-graph",
	"cgroup",
	"clockid",
	"control",
	"count",
	"cpu",
	"delay",
	"event",
	"filter",
	"freq",
	"max-size",
	"mmap-flush",
	"mmap-pages",
	"num-thread-synthesize",
	"output",
	"pid",
	"proc-map-timeout",
	"realtime",
	"switch-max-files",
	"switch-output-event",
	"synth",
	"tid",
	"uid",
	"vmlinux",
};

struct perf_words {
	const char *const *words;
	size_t count, next;
	const char *pids, *tids;
};

/* The name as typed may be shortened. */
static bool is_name(const char *typed, size_t len, const char *name)
{
	return len > 0 && strncmp(typed, name, len) == 0;
}

static const char *next_word(struct perf_words *w)
{
	return w->next < w->count ? w->words[w->next++] : "";
}

static void take_long(struct perf_words *w, const char *option)
{
	size_t len = strcspn(option, "=");
	const char *value = option[len] ? option + len + 1 : NULL;
	bool wants_value = false;

	for (size_t i = 0; i < ARRAY_LEN(names_with_value); i++)
		wants_value |= is_name(option, len, names_with_value[i]);
	if (!value && wants_value)
		value = next_word(w);
	if (len > 1 && is_name(option, len, "pid"))
		w->pids = value;
	if (is_name(option, len, "tid"))
		w->tids = value;
}

static void take_letters(struct perf_words *w, const char *letters)
{
	size_t flags = strcspn(letters, LETTERS_WITH_VALUE);
	char letter = letters[flags];

	if (!letter)
		return;
	const char *value = letters[flags + 1] ? letters + flags + 1 : next_word(w);
	if (letter == 'p')
		w->pids = value;
	if (letter == 't')
		w->tids = value;
}

static bool is_record(const struct perf_words *w)
{
	return w->count >= 2 &&
	       (strcmp(w->words[1], "record") == 0 || strcmp(w->words[1], "rec") == 0);
}

/* Afterwards next is the command's first word. */
static void skip_options(struct perf_words *w)
{
	for (w->next = 2; w->next < w->count && w->words[w->next][0] == '-';) {
		const char *word = w->words[w->next++];
		if (strcmp(word, "--") == 0)
			return;
		if (word[1] == '-')
			take_long(w, word + 2);
		else
			take_letters(w, word + 1);
	}
}

static void append_words(struct bytes *out, const struct perf_words *w)
{
	for (size_t i = w->next; i < w->count; i++) {
		bytes_printf(out, "%s", i > w->next ? " " : "");
		text_append_word(out, w->words[i]);
	}
}

void perf_command_describe(struct bytes *out, const char *const *words, size_t count)
{
	struct perf_words w = { .words = words, .count = count };

	if (!is_record(&w)) {
		append_words(out, &w);
		return;
	}
	skip_options(&w);
	if (w.pids)
		bytes_printf(out, "pid %s", w.pids);
	else if (w.tids)
		bytes_printf(out, "thread %s", w.tids);
	else if (w.next < w.count)
		append_words(out, &w);
	else
		bytes_printf(out, "all processes");
}
