/* A function by lines and instructions: what sums to what, and what hostile profiles do to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "analysis/annotate.h"
#include "analysis/instructions.h"
#include "analysis/source_texts.h"
#include "build_profile.h"

struct fixture {
	struct build b;
	struct filter_result all;
	struct annotation a;
};

/* A location of app: a chain of "function:line" frames, innermost first, all in app.c. */
static uint64_t code_at(struct build *b, uint64_t address, const char *chain, const uint32_t *lines)
{
	b->next_address = address;
	build_code(b, b->program, chain);
	const struct profile_location *l = &b->profile.locations.data[b->profile.locations.len - 1];
	for (uint32_t i = 0; i < l->frame_count; i++)
		b->profile.frames.data[l->first_frame + i].line = lines[i];
	return address;
}

static void sample_at(struct build *b, uint64_t address, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		build_sample(b, PROFILE_NONE, b->program, address, 1000000);
}

static void add_code(struct build *b, uint64_t address, const char *bytes, size_t len)
{
	struct profile_code c = { .module = b->program,
				  .address = address,
				  .offset = (uint32_t)b->profile.blob.len,
				  .length = (uint32_t)len };

	for (size_t i = 0; i < len; i++)
		vec_push(&b->profile.blob, (uint8_t)bytes[i]);
	vec_push(&b->profile.code, c);
}

/* hot: 0x1000 mov rax, rbx (line 7); 0x1003 add rax, rcx (line 8); 0x1006 of step inlined at line
 * 8; 0x1009 jnz 0x1003. Samples come in turn, so that they are spread over time. */
static const char hot_code[] = "\x48\x89\xd8\x48\x01\xc8\x48\x01\xd0\x75\xf8\xc3";

static void make_hot(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	build_init(&f->b);
	code_at(&f->b, 0x1000, "hot", (const uint32_t[]){ 7 });
	code_at(&f->b, 0x1003, "hot", (const uint32_t[]){ 8 });
	code_at(&f->b, 0x1006, "inner|step|hot", (const uint32_t[]){ 3, 20, 8 });
	code_at(&f->b, 0x2000, "cold", (const uint32_t[]){ 40 });
	add_code(&f->b, 0x1000, hot_code, sizeof(hot_code) - 1);
	for (unsigned i = 0; i < 50; i++) {
		sample_at(&f->b, 0x1000, 1);
		sample_at(&f->b, 0x1003, 2);
		sample_at(&f->b, 0x1006, 4);
		sample_at(&f->b, 0x2000, 3);
	}
}

static int annotate(struct fixture *f, const char *function, bool of_all, struct error *err)
{
	struct annotate_choice choice = { .function = function, .of_all = of_all };

	build_finish(&f->b, &f->all);
	return annotate_build(&f->a, &f->b.profile, &f->all, f->b.event, &choice, err);
}

static void release(struct fixture *f)
{
	annotate_release(&f->a);
	filter_result_release(&f->all);
	build_release(&f->b);
}

static void lines_and_what_is_inlined_there(void **state)
{
	struct fixture f;

	(void)state;
	make_hot(&f);
	assert_int_equal(annotate(&f, NULL, false, NULL), 0);
	assert_string_equal(annotation_name(&f.a, f.a.key), "hot");
	assert_int_equal(f.a.all.count, 350);
	assert_int_equal(f.a.all.weight, 350 * 1000000ull);
	assert_int_equal(f.a.total, 500 * 1000000ull);
	assert_int_equal(f.a.lines.len, 2);
	assert_int_equal(f.a.lines.data[0].line, 7);
	assert_int_equal(f.a.lines.data[0].all.count, 50);
	assert_int_equal(f.a.lines.data[1].line, 8);
	assert_int_equal(f.a.lines.data[1].all.count, 300);
	assert_int_equal(f.a.lines.data[1].own, 100 * 1000000ull);
	assert_int_equal(f.a.lines.data[1].inlined_count, 1);
	const struct annotated_inlined *in = &f.a.inlined.data[f.a.lines.data[1].first_inlined];
	assert_string_equal(annotation_name(&f.a, in->name), "inner");
	assert_int_equal(in->line, 3);
	assert_int_equal(in->all.count, 200);
	/* Every slice holds the same, so that there is nothing to be unsure of. */
	assert_true(f.a.has_errors);
	assert_true(f.a.lines.data[0].all.error >= 0 && f.a.lines.data[0].all.error < 0.02);
	release(&f);
}

/* The inlined function is annotated where it was inlined; the heaviest is the one around it. */
static void an_inlined_function_has_lines_too(void **state)
{
	struct fixture f;

	(void)state;
	make_hot(&f);
	assert_int_equal(annotate(&f, "step", false, NULL), 0);
	assert_int_equal(f.a.all.count, 200);
	assert_int_equal(f.a.lines.len, 1);
	assert_int_equal(f.a.lines.data[0].line, 20);
	assert_int_equal(f.a.lines.data[0].own, 0);
	assert_string_equal(annotation_name(&f.a, f.a.inlined.data[0].name), "inner");
	release(&f);
}

static void without_inlining_it_is_one_function(void **state)
{
	struct fixture f;
	struct annotate_choice choice = { .frames.no_inline = true };

	(void)state;
	make_hot(&f);
	build_finish(&f.b, &f.all);
	assert_int_equal(annotate_build(&f.a, &f.b.profile, &f.all, f.b.event, &choice, NULL), 0);
	assert_int_equal(f.a.inlined.len, 0);
	assert_int_equal(f.a.lines.data[1].own, 300 * 1000000ull);
	release(&f);
}

static void unknown_functions_have_near_names(void **state)
{
	struct fixture f;
	struct error err = { 0 };

	(void)state;
	make_hot(&f);
	assert_int_equal(annotate(&f, "cald", false, &err), -1);
	assert_string_equal(err.text,
			    "no samples were taken in the code of 'cald'; did you mean cold?");
	release(&f);
}

static void instructions_have_weights_lines_and_targets(void **state)
{
	struct fixture f;
	struct instructions all;

	(void)state;
	make_hot(&f);
	annotate(&f, NULL, false, NULL);
	instructions_build(&all, &f.a, DISASM_INTEL);
	if (all.error.code) {
		assert_int_equal(all.missing, f.a.all.weight);
		instructions_release(&all);
		release(&f);
		skip();
	}
	assert_int_equal(all.items.len, 5);
	assert_int_equal(all.missing, 0);
	assert_int_equal(all.blocks.len, 1);
	assert_int_equal(all.blocks.data[0].weight, f.a.all.weight);
	const struct instruction *i = all.items.data;
	assert_string_equal(instruction_text(&all, &i[1]), "add rax, rcx");
	assert_int_equal(i[1].all.count, 100);
	assert_int_equal(i[1].line, 8);
	assert_true(i[1].is_target);
	assert_int_equal(i[2].line, 3);
	assert_int_equal(f.a.lines.data[i[2].line_row].line, 8);
	assert_string_equal(instruction_text(&all, &i[3]), "jnz 0x1003");
	assert_true(i[3].is_inside);
	assert_int_equal(i[3].line, 0); /* nobody told */
	assert_int_equal(i[3].line_row, ANNOTATE_NONE);
	assert_null(instruction_before(&all, &i[0]));
	assert_ptr_equal(instruction_before(&all, &i[1]), &i[0]);
	instructions_release(&all);
	release(&f);
}

/* An address inside of an instruction is its; one behind the code is nobody's, and is told. */
static void no_weight_is_lost(void **state)
{
	struct fixture f;
	struct instructions all;
	uint64_t sum = 0;

	(void)state;
	make_hot(&f);
	code_at(&f.b, 0x1001, "hot", (const uint32_t[]){ 7 });
	code_at(&f.b, 0x1080, "hot", (const uint32_t[]){ 9 });
	sample_at(&f.b, 0x1001, 3);
	sample_at(&f.b, 0x1080, 5);
	annotate(&f, "hot", false, NULL);
	instructions_build(&all, &f.a, DISASM_INTEL);
	for (size_t i = 0; i < all.items.len; i++)
		sum += all.items.data[i].all.weight;
	assert_int_equal(sum + all.missing, f.a.all.weight);
	if (!all.error.code) {
		assert_int_equal(all.missing_count, 5);
		assert_int_equal(all.items.data[0].all.count, 53);
	}
	instructions_release(&all);
	release(&f);
}

static void few_samples_say_nothing_sure(void **state)
{
	struct fixture f;

	(void)state;
	memset(&f, 0, sizeof(f));
	build_init(&f.b);
	code_at(&f.b, 0x1000, "hot", (const uint32_t[]){ 7 });
	sample_at(&f.b, 0x1000, 5);
	annotate(&f, "hot", false, NULL);
	assert_false(f.a.has_errors);
	assert_true(isnan(f.a.lines.data[0].all.error));
	release(&f);
}

/* Lines 0 and UINT32_MAX, code at the end of the address space, one of no bytes, two that overlap.
 */
static void hostile_places_are_harmless(void **state)
{
	struct fixture f;
	struct instructions all;
	uint64_t last = UINT64_MAX - 3, sum = 0;

	(void)state;
	make_hot(&f);
	code_at(&f.b, last, "hot", (const uint32_t[]){ UINT32_MAX });
	code_at(&f.b, UINT64_MAX, "hot", (const uint32_t[]){ 0 });
	code_at(&f.b, 0x3000, "", NULL);
	sample_at(&f.b, last, 3);
	sample_at(&f.b, UINT64_MAX, 3);
	sample_at(&f.b, 0x3000, 3);
	add_code(&f.b, last, hot_code, sizeof(hot_code) - 1);
	add_code(&f.b, UINT64_MAX, hot_code, 1);
	add_code(&f.b, 0x1003, "", 0);
	add_code(&f.b, 0x1006, hot_code, 3);
	annotate(&f, "hot", true, NULL);
	instructions_build(&all, &f.a, DISASM_INTEL);
	for (size_t i = 0; i < all.items.len; i++)
		sum += all.items.data[i].all.weight;
	assert_int_equal(sum + all.missing, f.a.all.weight);
	instructions_release(&all);
	release(&f);
}

static void add_source(struct build *b, const char *file, uint32_t first_line, const char *text)
{
	struct profile_source s = { .file = build_str(b, file),
				    .first_line = first_line,
				    .offset = (uint32_t)b->profile.blob.len,
				    .length = (uint32_t)strlen(text) };

	for (const char *c = text; *c; c++)
		vec_push(&b->profile.blob, (uint8_t)*c);
	vec_push(&b->profile.sources, s);
}

static void expect_line(const struct source_texts *t, uint32_t file, uint32_t line,
			const char *want)
{
	size_t len = 0;
	const char *text = source_texts_line(t, file, line, &len);

	if (!want) {
		assert_null(text);
		return;
	}
	assert_non_null(text);
	assert_int_equal(len, strlen(want));
	assert_memory_equal(text, want, len);
}

static void excerpts_are_lines(void **state)
{
	struct build b;
	struct source_texts t;

	(void)state;
	build_init(&b);
	add_source(&b, "a.c", 10, "ten\r\n\ntwelve");
	add_source(&b, "a.c", 40, "forty\n");
	add_source(&b, "a.c", 0, "no line\n");
	add_source(&b, "end.c", UINT32_MAX, "last\nbeyond\n");
	source_texts_init(&t, &b.profile);
	uint32_t a = build_str(&b, "a.c");
	expect_line(&t, a, 9, NULL);
	expect_line(&t, a, 10, "ten");
	expect_line(&t, a, 11, "");
	expect_line(&t, a, 12, "twelve");
	expect_line(&t, a, 13, NULL);
	expect_line(&t, a, 40, "forty");
	expect_line(&t, a, 0, NULL);
	expect_line(&t, build_str(&b, "end.c"), UINT32_MAX, "last");
	expect_line(&t, build_str(&b, "end.c"), 0, NULL);
	expect_line(&t, build_str(&b, "b.c"), 10, NULL);
	source_texts_release(&t);
	build_release(&b);
}

/* A file that is not what was recorded does not take the place of what was. */
static void files_must_agree_with_the_recording(void **state)
{
	struct build b;
	struct source_texts t;
	static const char same[] = "one\ntwo\nthree\n", other[] = "one\nTWO\nthree\n";

	(void)state;
	build_init(&b);
	add_source(&b, "a.c", 2, "two\n");
	add_source(&b, "b.c", 2, "two\n");
	source_texts_init(&t, &b.profile);
	uint32_t a = build_str(&b, "a.c"), changed = build_str(&b, "b.c"),
		 fresh = build_str(&b, "c.c");
	source_texts_add_file(&t, a, same, strlen(same), SOURCE_NEWER);
	assert_int_equal(source_texts_state(&t, a), SOURCE_AS_RECORDED);
	expect_line(&t, a, 3, "three");
	source_texts_add_file(&t, changed, other, strlen(other), SOURCE_AS_RECORDED);
	assert_int_equal(source_texts_state(&t, changed), SOURCE_CHANGED);
	expect_line(&t, changed, 2, "two");
	expect_line(&t, changed, 3, NULL);
	assert_false(source_texts_has(&t, fresh));
	source_texts_add_file(&t, fresh, same, strlen(same), SOURCE_NEWER);
	assert_int_equal(source_texts_state(&t, fresh), SOURCE_NEWER);
	expect_line(&t, fresh, 1, "one");
	source_texts_release(&t);
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_and_what_is_inlined_there),
		cmocka_unit_test(an_inlined_function_has_lines_too),
		cmocka_unit_test(without_inlining_it_is_one_function),
		cmocka_unit_test(unknown_functions_have_near_names),
		cmocka_unit_test(instructions_have_weights_lines_and_targets),
		cmocka_unit_test(no_weight_is_lost),
		cmocka_unit_test(few_samples_say_nothing_sure),
		cmocka_unit_test(hostile_places_are_harmless),
		cmocka_unit_test(excerpts_are_lines),
		cmocka_unit_test(files_must_agree_with_the_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
