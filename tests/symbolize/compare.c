/* Counting how the symbolizer's answers differ from a tool's. */
#include "compare.h"

#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "oracle.h"
#include "subject.h"

/* Comparison with a tool over the whole of .text. */
struct comparison {
	struct oracle *oracle;
	size_t at; /* next answer of the oracle */
	size_t depth, names, lines, compared, unnamed;
	/* Inlined functions without linkage name: llvm-symbolizer leaves out their scopes,
	 * addr2line calls them by the function around, or its symbol. */
	size_t scopes, around;
	size_t symbol; /* the function around goes by its ELF symbol; the tools take what DWARF has
			*/
	/* binutils 2.40 loses the file of some functions that the linker kept one copy of, and says
	 * the unit's own; the line is the same. */
	size_t file;
	size_t printed; /* of what differs */
};

static bool same_name(const char *theirs, const struct profile_symbol_frame *ours)
{
	const char *mine = ours->linkage ? ours->linkage : ours->name;
	/* Suffixes of compiler-made copies, and C1/C2, D1/D2 at one address, are no difference. */
	size_t x = strcspn(theirs, "@."), y = strcspn(mine, "@.");

	if (x == y && memcmp(theirs, mine, x) == 0)
		return true;
	char *a = symbolize_demangle(theirs), *b = symbolize_demangle(mine);
	bool same = a && b && strcmp(a, b) == 0;
	free(a);
	free(b);
	return same;
}

/* The tools say "operator()" where we say "main::{lambda at line 44}::operator()". */
static bool is_without_scopes(const char *theirs, const struct profile_symbol_frame *ours)
{
	size_t x = strlen(theirs), y = strlen(ours->name);

	return !ours->linkage && y > x + 2 && strcmp(ours->name + y - x, theirs) == 0 &&
	       memcmp(ours->name + y - x - 2, "::", 2) == 0;
}

static bool is_same(const char *theirs, const char *ours)
{
	return ours && strcmp(theirs, ours) == 0;
}

static bool is_mangled(const char *name)
{
	return name && strncmp(name, "_Z", 2) == 0;
}

static void print_difference(struct comparison *c, const char *what, uint64_t address,
			     const struct profile_symbol_frame *ours, const struct oracle_frame *f)
{
	if (c->printed++ < 10)
		print_message("%s at 0x%" PRIx64 ": %s %s:%u, the tool: %s %s:%u\n", what, address,
			      ours->linkage ? ours->linkage : ours->name,
			      ours->file ? ours->file : "?", ours->line, f->name, f->file, f->line);
}

static void compare_answer(void *ctx, uint64_t address, const struct profile_symbol_frame *frames,
			   uint32_t count)
{
	struct comparison *c = ctx;
	const struct oracle_answer *theirs = &c->oracle->answers.data[c->at++];
	bool names = true, lines = true;

	assert_int_equal(theirs->address, address);
	c->compared++;
	if (count == 0) { /* padding between functions */
		c->unnamed++;
		return;
	}
	c->depth += count == theirs->count;
	const struct oracle_frame *outermost =
		&c->oracle->frames.data[theirs->first + theirs->count - 1];
	for (uint32_t i = 0; i < count && i < theirs->count; i++) {
		const struct oracle_frame *f = &c->oracle->frames.data[theirs->first + i];
		const char *slash = frames[i].file ? strrchr(frames[i].file, '/') : NULL;
		bool scopes = is_without_scopes(f->name, &frames[i]);
		bool around = !frames[i].linkage && i + 1 < count &&
			      (strcmp(f->name, outermost->name) == 0 ||
			       is_same(f->name, frames[count - 1].linkage));
		bool symbol =
			i + 1 == count && is_mangled(frames[i].linkage) && !is_mangled(f->name);
		bool name = scopes || around || same_name(f->name, &frames[i]) || symbol;
		bool line = f->line == frames[i].line &&
			    (f->line == 0 || strcmp(f->file, slash ? slash + 1 : "?") == 0);
		c->scopes += scopes;
		c->around += around;
		c->symbol += symbol && !same_name(f->name, &frames[i]);
		c->file += name && !line && f->line == frames[i].line;
		if (!name || !line)
			print_difference(c, name ? "line" : "name", address, &frames[i], f);
		names &= name;
		lines &= line;
	}
	c->names += names;
	c->lines += lines;
}

static void compare_text(const char *file, const char *tool, struct comparison *c)
{
	struct subject s;
	struct elf_section text;
	struct oracle oracle = { 0 };

	subject_open(&s, file, NULL);
	assert_true(elf_image_section(s.image, ".text", &text));
	uint64_t *addresses = xcalloc(text.len, sizeof(*addresses));
	for (size_t i = 0; i < text.len; i++)
		addresses[i] = text.vaddr + i;
	if (!oracle_ask(&oracle, tool, s.path, addresses, text.len))
		fail_msg("%s gives no answer", tool);
	*c = (struct comparison){ .oracle = &oracle };
	symbolize_batch(s.symbolizer, &s.module, addresses, text.len, compare_answer, c, &s.result);
	assert_int_equal(s.result.symbols, SYMBOLS_DEBUG_INFO);
	assert_int_equal(c->compared, text.len);
	oracle_release(&oracle);
	free(addresses);
	subject_close(&s);
}

/* A C program: everything is equal. */
void check_c(const char *file, const char *tool)
{
	struct comparison c;

	compare_text(file, tool, &c);
	size_t named = c.compared - c.unnamed;
	assert_true(named > 100);
	assert_int_equal(c.depth, named);
	assert_int_equal(c.names, named);
	assert_int_equal(c.lines, named);
}

/* C++: every depth is equal, and every name and line that differs is of a kind that is known. */
void check_cplus(const char *file, const char *tool)
{
	struct comparison c;

	compare_text(file, tool, &c);
	size_t named = c.compared - c.unnamed;
	print_message("%s and %.9s: %zu addresses, %zu without scopes, %zu named by the function "
		      "around, %zu by DWARF, %zu in another file\n",
		      file, tool, named, c.scopes, c.around, c.symbol, c.file);
	assert_true(named > 10000);
	assert_int_equal(c.depth, named);
	assert_int_equal(c.names, named);
	assert_true(c.lines == named || strcmp(tool, ADDR2LINE) == 0);
	assert_true(c.lines + c.file >= named && c.file < named / 200);
}

/* Where the loop of level3 is in host: its line is that of the multiplication. */
void check_inlines(const char *file, const char *debug_file, bool expected)
{
	struct subject s;
	struct elf_image *named = NULL;

	subject_open(&s, file, NULL);
	if (debug_file) {
		int fd = open(path_of(debug_file), O_RDONLY | O_CLOEXEC);
		assert_int_equal(elf_image_open_fd(&named, fd, "debug", NULL), 0);
		close(fd);
	}
	struct wanted host = symbol(named ? named : s.image, "host");
	int inlined = 0;
	for (uint64_t i = 0; i < host.size; i++) {
		char *text = answer(&s, host.address + i);
		inlined += strcmp(text, "level3@inlines.c:12 level2@inlines.c:20 "
					"level1@inlines.c:25 host@inlines.c:30") == 0;
		free(text);
	}
	assert_int_equal(inlined > 0, expected);
	elf_image_free(named);
	subject_close(&s);
}
