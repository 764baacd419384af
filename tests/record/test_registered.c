/*
 * What unwinders and GDB's interface keep in memory, made up here as their sources lay it out: the
 * lists of libgcc, the b-tree that it has since gcc 13, LLVM's array, GDB's list of objects. And
 * all of these as nobody's source lays them out.
 */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "memory_image.h"
#include "unwind/unwind.h"

#define VARIABLES IMAGE_BASE /* where a registrar keeps its variables */
#define OBJECTS	  (IMAGE_BASE + 0x1000)
#define TABLES	  (IMAGE_BASE + 0x4000)
#define LOOK_MAX  ((uint64_t)4 << 20)
#define WILD	  UINT64_C(0x4141414141414140)
#define FUNCTION  0x100u

struct fixture {
	struct image memory;
	struct peek peek;
	struct registered found;
	struct registered_look look;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->memory.len = IMAGE_BYTES;
	peek_init(&f->peek, image_read, &f->memory, LOOK_MAX);
	f->look = (struct registered_look){ .peek = &f->peek,
					    .out = &f->found,
					    .is_wanted = image_wants };
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	peek_release(&f->peek);
	registered_release(&f->found);
	free(f);
	return 0;
}

/* The CFI of the nth function. */
static uint64_t table(struct fixture *f, unsigned n)
{
	uint64_t at = TABLES + n * 64u;

	image_cfi(&f->memory, at, 0, CODE + n * 2u * FUNCTION, FUNCTION);
	return at;
}

static void take(struct fixture *f, size_t count)
{
	uint64_t variables[8];

	for (size_t i = 0; i < count; i++)
		variables[i] = VARIABLES + 8 * i;
	registered_take_frames(&f->look, variables, count);
	registered_end(&f->look);
}

/* The first n functions are known, each by CFI that says so itself, and no other. */
static void assert_functions(const struct fixture *f, size_t n)
{
	assert_int_equal(f->found.frames.len, n);
	for (size_t i = 0; i < n; i++) {
		uint64_t start = CODE + i * 2 * FUNCTION;
		const struct registered_frame *r = registered_find(&f->found, start);
		assert_non_null(r);
		assert_ptr_equal(r, registered_find(&f->found, start + FUNCTION - 1));
		assert_null(registered_find(&f->found, start + FUNCTION));
		assert_int_equal(r->start, start);
		assert_int_equal(r->end, start + FUNCTION);
		assert_int_equal(r->len, CFI_BYTES - 4);
	}
	assert_null(registered_find(&f->found, CODE - 1));
}

static void put_object(struct fixture *f, uint64_t at, uint64_t origin, uint64_t state,
		       uint64_t next)
{
	image_u64(&f->memory, at, UINT64_MAX);
	image_u64(&f->memory, at + 24, origin);
	image_u64(&f->memory, at + 32, state);
	image_u64(&f->memory, at + 40, next);
}

#define UNSEEN 0x7f8u /* encoding: omitted */

static void test_list(void **state)
{
	struct fixture *f = *state;
	uint64_t array = OBJECTS + 0x800, sorted = OBJECTS + 0x900, both = OBJECTS + 0xa00;

	image_u64(&f->memory, VARIABLES, 1); /* a flag */
	image_u64(&f->memory, VARIABLES + 8, OBJECTS);
	put_object(f, OBJECTS, table(f, 0), UNSEEN, OBJECTS + 0x40);
	put_object(f, OBJECTS + 0x40, array, UNSEEN | 2, 0);
	image_u64(&f->memory, array, table(f, 1));
	image_u64(&f->memory, array + 8, table(f, 2));
	image_u64(&f->memory, VARIABLES + 16, OBJECTS + 0x80); /* those that were looked up in */
	put_object(f, OBJECTS + 0x80, sorted, 0x1b << 3 | 1 | 5 << 11, OBJECTS + 0xc0);
	image_u64(&f->memory, sorted, table(f, 3));
	put_object(f, OBJECTS + 0xc0, both, 0x1b << 3 | 3, 0);
	image_u64(&f->memory, both, both + 64);
	image_u64(&f->memory, both + 64, table(f, 4));
	take(f, 3);
	assert_functions(f, 5);
	assert_int_equal(f->found.fault, REGISTERED_SOUND);
}

static void put_node(struct fixture *f, uint64_t at, uint32_t count, uint32_t kind)
{
	image_u64(&f->memory, at, 8); /* the lock */
	image_u32(&f->memory, at + 8, count);
	image_u32(&f->memory, at + 12, kind);
}

static void put_leaf(struct fixture *f, uint64_t at, unsigned first, uint32_t count)
{
	put_node(f, at, count, 1);
	for (uint32_t i = 0; i < count; i++) {
		unsigned n = first + i;
		uint64_t object = OBJECTS + 0x40 * n;
		put_object(f, object, table(f, n), UNSEEN, 0);
		image_u64(&f->memory, at + 16 + 24 * i, CODE + n * 2 * FUNCTION);
		image_u64(&f->memory, at + 24 + 24 * i, FUNCTION);
		image_u64(&f->memory, at + 32 + 24 * i, object);
	}
}

static void put_tree(struct fixture *f, uint64_t root)
{
	put_node(f, root, 2, 0);
	image_u64(&f->memory, root + 16, CODE + 20 * FUNCTION);
	image_u64(&f->memory, root + 24, root + 0x100);
	image_u64(&f->memory, root + 32, UINT64_MAX);
	image_u64(&f->memory, root + 40, root + 0x200);
	put_leaf(f, root + 0x100, 0, 10);
	put_leaf(f, root + 0x200, 10, 6);
}

static void test_tree(void **state)
{
	struct fixture *f = *state;
	uint64_t root = IMAGE_BASE + 0x8000;

	put_tree(f, root);
	image_u64(&f->memory, VARIABLES, root);
	take(f, 1);
	assert_functions(f, 16);
	assert_int_equal(f->found.fault, REGISTERED_SOUND);
}

static void test_tree_of_one_leaf(void **state)
{
	struct fixture *f = *state;

	put_leaf(f, IMAGE_BASE + 0x8000, 0, 3);
	image_u64(&f->memory, VARIABLES, IMAGE_BASE + 0x8000);
	take(f, 1);
	assert_functions(f, 3);
}

static void put_cached(struct fixture *f, uint64_t at, uint64_t start, uint64_t end, uint64_t fde)
{
	image_u64(&f->memory, at, fde);
	image_u64(&f->memory, at + 8, start);
	image_u64(&f->memory, at + 16, end);
	image_u64(&f->memory, at + 24, fde);
}

static void put_array(struct fixture *f, uint64_t array, unsigned count)
{
	put_cached(f, array, 0x400000, 0x400100, 0x8000); /* of a file: not wanted */
	for (unsigned n = 0; n < count; n++)
		put_cached(f, array + 32 * (n + 1), CODE + n * 2 * FUNCTION,
			   CODE + n * 2 * FUNCTION + FUNCTION, table(f, n) + CIE_BYTES);
}

static void test_array(void **state)
{
	struct fixture *f = *state;

	put_array(f, OBJECTS, 4); /* the last of them was taken back */
	image_u64(&f->memory, VARIABLES, OBJECTS);
	image_u64(&f->memory, VARIABLES + 8, OBJECTS + 4 * 32);
	image_u64(&f->memory, VARIABLES + 16, OBJECTS + 64 * 32);
	take(f, 3);
	assert_functions(f, 3);
	assert_int_equal(f->found.fault, REGISTERED_SOUND);
}

static void test_empty_array(void **state)
{
	struct fixture *f = *state;

	put_array(f, OBJECTS, 4);
	image_u64(&f->memory, VARIABLES, OBJECTS);
	image_u64(&f->memory, VARIABLES + 8, OBJECTS);
	image_u64(&f->memory, VARIABLES + 16, OBJECTS + 64 * 32);
	take(f, 3);
	assert_functions(f, 0);
}

/* What was registered last is in front, and counts. */
static void test_registered_again(void **state)
{
	struct fixture *f = *state;

	image_u64(&f->memory, VARIABLES, OBJECTS);
	put_object(f, OBJECTS, table(f, 0), UNSEEN, OBJECTS + 0x40);
	put_object(f, OBJECTS + 0x40, TABLES + 64, UNSEEN, 0);
	image_cfi(&f->memory, TABLES + 64, 0, CODE, FUNCTION / 2);
	take(f, 1);
	assert_functions(f, 1);
}

/* A section that describes a program or library is left after a few entries. */
static void test_foreign_section(void **state)
{
	struct fixture *f = *state;
	uint64_t end = TABLES + 0x2000;

	image_u64(&f->memory, VARIABLES, OBJECTS);
	put_object(f, OBJECTS, TABLES, UNSEEN, 0);
	for (uint64_t at = TABLES; at < end; at += CFI_BYTES - 4)
		image_cfi(&f->memory, at, 0, 0x400000, FUNCTION);
	take(f, 1);
	assert_functions(f, 0);
	assert_true(f->look.entries < 32);
}

/* ---- what nobody would write ---- */

static void test_list_in_a_circle(void **state)
{
	struct fixture *f = *state;

	image_u64(&f->memory, VARIABLES, OBJECTS);
	put_object(f, OBJECTS, table(f, 0), UNSEEN, OBJECTS + 0x40);
	put_object(f, OBJECTS + 0x40, table(f, 1), UNSEEN, OBJECTS);
	take(f, 1);
	assert_functions(f, 2);
	assert_int_equal(f->found.fault, REGISTERED_CYCLE);
}

static void test_list_to_nowhere(void **state)
{
	struct fixture *f = *state;

	image_u64(&f->memory, VARIABLES, OBJECTS);
	put_object(f, OBJECTS, table(f, 0), UNSEEN, WILD);
	take(f, 1);
	assert_functions(f, 1);
	assert_int_equal(f->found.fault, REGISTERED_UNREADABLE);
}

static void test_list_to_something_else(void **state)
{
	struct fixture *f = *state;

	image_u64(&f->memory, VARIABLES, OBJECTS);
	put_object(f, OBJECTS, table(f, 0), UNSEEN, TABLES);
	take(f, 1);
	assert_functions(f, 1);
	assert_int_equal(f->found.fault, REGISTERED_DAMAGED);
}

static void test_huge_entry(void **state)
{
	struct fixture *f = *state;

	image_u64(&f->memory, VARIABLES, OBJECTS);
	put_object(f, OBJECTS, table(f, 0), UNSEEN, OBJECTS + 0x40);
	put_object(f, OBJECTS + 0x40, table(f, 1), UNSEEN, 0);
	image_u32(&f->memory, TABLES + 64 + CIE_BYTES, 0x7fffffff);
	take(f, 1);
	assert_functions(f, 1);
	assert_int_equal(f->found.fault, REGISTERED_TOO_LARGE);
}

static void test_tree_in_a_circle(void **state)
{
	struct fixture *f = *state;
	uint64_t root = IMAGE_BASE + 0x8000;

	put_tree(f, root);
	image_u64(&f->memory, root + 40, root);
	image_u64(&f->memory, VARIABLES, root);
	take(f, 1);
	assert_functions(f, 10);
	assert_int_equal(f->found.fault, REGISTERED_CYCLE);
}

static void test_array_of_other_things(void **state)
{
	struct fixture *f = *state;

	put_array(f, OBJECTS, 3);
	image_u64(&f->memory, OBJECTS + 2 * 32 + 24, WILD);
	image_u64(&f->memory, VARIABLES, OBJECTS);
	image_u64(&f->memory, VARIABLES + 8, OBJECTS + 4 * 32);
	take(f, 2);
	assert_functions(f, 1);
	assert_int_equal(f->found.fault, REGISTERED_DAMAGED);
}

/* Memory without an end in which everything is something: the look ends nevertheless. */
static ssize_t read_endless(void *ctx, uint64_t address, void *out, size_t len)
{
	static const uint64_t object[8] = { 0, 0, 0, TABLES, UNSEEN, 0x100000040, 0, 0 };
	const struct image *m = ctx;

	if (address - IMAGE_BASE < m->len)
		return image_read(ctx, address, out, len);
	for (size_t i = 0; i < len; i += 8) {
		uint64_t at = address + i, word = object[at / 8 % 8];
		word += at / 8 % 8 == 5 ? at - at % 64 - 0x100000000 : 0;
		memcpy((uint8_t *)out + i, &word, 8);
	}
	return (ssize_t)len;
}

static void test_list_without_end(void **state)
{
	struct fixture *f = *state;

	f->peek.read = read_endless;
	table(f, 0);
	image_u64(&f->memory, VARIABLES, 0x100000000);
	take(f, 1);
	assert_functions(f, 1);
	assert_int_equal(f->found.fault, REGISTERED_TOO_LARGE);
	assert_true(f->memory.reads <= LOOK_MAX / 4096);
}

/* ---- GDB's interface ---- */

#define DESCRIPTOR (IMAGE_BASE + 0x40)
#define LOADED	   UINT64_C(0x30000000) /* where its sections are said to be */

struct object {
	Elf64_Ehdr header;
	uint8_t cfi[CFI_BYTES];
	char names[40];
	Elf64_Shdr sections[3];
};

static void put_gdb_object(struct fixture *f, uint64_t at, const char *section, unsigned n)
{
	struct object o = { .header = { .e_type = ET_REL,
					.e_machine = EM_X86_64,
					.e_version = EV_CURRENT,
					.e_shoff = offsetof(struct object, sections),
					.e_shentsize = sizeof(Elf64_Shdr),
					.e_shnum = 3,
					.e_shstrndx = 2 } };

	memcpy(o.header.e_ident, ELFMAG "\2\1\1", SELFMAG + 3);
	strcpy(o.names + 1, section);
	o.sections[1] = (Elf64_Shdr){ .sh_name = 1,
				      .sh_type = SHT_PROGBITS,
				      .sh_addr = LOADED,
				      .sh_offset = offsetof(struct object, cfi),
				      .sh_size = CFI_BYTES - 4,
				      .sh_addralign = 1 };
	o.sections[2] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
				      .sh_offset = offsetof(struct object, names),
				      .sh_size = sizeof(o.names) };
	image_put(&f->memory, at, &o, sizeof(o));
	at += offsetof(struct object, cfi);
	image_cfi(&f->memory, at, LOADED - at, CODE + n * 2 * FUNCTION, FUNCTION);
}

static void put_gdb_entry(struct fixture *f, uint64_t at, uint64_t next, uint64_t object)
{
	image_u64(&f->memory, at, next);
	image_u64(&f->memory, at + 16, object);
	image_u64(&f->memory, at + 24, sizeof(struct object));
}

static void put_descriptor(struct fixture *f, uint64_t first)
{
	image_u32(&f->memory, DESCRIPTOR, 1);
	image_u64(&f->memory, DESCRIPTOR + 16, first);
}

static void take_gdb(struct fixture *f)
{
	registered_take_descriptor(&f->look, DESCRIPTOR);
	registered_end(&f->look);
}

static void test_objects(void **state)
{
	struct fixture *f = *state;
	uint64_t old_style = OBJECTS + 0xc00 + offsetof(struct object, cfi);

	put_descriptor(f, OBJECTS);
	put_gdb_entry(f, OBJECTS, OBJECTS + 0x40, OBJECTS + 0x800);
	put_gdb_object(f, OBJECTS + 0x800, ".eh_frame", 0);
	put_gdb_entry(f, OBJECTS + 0x40, 0, OBJECTS + 0xc00);
	put_gdb_object(f, OBJECTS + 0xc00, ".debug_frame", 1);
	image_u32(&f->memory, old_style + 4, UINT32_MAX); /* a CIE there */
	image_u32(&f->memory, old_style + CIE_BYTES + 4, 0);
	take_gdb(f);
	assert_functions(f, 2);
	assert_int_equal(f->found.objects.len, 2);
	assert_int_equal(f->found.frames.data[0].address, LOADED);
	assert_int_equal(f->found.fault, REGISTERED_SOUND);
}

static void test_objects_in_a_circle(void **state)
{
	struct fixture *f = *state;

	put_descriptor(f, OBJECTS);
	put_gdb_entry(f, OBJECTS, OBJECTS, OBJECTS + 0x800);
	put_gdb_object(f, OBJECTS + 0x800, ".eh_frame", 0);
	take_gdb(f);
	assert_functions(f, 1);
	assert_int_equal(f->found.fault, REGISTERED_CYCLE);
}

static void test_object_that_is_huge(void **state)
{
	struct fixture *f = *state;

	put_descriptor(f, OBJECTS);
	put_gdb_entry(f, OBJECTS, OBJECTS + 0x40, OBJECTS + 0x800);
	image_u64(&f->memory, OBJECTS + 24, UINT64_MAX);
	put_gdb_entry(f, OBJECTS + 0x40, WILD, OBJECTS + 0x800);
	put_gdb_object(f, OBJECTS + 0x800, ".eh_frame", 0);
	take_gdb(f);
	assert_functions(f, 1);
	assert_int_equal(f->found.fault, REGISTERED_TOO_LARGE);
}

static void test_object_that_is_damaged(void **state)
{
	struct fixture *f = *state;

	put_descriptor(f, OBJECTS);
	put_gdb_entry(f, OBJECTS, 0, TABLES);
	image_u64(&f->memory, TABLES, 0xff01ff464c457full); /* ELF, of no class there is */
	take_gdb(f);
	assert_int_equal(f->found.fault, REGISTERED_DAMAGED);
}

static void test_object_that_is_none(void **state)
{
	struct fixture *f = *state;

	put_descriptor(f, OBJECTS);
	put_gdb_entry(f, OBJECTS, 0, TABLES);
	take_gdb(f);
	assert_int_equal(f->found.fault, REGISTERED_FOREIGN);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_list),
		TEST(test_tree),
		TEST(test_tree_of_one_leaf),
		TEST(test_array),
		TEST(test_empty_array),
		TEST(test_registered_again),
		TEST(test_foreign_section),
		TEST(test_list_in_a_circle),
		TEST(test_list_to_nowhere),
		TEST(test_list_to_something_else),
		TEST(test_huge_entry),
		TEST(test_tree_in_a_circle),
		TEST(test_array_of_other_things),
		TEST(test_list_without_end),
		TEST(test_objects),
		TEST(test_objects_in_a_circle),
		TEST(test_object_that_is_huge),
		TEST(test_object_that_is_damaged),
		TEST(test_object_that_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
