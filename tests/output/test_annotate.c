/* prof annotate as text and JSON, byte for byte, and what hostile names and texts do to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "build_profile.h"
#include "golden.h"
#include "output/output.h"

struct fixture {
	struct build b;
	struct filter_result all;
	struct bytes out;
};

static uint64_t code_at(struct build *b, uint64_t address, const char *chain, const uint32_t *lines)
{
	b->next_address = address;
	build_code(b, b->program, chain);
	const struct profile_location *l = &b->profile.locations.data[b->profile.locations.len - 1];
	for (uint32_t i = 0; i < l->frame_count; i++)
		b->profile.frames.data[l->first_frame + i].line = lines[i];
	return address;
}

static uint32_t add_blob(struct build *b, const void *bytes, size_t len)
{
	uint32_t at = (uint32_t)b->profile.blob.len;

	for (size_t i = 0; i < len; i++)
		vec_push(&b->profile.blob, ((const uint8_t *)bytes)[i]);
	return at;
}

static void add_code(struct build *b, uint64_t address, const void *bytes, size_t len)
{
	struct profile_code c = { b->program, address, add_blob(b, bytes, len), (uint32_t)len };

	vec_push(&b->profile.code, c);
}

static void add_source(struct build *b, const char *file, uint32_t first_line, uint32_t flags,
		       const char *text)
{
	struct profile_source s = { build_str(b, file), first_line, flags,
				    add_blob(b, text, strlen(text)), (uint32_t)strlen(text) };

	vec_push(&b->profile.sources, s);
}

static const char hot_source[] = "\n"
				 "static unsigned long hot(unsigned long n)\n"
				 "{\n"
				 "\tunsigned long x = n;\n"
				 "\n"
				 "\tfor (unsigned long i = 0; i < n; i++)\n"
				 "\t\tx += mix(x, i) /* \xc3\xa9 */;\n"
				 "\treturn x;\n";
static const char hot_code[] = "\x48\x89\xd8"	  /* 1000 mov rax, rbx */
			       "\x48\x31\xd2"	  /* 1003 xor rdx, rdx */
			       "\x48\x01\xd0"	  /* 1006 add rax, rdx; mix, inlined */
			       "\x48\x01\xc8"	  /* 1009 add rax, rcx */
			       "\x48\x83\xc2\x01" /* 100c add rdx, 1 */
			       "\x48\x39\xd7"	  /* 1010 cmp rdi, rdx */
			       "\x75\xf1"	  /* 1013 jnz 1006 */
			       "\x06"		  /* no instruction */
			       "\xc3";		  /* 1016 ret */

static void sample(struct build *b, uint64_t address, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		build_sample(b, PROFILE_NONE, b->program, address, 1000000);
}

/* Shares that change over time, so that errors are not 0. */
static void fill(struct build *b)
{
	code_at(b, 0x1000, "hot", (const uint32_t[]){ 12 });
	code_at(b, 0x1006, "twist|mix|hot", (const uint32_t[]){ 3, 5, 15 });
	code_at(b, 0x1009, "hot", (const uint32_t[]){ 15 });
	code_at(b, 0x1010, "hot", (const uint32_t[]){ 14 });
	code_at(b, 0x2000, "cool(int)", (const uint32_t[]){ 80 });
	for (unsigned i = 0; i < 40; i++) {
		sample(b, 0x1006, 5 + i % 3);
		sample(b, 0x1009, 3);
		sample(b, 0x1010, 1 + (i * 7) % 4);
		sample(b, 0x1000, i % 5 == 0);
		sample(b, 0x2000, 2);
	}
}

static void make(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	build_init(&f->b);
	fill(&f->b);
	for (size_t i = 0; i < f->b.profile.functions.len; i++)
		f->b.profile.functions.data[i].line = 10;
	add_code(&f->b, 0x1000, hot_code, sizeof(hot_code) - 1);
	add_source(&f->b, "app.c", 9, 0, hot_source);
	add_source(&f->b, "app.c", 3, 0, "\treturn a ^ b >> 7;\n");
}

static void release(struct fixture *f)
{
	bytes_release(&f->out);
	filter_result_release(&f->all);
	build_release(&f->b);
}

/* The view as a string in f->out. */
static const char *show(struct fixture *f, const struct annotate_options *o, bool of_all)
{
	struct annotation a;
	struct source_texts texts;
	struct annotate_choice choice = { .function = o->function, .of_all = of_all };

	if (!f->all.samples.len)
		build_finish(&f->b, &f->all);
	bytes_clear(&f->out);
	assert_int_equal(annotate_build(&a, &f->b.profile, &f->all, f->b.event, &choice, NULL), 0);
	source_texts_init(&texts, &f->b.profile);
	output_annotate(&f->out, &a, &texts, o);
	source_texts_release(&texts);
	annotate_release(&a);
	bytes_u8(&f->out, '\0');
	f->out.len--;
	return (const char *)f->out.data;
}

static bool decodes(struct fixture *f)
{
	const struct annotate_options o = { .view = ANNOTATE_ASM, .unicode = true };

	return !strstr(show(f, &o, false), "was built without");
}

static const struct {
	const char *file;
	struct annotate_options options;
	bool of_all;
} goldens[] = {
	{ "annotate.txt", { .unicode = true }, false },
	{ "annotate-ascii.txt", { .unicode = false }, false },
	{ "annotate-colour.txt", { .unicode = true, .colour = true }, false },
	{ "annotate-40.txt", { .unicode = true, .width = 40 }, false },
	{ "annotate-all.txt", { .unicode = true, .full_paths = true }, true },
	{ "annotate-limit.txt", { .unicode = true, .limit = 1 }, false },
	{ "annotate-min.txt", { .unicode = true, .min_percent = 20 }, false },
	{ "annotate-whole.txt", { .unicode = true, .whole = true }, false },
	{ "annotate-source.txt", { .unicode = true, .view = ANNOTATE_SOURCE }, false },
	{ "annotate-asm.txt", { .unicode = true, .view = ANNOTATE_ASM, .limit = 2 }, false },
	{ "annotate-asm-whole.txt",
	  { .unicode = true, .view = ANNOTATE_ASM, .whole = true },
	  false },
	{ "annotate-att.txt", { .unicode = true, .view = ANNOTATE_ASM, .att = true }, false },
	{ "annotate-inlined.txt", { .unicode = true, .function = "mix" }, false },
	{ "annotate-missing.txt", { .unicode = true, .function = "cool" }, false },
	{ "annotate.json", { .json = true }, false },
	{ "annotate.csv", { .csv = true }, false },
	{ "annotate-asm.csv", { .csv = true, .view = ANNOTATE_ASM }, true },
	{ "annotate-source.json", { .json = true, .view = ANNOTATE_SOURCE }, true },
};

static void views_are_as_before(void **state)
{
	struct fixture f;

	(void)state;
	make(&f);
	for (size_t i = 0; decodes(&f) && i < ARRAY_LEN(goldens); i++) {
		show(&f, &goldens[i].options, goldens[i].of_all);
		expect_golden(&f.out, goldens[i].file);
	}
	release(&f);
}

static void lines_fit_the_width(void **state)
{
	struct fixture f;
	const uint32_t widths[] = { 60, 80, 100, 132 };

	(void)state;
	make(&f);
	for (size_t i = 0; i < ARRAY_LEN(widths); i++) {
		struct annotate_options o = { .unicode = true, .width = widths[i], .whole = i % 2 };
		for (const char *at = show(&f, &o, false); *at;) {
			size_t len = strcspn(at, "\n");
			assert_in_range(text_width(at, len), 0, widths[i]);
			at += len + (at[len] == '\n');
		}
	}
	release(&f);
}

static void the_default_fits_the_screen(void **state)
{
	struct fixture f;
	struct annotate_options views[] = {
		{ .unicode = true },
		{ .unicode = true, .view = ANNOTATE_SOURCE },
		{ .unicode = true, .view = ANNOTATE_ASM },
	};
	uint8_t code[60 * 16];

	(void)state;
	make(&f);
	memset(code, 0x90, sizeof(code)); /* each byte is an instruction */
	add_code(&f.b, 0x1640, code, sizeof(code));
	for (uint32_t line = 100; line < 160; line++)
		sample(&f.b, code_at(&f.b, 0x1000 + line * 16, "hot", (const uint32_t[]){ line }),
		       3);
	for (size_t i = 0; i < ARRAY_LEN(views); i++) {
		size_t lines = 0;
		for (const char *at = show(&f, &views[i], false); *at; at++)
			lines += *at == '\n';
		assert_in_range(lines, 15, 23);
	}
	release(&f);
}

static void no_control_characters(const struct bytes *out, bool csv)
{
	for (size_t i = 0; i < out->len; i++)
		assert_true(out->data[i] >= 0x20 || out->data[i] == '\n' || out->data[i] == '\t' ||
			    (csv && out->data[i] == '\r' && out->data[i + 1] == '\n'));
}

/* Names and lines that a terminal would act on, lines 0 and UINT32_MAX, and code of no sense. */
static void hostile_texts_are_harmless(void **state)
{
	struct fixture f;
	struct annotate_options o = { .function = NULL };

	(void)state;
	memset(&f, 0, sizeof(f));
	build_init(&f.b);
	const char *name = "esc\x1b[31m\nred\x07";
	CLEANUP_FREE char *chain = xasprintf("in\x1b[2J|%s", name);
	sample(&f.b, code_at(&f.b, UINT64_MAX - 8, chain, (const uint32_t[]){ UINT32_MAX, 5 }), 30);
	sample(&f.b, code_at(&f.b, UINT64_MAX - 2, name, (const uint32_t[]){ UINT32_MAX }), 30);
	sample(&f.b, code_at(&f.b, 0, name, (const uint32_t[]){ 0 }), 30);
	for (size_t i = 0; i < f.b.profile.frames.len; i++)
		f.b.profile.frames.data[i].file = build_str(&f.b, "/x/\x1b]0;t\x07.c");
	add_code(&f.b, UINT64_MAX - 8, "\xe9\xff\xff\xff\x7f\x06\x06\x06\x06\x06\x06\x06", 12);
	add_source(&f.b, "/x/\x1b]0;t\x07.c", 4, SOURCE_IS_NEWER,
		   "\x1b[2Jfour\n\x07\xff five \xe2\x80\xae\r\n\0six");
	add_source(&f.b, "/x/\x1b]0;t\x07.c", UINT32_MAX, 0, "last\nmore\n");
	for (unsigned bits = 0; bits < 128; bits++) {
		o.json = bits & 1;
		o.csv = bits & 64;
		o.whole = bits & 2;
		o.unicode = bits & 4;
		o.view = (enum annotate_view)(bits / 8 % 3);
		o.width = bits & 32 ? 1 : 90;
		show(&f, &o, bits & 4);
		no_control_characters(&f.out, o.csv && !o.json);
	}
	release(&f);
}

static bool says_skid(struct fixture *f)
{
	return strstr(show(f, &(struct annotate_options){ .unicode = true }, false), "skid: ");
}

static void it_says_what_to_doubt(void **state)
{
	struct fixture f;
	struct annotate_options o = { .unicode = true };

	(void)state;
	make(&f);
	f.b.profile.sources.data[0].flags = SOURCE_IS_NEWER;
	const char *text = show(&f, &o, false);
	assert_non_null(strstr(text, "app.c is newer than the program: its lines may have moved"));
	assert_true(says_skid(&f) == decodes(&f));
	f.b.profile.events.data[f.b.event].name = build_str(&f.b, "cycles:upp");
	assert_false(says_skid(&f));
	f.b.profile.events.data[f.b.event].name = build_str(&f.b, "cycles:p");
	assert_true(says_skid(&f) == decodes(&f));
	f.b.profile.events.data[f.b.event].name = build_str(&f.b, "cpu-clock:ppp");
	f.b.profile.events.data[f.b.event].type = 1; /* software: a clock */
	assert_true(says_skid(&f) == decodes(&f));
	f.b.profile.events.data[f.b.event].config = 2; /* page faults */
	assert_false(says_skid(&f));
	f.b.profile.machines.data[0].architecture = build_str(&f.b, "riscv64");
	text = show(&f, &o, false);
	assert_non_null(strstr(text, "instructions of riscv64 are not decoded"));
	assert_non_null(strstr(text, "x += mix(x, i)"));
	release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(views_are_as_before),
		cmocka_unit_test(lines_fit_the_width),
		cmocka_unit_test(the_default_fits_the_screen),
		cmocka_unit_test(hostile_texts_are_harmless),
		cmocka_unit_test(it_says_what_to_doubt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
