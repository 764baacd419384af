/*
 * Damaged copies of a program that still run: each one gives the names that can still be had, and
 * one warning that says which file and what of it is damaged.
 */
#include <elf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/io.h"
#include "elf/elf_image.h"
#include "files/files.h"
#include "symbolize/symbolize.h"

static char folder[] = "/tmp/prof-test-elf-copy-XXXXXX";

/* "shown" is in .dynsym, "hidden" only in .symtab and in DWARF. */
static const char source[] =
	"static int one(int x) { return x * 3 + 1; }\n"
	"static __attribute__((noinline, noclone, used)) int hidden(int x)\n"
	"{ __asm__ volatile(\"\" : \"+r\"(x)); return one(x); }\n"
	"__attribute__((noinline, noclone)) int shown(int x)\n"
	"{ __asm__ volatile(\"\" : \"+r\"(x)); return hidden(x) + 1; }\n"
	"int main(int argc, char **argv) { (void)argv; return shown(argc) == 1; }\n";

/* A program's bytes, and where its functions are. */
struct subject {
	struct bytes bytes;
	uint64_t shown, hidden;
};

static struct subject plain, with_debug_info;

static void shell(const char *command)
{
	char all[1024];

	snprintf(all, sizeof(all), "cd %s && { %s ; } >>log 2>&1", folder, command);
	if (system(all) != 0)
		fail_msg("command failed: %s", command);
}

static void path_of(char path[256], const char *name)
{
	snprintf(path, 256, "%s/%s", folder, name);
}

static int find_function(void *ctx, const struct elf_symbol *s)
{
	struct subject *subject = ctx;

	if (strcmp(s->name, "shown") == 0)
		subject->shown = s->address;
	if (strcmp(s->name, "hidden") == 0)
		subject->hidden = s->address;
	return 0;
}

static void read_subject(struct subject *s, const char *name)
{
	char path[256];
	struct elf_image *e;

	path_of(path, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(io_read_all(fd, &s->bytes, 1 << 24, NULL), 0);
	assert_int_equal(elf_image_open_fd(&e, fd, path, NULL), 0);
	assert_int_equal(elf_image_symbols(e, find_function, s, NULL), 0);
	assert_null(elf_image_damage(e));
	elf_image_free(e);
	close(fd);
	assert_true(s->shown && s->hidden);
}

static int build(void **state)
{
	char path[256];

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	path_of(path, "p.c");
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || io_write_full(fd, source, strlen(source)) < 0)
		return -1;
	close(fd);
	shell("gcc -O2 -rdynamic -Wl,--build-id p.c -o plain && "
	      "gcc -O2 -rdynamic -g -gdwarf-5 -gz=zlib -Wl,--build-id p.c -o packed");
	read_subject(&plain, "plain");
	read_subject(&with_debug_info, "packed");
	return 0;
}

static int clean_up(void **state)
{
	char command[256];

	(void)state;
	bytes_release(&plain.bytes);
	bytes_release(&with_debug_info.bytes);
	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	return system(command);
}

/* The copy under way: the headers are changed in place, the sections are found by name. */
struct copy {
	struct bytes bytes;
	Elf64_Ehdr *header;
	Elf64_Shdr *sections;
};

static Elf64_Shdr *section(struct copy *c, const char *name)
{
	const char *names = (char *)c->bytes.data + c->sections[c->header->e_shstrndx].sh_offset;

	for (int i = 0; i < c->header->e_shnum; i++)
		if (strcmp(names + c->sections[i].sh_name, name) == 0)
			return &c->sections[i];
	fail_msg("no section %s", name);
	return NULL;
}

static uint8_t *content(struct copy *c, const char *name)
{
	return c->bytes.data + section(c, name)->sh_offset;
}

static void lose_sections(struct copy *c)
{
	c->header->e_shoff = 0;
	c->header->e_shnum = c->header->e_shstrndx = 0;
}

static void wild_sections(struct copy *c)
{
	c->header->e_shoff = (uint64_t)1 << 46;
}

static void too_many_sections(struct copy *c)
{
	c->header->e_shnum += 1000;
}

static void nameless_sections(struct copy *c)
{
	c->header->e_shstrndx = 0x7000;
}

static void large_symtab(struct copy *c)
{
	section(c, ".symtab")->sh_size = (uint64_t)1 << 40;
}

/* What lies behind the table is in the file, but no symbols. */
static void overlapping_symtab(struct copy *c)
{
	section(c, ".symtab")->sh_size += 24 * 20;
}

static void wild_symtab(struct copy *c)
{
	section(c, ".symtab")->sh_offset = (uint64_t)1 << 40;
}

static void circular_symtab(struct copy *c)
{
	section(c, ".symtab")->sh_link = (uint32_t)(section(c, ".symtab") - c->sections);
}

static void large_strings(struct copy *c)
{
	section(c, ".strtab")->sh_size = UINT64_MAX;
}

static void endless_strings(struct copy *c)
{
	Elf64_Shdr *s = section(c, ".strtab");

	c->bytes.data[s->sh_offset + s->sh_size - 1] = 'x';
}

static void long_note(struct copy *c)
{
	memset(content(c, ".note.gnu.build-id") + 4, 0x7f, 4);
}

static void long_build_id(struct copy *c)
{
	const uint8_t *note = content(c, ".note.gnu.build-id");

	/* As long as the segment allows. */
	for (int i = 0; i < c->header->e_phnum; i++) {
		Elf64_Phdr *p = (Elf64_Phdr *)(void *)(c->bytes.data + c->header->e_phoff) + i;
		if (p->p_type == PT_NOTE && p->p_align == 4) {
			p->p_offset = (uint64_t)(note - c->bytes.data);
			p->p_filesz = 16 + 100;
		}
	}
	content(c, ".note.gnu.build-id")[4] = 100;
}

/* The loader does not look at the length. */
static void long_dynamic_strings(struct copy *c)
{
	Elf64_Dyn *d = (Elf64_Dyn *)(void *)content(c, ".dynamic");

	for (; d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_STRSZ)
			d->d_un.d_val = UINT64_MAX;
	lose_sections(c);
}

static void cut_debug_info(struct copy *c)
{
	shell("objcopy --decompress-debug-sections packed unpacked");
	struct subject unpacked = { 0 };
	read_subject(&unpacked, "unpacked");
	bytes_release(&c->bytes);
	c->bytes = unpacked.bytes;
	c->header = (Elf64_Ehdr *)(void *)c->bytes.data;
	c->sections = (Elf64_Shdr *)(void *)(c->bytes.data + c->header->e_shoff);
	section(c, ".debug_info")->sh_size -= 3;
}

static void wild_debug_info(struct copy *c)
{
	section(c, ".debug_info")->sh_offset = (uint64_t)1 << 40;
}

static void forged_compression(struct copy *c)
{
	assert_true(section(c, ".debug_info")->sh_flags & SHF_COMPRESSED);
	((Elf64_Chdr *)(void *)content(c, ".debug_info"))->ch_size = (uint64_t)1 << 40;
}

static const struct damage {
	const char *title;
	const struct subject *of;
	void (*make)(struct copy *c);
	const char *warning;
	const char *hidden; /* what "hidden" is called, or how that begins */
} damages[] = {
	{ "no section headers", &plain, lose_sections, "it has no section headers",
	  "[unknown copy+0x" },
	{ "section headers beyond the file", &plain, wild_sections,
	  "its section headers lie outside", "[unknown copy+0x" },
	{ "more section headers than fit", &plain, too_many_sections,
	  "its section headers lie outside", "hidden" },
	{ "sections without names", &plain, nameless_sections, "its sections have no names",
	  "hidden" },
	{ "symbol table beyond the file", &plain, large_symtab, "a symbol table says it is larger",
	  "hidden" },
	{ "symbol table over other sections", &plain, overlapping_symtab,
	  "a symbol table says it is larger", "hidden" },
	{ "symbol table elsewhere", &plain, wild_symtab, "a symbol table lies outside",
	  "[unknown copy+0x" },
	{ "symbol table that names itself", &plain, circular_symtab,
	  "a symbol table does not say where its names are", "hidden" },
	{ "string table beyond the file", &plain, large_strings, "a string table says it is larger",
	  "hidden" },
	{ "string table without end", &plain, endless_strings,
	  "the names of some symbols lie outside", "hidden" },
	{ "note beyond its segment", &plain, long_note, "one of its notes reaches beyond",
	  "hidden" },
	{ "build ID too long", &plain, long_build_id, "its build ID is longer", "hidden" },
	{ "dynamic strings beyond the file", &plain, long_dynamic_strings,
	  "it has no section headers", "[unknown copy+0x" },
	{ "debug information cut", &with_debug_info, cut_debug_info, "its debug information is cut",
	  "one>hidden" },
	{ "debug information elsewhere", &with_debug_info, wild_debug_info,
	  "its .debug_info cannot be read", "hidden" },
	{ "forged size of a compressed section", &with_debug_info, forged_compression,
	  "its .debug_info cannot be read", "hidden" },
};

static void write_copy(const struct damage *d, char path[256])
{
	struct copy c = { 0 };

	path_of(path, "copy");
	bytes_append(&c.bytes, d->of->bytes.data, d->of->bytes.len);
	c.header = (Elf64_Ehdr *)(void *)c.bytes.data;
	c.sections = (Elf64_Shdr *)(void *)(c.bytes.data + c.header->e_shoff);
	d->make(&c);
	unlink(path);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	assert_true(fd >= 0);
	assert_int_equal(io_write_full(fd, c.bytes.data, c.bytes.len), 0);
	close(fd);
	bytes_release(&c.bytes);
}

static void render(void *ctx, uint64_t address, const struct profile_symbol_frame *frames,
		   uint32_t count)
{
	struct bytes *out = ctx;

	(void)address;
	for (uint32_t i = 0; i < count; i++)
		bytes_printf(out, "%s%s", i ? ">" : "", frames[i].name);
}

static void expect_name(struct symbolizer *s, const struct symbolize_module *m, uint64_t address,
			const char *wanted, struct symbolize_result *result)
{
	struct bytes text = { 0 };

	symbolize_batch(s, m, &address, 1, render, &text, result);
	bytes_u8(&text, 0);
	bool open = wanted[0] == '[';
	if (open ? strncmp((char *)text.data, wanted, strlen(wanted)) != 0
		 : strcmp((char *)text.data, wanted) != 0)
		fail_msg("%s instead of %s (%s)", (char *)text.data, wanted, result->note);
	bytes_release(&text);
}

static void expect_warning(const struct symbolize_result *result, const char *path,
			   const char *wanted)
{
	char text[512];

	snprintf(text, sizeof(text), "%s is damaged: %s", path, wanted);
	if (strncmp(result->damage, text, strlen(text)) != 0 || !strstr(result->note, text))
		fail_msg("\"%s\" instead of \"%s\"; %s", result->damage, text, result->note);
	const char *first = strstr(result->note, " is damaged");
	assert_null(strstr(first + 1, " is damaged"));
}

static void check(const struct damage *d)
{
	char path[256];
	struct symbolize_result result;

	write_copy(d, path);
	shell("./copy");
	struct files *files = files_direct_new();
	struct symbolizer *s = symbolizer_new(files, NULL);
	struct symbolize_module m = { .kind = MODULE_FILE,
				      .path = path,
				      .fd = open(path, O_RDONLY | O_CLOEXEC) };
	print_message("%s\n", d->title);
	expect_name(s, &m, d->of->shown, "shown", &result);
	expect_name(s, &m, d->of->hidden, d->hidden, &result);
	expect_warning(&result, path, d->warning);
	close(m.fd);
	symbolizer_free(s);
	files_free(files);
}

static void test_damaged(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++)
		check(&damages[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_damaged) };

	return cmocka_run_group_tests(tests, build, clean_up);
}
