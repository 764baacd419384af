/*
 * elf_image against files that the test makes with the system's compiler and binutils, and against
 * what nm, readelf and objdump say of them.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/memory.h"
#include "elf/elf_image.h"
#include "elf/elf_private.h"

static char folder[] = "/tmp/prof-test-elf-XXXXXX";

static const char program[] =
	"#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
	"static __attribute__((noinline)) int local_one(int x) { return x * 3 + rand(); }\n"
	"__attribute__((noinline, weak)) int weak_one(int x) { return local_one(x) + 1; }\n"
	"__attribute__((noinline)) int global_one(int x) { return weak_one(x) + 1; }\n"
	"int (*volatile pointer)(const char *) = puts;\n"
	"int main(void) { puts(\"x\"); pointer(\"y\"); return global_one(2) == (int)strlen(getenv(\"HOME\")); }\n";

/* Runs a shell command in the test's folder; the test fails when it does. */
static void shell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void shell(const char *fmt, ...)
{
	char command[4096], all[4400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	snprintf(all, sizeof(all), "cd %s && { %s ; } >>log 2>&1", folder, command);
	if (system(all) != 0)
		fail_msg("command failed: %s", command);
}

static struct elf_image *open_image(const char *file)
{
	char path[256];
	struct elf_image *e = NULL;
	struct error err = { 0 };

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	if (elf_image_open_fd(&e, fd, path, &err) < 0)
		fail_msg("%s", err.text);
	close(fd);
	return e;
}

static char *output_of(const char *command)
{
	char all[1024];
	struct bytes text = { 0 };

	snprintf(all, sizeof(all), "cd %s && %s", folder, command);
	FILE *f = popen(all, "re");
	assert_non_null(f);
	assert_int_equal(io_read_all(fileno(f), &text, 1 << 20, NULL), 0);
	assert_int_equal(pclose(f), 0);
	bytes_u8(&text, 0);
	return (char *)text.data;
}

struct search {
	const char *name;
	struct elf_symbol found;
	int count;
};

static int match_symbol(void *ctx, const struct elf_symbol *s)
{
	struct search *search = ctx;

	if (strcmp(s->name, search->name) == 0) {
		search->found = *s;
		search->count++;
	}
	return 0;
}

static struct elf_symbol find_symbol(struct elf_image *e, const char *name, int *count)
{
	struct search search = { .name = name };

	assert_int_equal(elf_image_symbols(e, match_symbol, &search, NULL), 0);
	*count = search.count;
	return search.found;
}

static void check_symbol(struct elf_image *e, const char *file, const char *name, uint8_t binding)
{
	char command[256];
	int count;
	struct elf_symbol s = find_symbol(e, name, &count);

	snprintf(command, sizeof(command), "nm -S %s | awk '$4==\"%s\"{print $1,$2}'", file, name);
	char *text = output_of(command);
	char *end;
	uint64_t address = strtoull(text, &end, 16), size = strtoull(end, NULL, 16);
	assert_int_equal(count, 1);
	assert_int_equal(s.address, address);
	assert_int_equal(s.size, size);
	assert_int_equal(s.binding, binding);
	assert_true(s.section_end >= address + size);
	free(text);
}

static void test_symbols_equal_nm(void **state)
{
	(void)state;
	struct elf_image *e = open_image("plain");

	assert_true(elf_image_has_symtab(e));
	check_symbol(e, "plain", "local_one", 0);
	check_symbol(e, "plain", "global_one", 1);
	check_symbol(e, "plain", "weak_one", 2);
	check_symbol(e, "plain", "main", 1);
	int count;
	find_symbol(e, "pointer", &count); /* data */
	assert_int_equal(count, 0);
	find_symbol(e, "_etext", &count); /* behind its section */
	assert_int_equal(count, 0);
	elf_image_free(e);
}

static int turns;

static void count_turn(void *ctx)
{
	++*(int *)ctx;
}

static void check_place(const char *file, const char *name, bool is_there)
{
	struct elf_image *e = open_image(file);
	const char *const names[] = { "no such", name };
	const char *const name_only[] = { name };
	struct elf_search none = { names, 1, NULL, NULL },
			  what = { name_only, 1, count_turn, &turns };
	struct elf_place places[2];
	int count;

	elf_image_find_symbols(e, &none, &places[0]);
	turns = 0;
	elf_image_find_symbols(e, &what, &places[1]);
	assert_true(turns > 0 || strstr(file, "bare"));
	assert_int_equal(places[0].vaddr, 0);
	if (strcmp(name, "pointer") != 0) {
		struct elf_symbol s = find_symbol(e, name, &count);
		assert_int_equal(count, is_there);
		assert_int_equal(places[1].vaddr, s.address);
		assert_int_equal(places[1].size, s.size);
	}
	assert_int_equal(places[1].vaddr != 0, is_there);
	elf_image_free(e);
}

static void test_symbols_of_a_name(void **state)
{
	(void)state;
	check_place("plain", "local_one", true);
	check_place("plain", "_one", false); /* the end of other names */
	check_place("plain", "pointer", true);
	check_place("plain", "rand", false); /* another file's */
	check_place("exported.stripped", "global_one", true);
	check_place("exported.stripped", "local_one", false);
	check_place("sysv.bare", "global_one", true);
}

/* As a code generator tells GDB of an object that it loaded. */
static void test_symbols_of_a_loaded_object(void **state)
{
	int count;

	(void)state;
	shell("gcc -O1 -c p.c -o unloaded.o && "
	      "objcopy --change-section-address .text=0x70001000 unloaded.o loaded.o");
	struct elf_image *unloaded = open_image("unloaded.o"), *loaded = open_image("loaded.o");
	struct elf_symbol a = find_symbol(unloaded, "global_one", &count);
	struct elf_symbol b = find_symbol(loaded, "global_one", &count);
	assert_int_equal(count, 1);
	assert_true(a.address > 0);
	assert_int_equal(b.address, a.address + 0x70001000);
	find_symbol(loaded, "local_one", &count); /* at the section's beginning */
	assert_int_equal(count, 1);
	elf_image_free(unloaded);
	elf_image_free(loaded);
}

static void test_debug_file_with_nobits_text(void **state)
{
	(void)state;
	struct elf_image *e = open_image("plain.debug");
	struct elf_section text;

	assert_true(elf_image_section(e, ".text", &text));
	assert_true(text.nobits);
	assert_null(text.data);
	check_symbol(e, "plain", "local_one", 0);
	assert_true(elf_image_has_debug_info(e));
	elf_image_free(e);
}

static void check_no_symtab(const char *file, bool dynsym)
{
	struct elf_image *e = open_image(file);
	int count;
	struct elf_symbol s = find_symbol(e, "global_one", &count);

	assert_false(elf_image_has_symtab(e));
	assert_int_equal(count, dynsym ? 1 : 0);
	if (dynsym) {
		assert_true(s.from_dynsym);
		assert_true(s.size > 0);
	}
	elf_image_free(e);
}

static void test_dynsym_with_and_without_sections(void **state)
{
	(void)state;
	check_no_symtab("exported.stripped", true);
	check_no_symtab("exported.bare", true); /* no section headers, DT_GNU_HASH */
	check_no_symtab("sysv.bare", true);	/* DT_HASH */
}

static void test_minidebuginfo(void **state)
{
	(void)state;
	struct elf_image *e = open_image("mini");

	assert_true(elf_image_has_symtab(e));
	check_symbol(e, "plain", "local_one", 0);
	elf_image_free(e);
}

/* Where objdump sees the stub of a function. */
static uint64_t objdump_stub(const char *file, const char *function)
{
	char command[512];

	snprintf(command, sizeof(command), "objdump -d %s | awk '/<%s@plt>:$/{a=$1} END{print a}'",
		 file, function);
	char *text = output_of(command);
	uint64_t address = strtoull(text, NULL, 16);
	free(text);
	return address;
}

static void check_stub(const char *file, const char *function, uint64_t size)
{
	struct elf_image *e = open_image(file);
	char name[64];
	int count;
	uint64_t expected = objdump_stub(file, function);

	snprintf(name, sizeof(name), "%s@plt", function);
	struct elf_symbol s = find_symbol(e, name, &count);
	assert_true(expected != 0);
	assert_true(count >= 1);
	assert_int_equal(s.address, expected);
	assert_int_equal(s.type, 255);
	assert_int_equal(s.size, size);
	elf_image_free(e);
}

static void test_plt_stubs(void **state)
{
	(void)state;
	check_stub("lazy", "puts", 16);
	check_stub("lazy", "rand", 16);
	check_stub("now", "rand", 16);
	check_stub("ibt", "rand", 16); /* .plt.sec; .plt has a push stub of the same name */
	check_stub("lld", "rand", 16);
	struct elf_image *e = open_image("noplt");
	int count;
	find_symbol(e, "rand@plt", &count);
	assert_int_equal(count, 0);
	elf_image_free(e);
}

/* The stubs of a static program lead to functions chosen at load time; objdump has no names for
 * them. */
static void check_static_stub(const char *file, uint64_t size)
{
	struct elf_image *e = open_image(file);
	struct elf_section plt;
	int count;
	struct elf_symbol s = find_symbol(e, "strlen@plt", &count);

	assert_true(count >= 1);
	assert_true(elf_image_section(e, ".plt", &plt));
	assert_true(s.address >= plt.vaddr && s.address < plt.vaddr + plt.len);
	assert_int_equal(s.size, size);
	elf_image_free(e);
}

static void test_plt_stubs_of_static_programs(void **state)
{
	(void)state;
	check_static_stub("static", 8);
	check_static_stub("static_pie", 16);
}

static void test_plt_got_stubs(void **state)
{
	(void)state;
	char *sections = output_of("readelf -SW now");
	bool has = strstr(sections, ".plt.got") != NULL;

	free(sections);
	if (!has)
		skip();
	check_stub("now", "__cxa_finalize", 8);
	check_stub("ibt", "__cxa_finalize", 16);
}

static int count_symbol(void *ctx, const struct elf_symbol *s)
{
	uint64_t *sum = ctx;

	sum[0]++;
	sum[1] ^= s->address * 31 + s->size + strlen(s->name) + (s->version ? 7 : 0);
	return 0;
}

/* Relocations are read in pieces that are given back, symbol tables when they are not needed any
 * more; both can be asked for again. */
static void test_symbols_are_given_back(void **state)
{
	struct elf_image *e = open_image("large.so");
	uint64_t first[2] = { 0 }, again[2] = { 0 };
	struct elf_section relocations;
	int count;

	(void)state;
	assert_int_equal(elf_image_symbols(e, count_symbol, first, NULL), 0);
	assert_true(first[0] > 20000);
	find_symbol(e, "rand@plt", &count);
	assert_int_equal(count, 1);
	find_symbol(e, "__cxa_finalize@plt", &count); /* its relocation is the last one */
	assert_int_equal(count, elf_image_section(e, ".plt.got", &relocations));
	find_symbol(e, "exported_function_with_a_long_name_12345", &count);
	assert_int_equal(count, 1);
	size_t loaded = e->bytes.loaded_blocks;
	elf_image_forget_symbols(e);
	assert_true(e->bytes.loaded_blocks < loaded / 2);
	assert_int_equal(elf_image_symbols(e, count_symbol, again, NULL), 0);
	assert_memory_equal(again, first, sizeof(first));
	loaded = e->bytes.loaded_blocks;
	assert_true(elf_image_section(e, ".rela.dyn", &relocations));
	assert_true(relocations.len > 60000 * 24);
	assert_true(e->bytes.loaded_blocks >=
		    loaded + 60000 * 24 / 65536 - 1); /* they were not there any more */
	elf_image_free(e);
}

/* lld writes a header of 32 bytes, then stubs in the order of first use. */
static void check_aarch64(const char *file, uint64_t stub_bytes)
{
	static const char *const names[] = { "first@plt", "second@plt" };
	struct elf_image *e = open_image(file);
	struct elf_section plt;

	assert_int_equal(elf_image_machine(e), ELF_MACHINE_AARCH64);
	assert_true(elf_image_section(e, ".plt", &plt));
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		int count;
		struct elf_symbol s = find_symbol(e, names[i], &count);
		assert_int_equal(count, 1);
		assert_int_equal(s.address, plt.vaddr + 32 + i * stub_bytes);
		assert_true(s.size == 16 || s.size == 20);
	}
	elf_image_free(e);
}

static void test_plt_stubs_of_aarch64(void **state)
{
	(void)state;
	check_aarch64("arm", 16);
}

static void test_build_id(void **state)
{
	static const char *const files[] = { "plain", "plain.debug", "plain.bare" };
	char *text = output_of("readelf -n plain | awk '/Build ID/{print $3}'");

	(void)state;
	text[strcspn(text, "\n")] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct elf_image *e = open_image(files[i]);
		uint8_t id[64];
		char hex[129] = "";
		size_t len = elf_image_build_id(e, id);
		for (size_t k = 0; k < len; k++)
			snprintf(hex + 2 * k, 3, "%02x", id[k]);
		assert_string_equal(hex, text);
		assert_null(elf_image_go_build_id(e));
		elf_image_free(e);
	}
	free(text);
}

static void test_no_build_id(void **state)
{
	(void)state;
	struct elf_image *e = open_image("noid"), *other = open_image("plain");
	uint8_t id[64];

	assert_int_equal(elf_image_build_id(e, id), 0);
	assert_int_not_equal(elf_image_content_hash(e), 0);
	assert_int_equal(elf_image_content_hash(e), elf_image_content_hash(e));
	assert_int_not_equal(elf_image_content_hash(e), elf_image_content_hash(other));
	elf_image_free(e);
	elf_image_free(other);
}

static void test_segments_of_lld(void **state)
{
	(void)state;
	struct elf_image *e = open_image("lld");
	struct elf_section text;
	size_t executable = 0;
	bool shifted = false;

	assert_true(elf_image_is_pie(e));
	assert_int_equal(elf_image_machine(e), ELF_MACHINE_X86_64);
	assert_true(elf_image_section(e, ".text", &text));
	for (size_t i = 0; i < elf_image_segment_count(e); i++) {
		const struct elf_segment *s = elf_image_segment(e, i);
		executable += s->executable;
		if (!s->executable || text.vaddr < s->vaddr || text.vaddr >= s->vaddr + s->mem_size)
			continue;
		uint64_t offset = s->file_offset + (text.vaddr - s->vaddr), vaddr;
		shifted = offset != text.vaddr;
		assert_true(elf_image_vaddr_of_offset(e, offset, &vaddr));
		assert_int_equal(vaddr, text.vaddr);
	}
	assert_true(executable > 0 && shifted);
	assert_memory_equal(elf_image_bytes(e, text.vaddr, 16), text.data, 16);
	assert_null(elf_image_bytes(e, text.vaddr, SIZE_MAX));
	assert_null(elf_image_bytes(e, UINT64_MAX, 1));
	elf_image_free(e);
}

static void test_unwind_bytes_without_sections(void **state)
{
	(void)state;
	struct elf_image *whole = open_image("plain"), *bare = open_image("plain.bare");
	struct elf_unwind_bytes a, b;

	elf_image_unwind_bytes(whole, &a);
	elf_image_unwind_bytes(bare, &b);
	assert_true(a.eh_frame.len > 0 && a.eh_frame_hdr.len > 0);
	assert_int_equal(a.eh_frame.vaddr, b.eh_frame.vaddr);
	assert_int_equal(a.eh_frame_hdr.vaddr, b.eh_frame_hdr.vaddr);
	assert_true(b.eh_frame.len >= a.eh_frame.len); /* bounded by the segment only */
	assert_int_equal(memcmp(a.eh_frame.data, b.eh_frame.data, a.eh_frame.len), 0);
	assert_int_equal(a.eh_frame_hdr.len, b.eh_frame_hdr.len);
	elf_image_free(whole);
	elf_image_free(bare);
}

static void test_compressed_sections(void **state)
{
	static const char *const files[] = { "zlib", "zlib-gnu", "zstd" };
	struct elf_image *plain = open_image("plain");
	struct elf_section expected, got;

	(void)state;
	assert_true(elf_image_section(plain, ".debug_info", &expected));
	assert_true(expected.len > 100);
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct elf_image *e = open_image(files[i]);
		assert_true(elf_image_has_debug_info(e));
		assert_true(elf_image_section(e, ".debug_info", &got));
		assert_int_equal(got.len, expected.len);
		assert_int_equal(memcmp(got.data, expected.data, expected.len), 0);
		elf_image_free(e);
	}
	elf_image_free(plain);
}

static void test_debug_link(void **state)
{
	(void)state;
	struct elf_image *e = open_image("linked"), *plain = open_image("plain");
	uint32_t crc = 0;
	char *text = output_of("gzip -c plain.debug | tail -c8 | od -An -tx4 -N4");

	assert_string_equal(elf_image_debuglink(e, &crc), "plain.debug");
	assert_int_equal(crc, strtoul(text, NULL, 16)); /* gzip's trailer is the same CRC-32 */
	assert_null(elf_image_debuglink(plain, &crc));
	assert_false(elf_image_has_debug_info(e));
	free(text);
	elf_image_free(e);
	elf_image_free(plain);
}

static void test_alternate_link(void **state)
{
	(void)state;
	struct elf_image *e = open_image("alt");
	uint8_t id[64];
	size_t len = 0;

	assert_string_equal(elf_image_debugaltlink(e, id, &len), "common.debug");
	assert_int_equal(len, 3);
	assert_memory_equal(id, "\x01\x02\x03", 3);
	elf_image_free(e);
}

static void test_not_elf(void **state)
{
	(void)state;
	struct elf_image *e;
	struct error err = { 0 };

	assert_int_equal(elf_image_open_memory(&e, "#!/bin/sh\necho not ELF\n", 23, "x", &err), -1);
	assert_int_equal(err.code, ERROR_FORMAT);
	assert_null(e);
	error_clear(&err);
	assert_int_equal(elf_image_open_memory(&e, "\177ELF\2\1\1", 7, "x", &err), -1);
	assert_null(e);
	error_clear(&err);
	assert_int_equal(elf_image_open_memory(&e, "", 0, "x", &err), -1);
	assert_null(e);
}

/* A file that shrinks while it is open costs answers, not the process. */
static void test_file_is_cut(void **state)
{
	char path[256];
	struct elf_section s;

	(void)state;
	shell("cp plain cut && head -c 4000000 /dev/zero >>cut && cp cut cut.ref");
	struct elf_image *e = open_image("cut");
	snprintf(path, sizeof(path), "%s/cut", folder);
	assert_int_equal(truncate(path, 64), 0);
	elf_image_section(e, ".debug_info", &s);
	assert_int_equal(
		elf_image_symbols(e, match_symbol, &(struct search){ .name = "x" }, NULL) <= 0, 1);
	elf_image_free(e);
}

/* Every prefix of a small file opens or is refused; nothing reads outside. */
static void test_truncated_copies(void **state)
{
	struct bytes file = { 0 };
	char path[256];

	(void)state;
	snprintf(path, sizeof(path), "%s/exported.stripped", folder);
	assert_int_equal(io_read_file(path, &file, 1 << 20, NULL), 0);
	int opened = 0;
	for (size_t len = 0; len < file.len; len += 97) {
		struct elf_image *e;
		struct elf_unwind_bytes u;
		struct search search = { .name = "global_one" };
		if (elf_image_open_memory(&e, file.data, len, "cut", NULL) < 0)
			continue;
		opened++;
		elf_image_symbols(e, match_symbol, &search, NULL);
		elf_image_unwind_bytes(e, &u);
		elf_image_content_hash(e);
		elf_image_free(e);
	}
	assert_true(opened > 10);
	bytes_release(&file);
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	char path[256];
	snprintf(path, sizeof(path), "%s/p.c", folder);
	FILE *f = fopen(path, "we");
	if (!f)
		return -1;
	fputs(program, f);
	fclose(f);
	shell("gcc -O1 -g p.c -o plain");
	shell("objcopy --only-keep-debug plain plain.debug");
	shell("gcc -O1 -rdynamic p.c -o exported.stripped -s");
	shell("gcc -O1 -rdynamic -Wl,--hash-style=sysv p.c -o sysv.stripped -s");
	shell("for f in plain exported.stripped sysv.stripped; do b=${f%%.stripped}.bare; cp $f $b;"
	      "printf '\\0\\0\\0\\0\\0\\0\\0\\0' | dd of=$b bs=1 seek=40 conv=notrunc;"
	      "printf '\\0\\0\\0\\0' | dd of=$b bs=1 seek=60 conv=notrunc; done");
	shell("gcc -O1 -fcf-protection=none -Wl,-z,lazy p.c -o lazy");
	shell("gcc -O1 -fcf-protection=none -Wl,-z,now p.c -o now");
	shell("gcc -O1 -fcf-protection -Wl,-z,lazy,-z,ibtplt p.c -o ibt");
	shell("gcc -O1 -fno-plt -Wl,-z,now p.c -o noplt");
	shell("printf '%%s\n' '.section .data.rel.ro,\"aw\"' 'anchor: .rept 60000' '.quad anchor' .endr "
	      "'.quad rand' .text '.globl call_rand' 'call_rand: jmp rand@PLT' >large.s && "
	      "seq 20000 | sed 's/.*/.globl exported_function_with_a_long_name_&\\n"
	      ".type exported_function_with_a_long_name_&, @function\\n"
	      "exported_function_with_a_long_name_&: ret/' >>large.s && "
	      "echo 'V_1 { *; };' >map && gcc -shared -Wl,-z,now,--version-script=map large.s -s -o large.so");
	shell("gcc -O1 -static -no-pie p.c -o static && gcc -O1 -static-pie p.c -o static_pie");
	shell("clang -O1 -fuse-ld=lld p.c -o lld");
	shell("echo 'void first(void); void second(void); void f(void) { first(); second(); "
	      "first(); }' >a.c && clang --target=aarch64-linux-gnu -O1 -fPIC -c a.c -o arm.o && "
	      "ld.lld -shared arm.o -o arm");
	shell("gcc -O1 -Wl,--build-id=none p.c -o noid");
	shell("for z in zlib zlib-gnu zstd; do objcopy --compress-debug-sections=$z plain $z; done");
	shell("objcopy --strip-all --add-gnu-debuglink=plain.debug plain linked");
	shell("printf 'common.debug\\0\\1\\2\\3' >a && objcopy --add-section .gnu_debugaltlink=a plain alt");
	shell("objcopy -S --keep-symbol=local_one plain.debug m && xz -kf m &&"
	      "objcopy --strip-all --add-section .gnu_debugdata=m.xz plain mini");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbols_equal_nm),
		cmocka_unit_test(test_symbols_of_a_name),
		cmocka_unit_test(test_symbols_of_a_loaded_object),
		cmocka_unit_test(test_debug_file_with_nobits_text),
		cmocka_unit_test(test_dynsym_with_and_without_sections),
		cmocka_unit_test(test_minidebuginfo),
		cmocka_unit_test(test_plt_stubs),
		cmocka_unit_test(test_plt_stubs_of_static_programs),
		cmocka_unit_test(test_plt_got_stubs),
		cmocka_unit_test(test_symbols_are_given_back),
		cmocka_unit_test(test_plt_stubs_of_aarch64),
		cmocka_unit_test(test_build_id),
		cmocka_unit_test(test_no_build_id),
		cmocka_unit_test(test_segments_of_lld),
		cmocka_unit_test(test_unwind_bytes_without_sections),
		cmocka_unit_test(test_compressed_sections),
		cmocka_unit_test(test_debug_link),
		cmocka_unit_test(test_alternate_link),
		cmocka_unit_test(test_not_elf),
		cmocka_unit_test(test_file_is_cut),
		cmocka_unit_test(test_truncated_copies),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
