/*
 * What is told of a function besides its name, on programs compiled and linked here in ways whose
 * truth their sources state.
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

#include "base/bytes.h"
#include "elf/elf_image.h"
#include "files/files.h"
#include "symbolize/symbolize.h"

static char folder[] = "/tmp/prof-test-aliases-XXXXXX";

/* false when it fails. */
static bool shell(const char *command)
{
	char all[5000];

	snprintf(all, sizeof(all), "cd %s && P=%s/symbolize/programs && { %s ; } >>log 2>&1",
		 folder, PROF_TEST_DIR, command);
	return system(all) == 0;
}

static void must(const char *command)
{
	if (!shell(command))
		fail_msg("command failed: %s", command);
}

struct wanted {
	const char *name;
	uint64_t address;
};

static int find_named(void *ctx, const struct elf_symbol *s)
{
	struct wanted *w = ctx;
	size_t len = strlen(w->name);

	if (strncmp(s->name, w->name, len) == 0 && (!s->name[len] || s->name[len] == '@') &&
	    strcmp(s->name + len, "@plt") != 0)
		w->address = s->address;
	return 0;
}

static uint64_t address_of(const char *path, int fd, const char *name)
{
	struct wanted w = { .name = name };
	struct elf_image *image;

	assert_int_equal(elf_image_open_fd(&image, fd, path, NULL), 0);
	elf_image_symbols(image, find_named, &w, NULL);
	elf_image_free(image);
	if (!w.address)
		fail_msg("no symbol %s in %s", name, path);
	return w.address;
}

/* "name: alias weak_alias 2, folded g()=_Z1gv 1" */
static void render(void *ctx, uint64_t address, const struct profile_symbol_frame *frames,
		   uint32_t count)
{
	static const char *const relations[] = { "alias", "folded", "own" };
	struct bytes *out = ctx;

	(void)address;
	assert_int_not_equal(count, 0);
	const struct profile_symbol_frame *f = &frames[count - 1];
	bytes_printf(out, "%s%s", out->len ? "; " : "", f->name);
	for (uint32_t i = 0; i < f->alias_count; i++) {
		const struct profile_symbol_alias *a = &f->aliases[i];
		bytes_printf(out, "%s%s ", i ? ", " : ": ", relations[a->relation]);
		if (a->more)
			bytes_printf(out, "and %u more", a->more);
		else
			bytes_printf(out, "%s%s%s %u", a->name, a->linkage ? "=" : "",
				     a->linkage ? a->linkage : "", a->flags);
	}
	bytes_u8(out, 0);
	out->len--;
}

/* What is said of the addresses of these names. */
static void say(const char *file, const char *const *names, size_t count, bool use_cache,
		struct bytes *out)
{
	char path[512];
	uint64_t addresses[8];
	struct symbolize_options options = { .use_cache = use_cache };
	struct symbolize_result result;
	struct files *files = files_direct_new();
	struct symbolizer *s = symbolizer_new(files, &options);

	bytes_clear(out);
	snprintf(path, sizeof(path), "%s/%s", folder, file);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	for (size_t i = 0; i < count; i++)
		addresses[i] = address_of(path, fd, names[i]);
	struct symbolize_module m = { .key = 1, .kind = MODULE_FILE, .path = path, .fd = fd };
	symbolize_batch(s, &m, addresses, count, render, out, &result);
	if (use_cache)
		symbolizer_keep(s);
	symbolizer_free(s);
	files_free(files);
	close(fd);
}

static void assert_said(const char *file, const char *name, const char *expected)
{
	struct bytes out = { 0 };

	say(file, &name, 1, false, &out);
	assert_string_equal((const char *)out.data, expected);
	bytes_release(&out);
}

static void aliases(void **state)
{
	(void)state;
	must("gcc -O1 $P/aliases.c -o aliases");
	assert_said("aliases", "real_name",
		    "real_name: alias __internal_alias 1, alias weak_alias 2");
	assert_said("aliases", "weak_alias",
		    "real_name: alias __internal_alias 1, alias weak_alias 2");
	assert_said("aliases", "zero_size", "zero_size");
	assert_said("aliases", "main", "main");
}

#define FOLDED                                                        \
	"first_one: folded second_one 1, alias same_as_first 2, "     \
	"folded Box<char>::work(unsigned long)=_ZN3BoxIcE4workEm 2, " \
	"folded Box<int>::work(unsigned long)=_ZN3BoxIiE4workEm 2, "  \
	"folded Box<void*>::work(unsigned long)=_ZN3BoxIPvE4workEm 2"

static const char build_folded[] = "g++ -O2 -fno-ipa-icf -ffunction-sections -c $P/folded.cpp && "
				   "gcc -O2 -ffunction-sections -c $P/folded_other.c";

static void check_folded(const char *file)
{
	static const char *const members[] = { "_ZN3BoxIcE4workEm", "_ZN3BoxIiE4workEm",
					       "_ZN3BoxIPvE4workEm" };

	assert_said(file, "first_one", FOLDED);
	assert_said(file, "second_one", FOLDED);
	assert_said(file, "_ZN3BoxIPvE4workEm", FOLDED);
	/* Each address once, and the same said of it whichever name led to it. */
	struct bytes out = { 0 };
	say(file, members, 3, false, &out);
	assert_string_equal((const char *)out.data, FOLDED);
	bytes_release(&out);
}

static void functions_folded_by_linkers(void **state)
{
	(void)state;
	must(build_folded);
	if (!shell("g++ -fuse-ld=gold -Wl,--icf=all folded.o folded_other.o -o gold && "
		   "g++ -fuse-ld=lld -Wl,--icf=all folded.o folded_other.o -o lld"))
		skip(); /* one of them is not installed */
	check_folded("gold");
	check_folded("lld");
	assert_said("lld", "local_two",
		    "local_two: folded local_one(unsigned long)=_ZL9local_onem 0");
	/* The debug information of the functions that went does not change that. */
	must("g++ -O2 -g -fno-ipa-icf -ffunction-sections -c $P/folded.cpp && "
	     "g++ -fuse-ld=lld -Wl,--icf=all folded.o folded_other.o -o lld_g");
	assert_said("lld_g", "first_one", FOLDED);
}

static void functions_apart(void **state)
{
	(void)state;
	must(build_folded);
	must("g++ folded.o folded_other.o -o apart");
	assert_said("apart", "first_one", "first_one: alias same_as_first 2");
	assert_said("apart", "second_one", "second_one");
	assert_said("apart", "_ZN3BoxIcE4workEm", "Box<char>::work(unsigned long)");
	/* A constructor's two symbols are one function. */
	assert_said("apart", "_ZN3BoxIiEC1Em",
		    "Box<int>::Box(unsigned long): alias _ZN3BoxIiEC2Em 2");
}

/* C1 and C2 are of one constructor where they are its marks, not where identifiers or numbers end
 * with them. */
static void marks_of_constructors(void **state)
{
	static const struct {
		const char *first, *second, *said;
	} pairs[] = {
		{ "_ZN3BoxC1Ev", "_ZN3BoxC2Ev", "Box::Box(): alias _ZN3BoxC2Ev 1" },
		{ "_ZN3BoxD1Ev", "_ZN3BoxD2Ev", "Box::~Box(): alias _ZN3BoxD2Ev 1" },
		{ "_ZN2ns5inner3BoxISt6vectorIiSaIiEEEC1EOS5_",
		  "_ZN2ns5inner3BoxISt6vectorIiSaIiEEEC2EOS5_",
		  "ns::inner::Box<std::vector<int, std::allocator<int> > >::Box(ns::inner::Box<std::"
		  "vector<int, std::allocator<int> > >&&): "
		  "alias _ZN2ns5inner3BoxISt6vectorIiSaIiEEEC2EOS5_ 1" },
		{ "_ZN7__cxx113BoxC1Ev", "_ZN7__cxx113BoxC2Ev",
		  "__cxx11::Box::Box(): alias _ZN7__cxx113BoxC2Ev 1" },
		{ "_ZN3BoxILi3EEC1Ev", "_ZN3BoxILi3EEC2Ev",
		  "Box<3>::Box(): alias _ZN3BoxILi3EEC2Ev 1" },
		{ "_ZN3Box6makeC1Ev", "_ZN3Box6makeC2Ev",
		  "Box::makeC1(): folded Box::makeC2()=_ZN3Box6makeC2Ev 1" },
		{ "_ZN3Box2C1Ev", "_ZN3Box2C2Ev", "Box::C1(): folded Box::C2()=_ZN3Box2C2Ev 1" },
		{ "_Z6makeC1v", "_Z6makeC2v", "makeC1(): folded makeC2()=_Z6makeC2v 1" },
		{ "_ZN3Box4workEN2D1E", "_ZN3Box4workEN2D2E",
		  "Box::work(D1): folded Box::work(D2)=_ZN3Box4workEN2D2E 1" },
	};

	char command[2000];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		snprintf(command, sizeof(command),
			 "{ for n in %s %s; do echo \".globl $n; .type $n, @function; $n:\"; done; "
			 "echo ret; for n in %s %s; do echo \".size $n, 1\"; done; } >marks.s && "
			 "gcc -shared marks.s -o marks.so",
			 pairs[i].first, pairs[i].second, pairs[i].first, pairs[i].second);
		must(command);
		assert_said("marks.so", pairs[i].first, pairs[i].said);
		assert_said("marks.so", pairs[i].second, pairs[i].said);
	}
}

static void versions_and_indirect_functions(void **state)
{
	(void)state;
	must("echo 'V_1 { global: burn; indirect; bare_indirect; drive; local: *; }; "
	     "V_2 { global: burn; } V_1;' >script && "
	     "gcc -O2 -g -fPIC -shared $P/versions.c -Wl,--version-script=script -o versions.so && "
	     "strip versions.so -o stripped.so");
	assert_said("versions.so", "old_burn", "burn: own @V_1 1, alias old_burn 0");
	assert_said("versions.so", "new_burn", "burn: own @@V_2 1, alias new_burn 0");
	assert_said("versions.so", "chosen", "chosen");
	/* The code there is the resolver's. */
	assert_said("versions.so", "indirect", "resolve_chosen: alias indirect 5");
	assert_said("versions.so", "bare_indirect", "bare_indirect: own  5");
	/* Where only exported names are left, .gnu.version tells. */
	assert_said("stripped.so", "indirect", "indirect: own @@V_1 5");
	assert_said("stripped.so", "drive", "drive: own @@V_1 1");
	struct bytes out = { 0 };
	say("versions.so", (const char *const[]){ "old_burn", "new_burn" }, 2, false, &out);
	assert_string_equal(
		(const char *)out.data,
		"burn: own @V_1 1, alias old_burn 0; burn: own @@V_2 1, alias new_burn 0");
	bytes_release(&out);
}

static void copies_and_parts(void **state)
{
	(void)state;
	must("gcc -O2 $P/variants.c -o variants");
	assert_said("variants", "sum.isra.0", "sum");
	assert_said("variants", "scale.constprop.0", "scale");
	assert_said("variants", "fails.cold", "fails");
	assert_said("variants", "early.part.0", "early");
}

/* As many as a place can have, then how many more there are; from the cache as well. */
static void many_names(void **state)
{
	struct bytes first = { 0 }, again = { 0 };

	(void)state;
	must("{ echo '.text'; for i in $(seq 10 49); do echo \".globl n$i, f$i\"; "
	     "echo \".type n$i, @function\"; echo \"n$i:\"; done; echo ret; "
	     "for i in $(seq 10 49); do echo \".size n$i, . - n10\"; done; "
	     "for i in $(seq 1000 4000); do echo \".type f$i, @function\"; echo \"f$i: ret\"; "
	     "echo \".size f$i, 1\"; done; } >many.s && gcc -shared many.s -o many.so");
	say("many.so", (const char *const[]){ "n10" }, 1, true, &first);
	assert_non_null(strstr((const char *)first.data, "n10: alias n11 1, alias n12 1, "));
	assert_non_null(strstr((const char *)first.data, "alias n26 1, alias and 23 more"));
	say("many.so", (const char *const[]){ "n10" }, 1, true, &again);
	assert_string_equal((const char *)again.data, (const char *)first.data);
	must("test $(ls cache/prof | wc -l) -gt 0");
	bytes_release(&first);
	bytes_release(&again);
}

static int set_up(void **state)
{
	char cache[64];

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(cache, sizeof(cache), "%s/cache", folder);
	return setenv("XDG_CACHE_HOME", cache, 1);
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(aliases),
		cmocka_unit_test(functions_folded_by_linkers),
		cmocka_unit_test(functions_apart),
		cmocka_unit_test(marks_of_constructors),
		cmocka_unit_test(versions_and_indirect_functions),
		cmocka_unit_test(copies_and_parts),
		cmocka_unit_test(many_names),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
