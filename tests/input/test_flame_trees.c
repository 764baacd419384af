/* Trees of flame graphs, byte by byte: whole ones, damaged ones, and files without any. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base64.h"
#include "base/base91.h"
#include "base/bytes.h"
#include "base/compress.h"
#include "flame_file.h"

#define HEAD "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"prof\">"
#define TAG \
	"<metadata class=\"prof-tree\" data-event=\"e\" data-unit=\"ns\" data-count=\"a &amp;&quot;&lt;&gt;&#39;\">"

#define TAG2 "<metadata class=\"prof-tree\" data-view=\"down\">"

/* A file around the bytes of a tree. */
static void wrap(struct bytes *out, const void *tree, size_t len)
{
	struct bytes packed = { 0 };

	bytes_clear(out);
	/* Version 1 was in base64. */
	bool is_first = len == 0 || ((const char *)tree)[0] == 1;
	bytes_printf(out, HEAD "%s", is_first ? TAG : TAG2);
	zlib_deflate(&packed, tree, len, 6);
	(is_first ? base64_encode : base91_encode)(out, packed.data, packed.len);
	bytes_printf(out, "</metadata></svg>\n");
	bytes_release(&packed);
}

/* "", "f" and "m"; frames 0 and f in module m; nodes all (which is f too) and f below it. */
#define STRINGS "\x01\x03\x04\nf\nm"
#define FRAMES	"\x02\x00\x02\x00\x04\x00\x00\x00\x07\x06\x00"
#define TREE	STRINGS FRAMES

static void small_trees(void **state)
{
	static const char good[] = TREE "\x02\x05"  /* two nodes, 5 a sample */
					"\x00\x00"  /* pops */
					"\x00\x00"  /* calls: new ones */
					"\x00\x02"  /* callees: frame 1, and again */
					"\x00\x02"  /* samples */
					"\x00\x02"; /* 10 + 1 */
	struct bytes file = { 0 };
	struct error err = { 0 };
	struct profile p;
	uint32_t warnings;

	(void)state;
	wrap(&file, good, sizeof(good) - 1);
	assert_int_equal(open_bytes(&p, file.data, file.len, &warnings, &err), 0);
	assert_int_equal(p.samples.len, 2);
	assert_int_equal(p.samples.data[0].weight + p.samples.data[1].weight, 11);
	assert_string_equal(profile_str(&p, p.events.data[0].name), "a &\"<>'");
	assert_string_equal(profile_str(&p, p.functions.data[0].name), "f");
	assert_int_equal(p.functions.data[0].line, 7);
	profile_release(&p);
	/* Cut anywhere, it is damaged. */
	for (size_t len = 0; len < sizeof(good) - 1; len++) {
		wrap(&file, good, len);
		assert_int_equal(open_bytes(&p, file.data, file.len, &warnings, &err), -1);
		assert_string_equal(strchr(err.text, ':'), ": the tree in it is damaged");
	}
	bytes_release(&file);
}

static void damaged_trees(void **state)
{
	static const struct {
		const char *tree;
		size_t len;
	} rows[] = {

#define ROW(tree) { tree, sizeof(tree) - 1 }
		ROW("\x03\x03\x04\nf\nm" FRAMES "\x01\x00\x00\x00\x02\x00\x00"), /* version */
		ROW("\x01\x04\x04\nf\nm" FRAMES "\x01\x00\x00\x00\x02\x00\x00"), /* strings */
		ROW(STRINGS "\x02\x00\x06\x00\x04\x00\x00\x00\x07\x06\x00"
			    "\x01\x00\x00\x00\x02\x00\x00"),	 /* string of a frame */
		ROW(STRINGS "\x00\x01\x00\x00\x00\x02\x00\x00"), /* no frame */
		ROW(TREE "\x00\x00"),				 /* no node */
		ROW(TREE "\x02\x05\x00\x01\x00\x00\x00\x02\x00\x02\x00\x02"), /* above the root */
		ROW(TREE "\x02\x05\x01\x00\x00\x00\x00\x02\x00\x02\x00\x02"), /* of the root */
		ROW(TREE
		    "\x02\x05\x00\x00\x00\x01\x00\x02\x00\x02\x00\x02"), /* call not made yet */
		ROW(TREE "\x02\x05\x00\x00\x00\x00\x00\x03\x00\x02\x00\x02"), /* no such frame */
		ROW(TREE "\x02\x05\x00\x00\x00\x00\x00\x00\x00\x02\x00\x02"), /* no frame left */
		ROW(TREE "\xff\xff\xff\xff\x7f\x05\x00\x00\x00\x00\x00\x02\x00\x02\x00\x02"),
#undef ROW
	};
	struct bytes file = { 0 };
	struct error err = { 0 };
	struct profile p;
	uint32_t warnings;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		wrap(&file, rows[i].tree, rows[i].len);
		if (open_bytes(&p, file.data, file.len, &warnings, &err) == 0)
			fail_msg("row %zu was read", i);
		assert_string_equal(strchr(err.text, ':'), ": the tree in it is damaged");
	}
	bytes_release(&file);
}

static void beyond_bounds(void **state)
{
	static const char many[] =
		TREE "\x02\x00\x00\x00\x00\x00\x00\x02"
		     "\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"  /* 2^64 - 1 samples */
		     "\x00\xfd\xff\xff\xff\xff\xff\xff\xff\xff\x01"; /* -2^63 + 1 */
	struct bytes file = { 0 };
	struct error err = { 0 };
	struct profile p;
	uint32_t warnings;

	(void)state;
	wrap(&file, many, sizeof(many) - 1);
	assert_int_equal(open_bytes(&p, file.data, file.len, &warnings, &err), 0);
	assert_int_equal(warnings, 2);
	assert_int_equal(p.samples.len, 1);
	assert_int_equal(p.samples.data[0].weight, INT64_MAX);
	profile_release(&p);
	bytes_release(&file);
}

/* Version 2: its metrics, and what is wrong in them. */
static void metrics(void **state)
{
#define FRAMES2 "\x02" STRINGS_2 FRAMES
/* Two threads, 2 slices; two nodes; how many cells each has, then their columns. */
#define CELLS                                              \
	FRAMES2 "\x01\x01\x02\x02\x02\x05"                 \
		"\x02\x02\x01\x02\x03\x04\x02\x01\x05\x04" \
		"\x02\x00\x0a\x14"                         \
		"\x02\x00\x00\x00\x00\x00\x02"
#define STRINGS_2  \
	"\x03\x03" \
	"f\nm"     \
	"\x00\x01\x00\x01\x00"

	static const struct {
		const char *tree;
		size_t len;
		bool good;
	} rows[] = {

#define ROW(tree, good) { tree, sizeof(tree) - 1, good }
		ROW(FRAMES2 "\x01\x01\x02\x02\x00\x05\x00"
			    "\x02\x00\x00\x00\x00\x00\x02\x00\x02\x00\x02",
		    true),
		ROW(FRAMES2 "\x02\x01\x02\x02\x00\x05\x02\x01\x00\x01\x03\x00"
			    "\x02\x00\x00\x00\x00\x00\x02\x00\x02\x00\x02\x00\x03\x00\x02",
		    true),
		ROW(FRAMES2 "\x00\x00\x02\x00\x00\x00\x00\x00\x02\x00\x02\x00\x02",
		    false), /* none */
		ROW(FRAMES2 "\x01\x03\x02\x02\x00\x05\x00"
			    "\x02\x00\x00\x00\x00\x00\x02\x00\x02\x00\x02",
		    false), /* no such name */
		ROW(FRAMES2 "\xff\xff\x7f\x01\x02\x02\x00\x05\x00"
			    "\x02\x00\x00\x00\x00\x00\x02\x00\x02\x00\x02",
		    false), /* more than there are */
		ROW(FRAMES2 "\x02\x01\x02\x02\x00\x05\x02\x01\x00\x01\x03\x00"
			    "\x02\x00\x00\x00\x00\x00\x02\x00\x02\x00\x02\x00\x03\x00",
		    false), /* cut short */
		ROW(CELLS "\x02\x00"
			  "\x00\x01"
			  "\x01\x00"
			  "\x01\x01"
			  "\x02\x00",
		    true),
		ROW(CELLS "\x02\x00"
			  "\x01\x01"
			  "\x01\x00"
			  "\x01\x01"
			  "\x02\x00",
		    false), /* no such thread */
		ROW(CELLS "\x02\x00"
			  "\x00\x01"
			  "\x02\x00"
			  "\x01\x01"
			  "\x02\x00",
		    false), /* no such slice */
		ROW(CELLS "\x03\x00"
			  "\x00\x00\x00"
			  "\x00\x00\x00"
			  "\x01\x01\x01"
			  "\x02\x00\x00",
		    false), /* nor behind two others */
		ROW(CELLS "\xff\xff\xff\x7f\x00"
			  "\x00\x01"
			  "\x01\x00"
			  "\x01\x01"
			  "\x02\x00",
		    false), /* more than there are */
		ROW(CELLS "\x02\x00"
			  "\x00\x01"
			  "\x01\x00"
			  "\x01\x01"
			  "\x02",
		    false), /* cut short */
		ROW(FRAMES2 "\x01\x01\x02\x02\x02\x05\x00"
			    "\x02\x00\x00\x00\x00\x00\x02\x01\x00\x01\x00",
		    false), /* cells of no thread */
		ROW("\x02\x03\x03"
		    "f\nm"
		    "\x00\x01\x00\x04\x00" FRAMES "\x01\x01\x02\x02\x00\x05\x00"
		    "\x02\x00\x00\x00\x00\x00\x02\x00\x02\x00\x02",
		    false), /* no such word */
		ROW("\x02\x03\x03"
		    "f\nm"
		    "\x00\x01\x01\x01\x00\x00" FRAMES "\x01\x01\x02\x02\x00\x05\x00"
		    "\x02\x00\x00\x00\x00\x00\x02\x00\x02\x00\x02",
		    false), /* no next word */
#undef ROW
	};
	struct bytes file = { 0 };
	struct error err = { 0 };
	struct profile p;
	uint32_t warnings;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		wrap(&file, rows[i].tree, rows[i].len);
		bool read = open_bytes(&p, file.data, file.len, &warnings, &err) == 0;
		if (read != rows[i].good)
			fail_msg("row %zu", i);
		if (read)
			assert_string_equal(profile_str(&p, p.events.data[0].name), "f");
		if (read)
			profile_release(&p);
		else
			assert_string_equal(strchr(err.text, ':'), ": the tree in it is damaged");
	}
	bytes_release(&file);
}

/* A tree of two samples, then its recording: six numbers, the strings, an event, the note of module
 * "m", and how a stack ended. */
#define WHOLE                                  \
	FRAMES2 "\x01\x01\x02\x02\x00\x05\x00" \
		"\x02\x00\x00\x00\x00\x00\x02\x00\x02\x00\x02"
#define NUMBERS "\x06\x00\x01\x09\x00\x00\x00"
#define NAMED	"\x01\x02\x00\x00"
#define EVENT	"\x02\x07\x08\x09"
#define NOTES	"\x01\x02\x01"

static void recordings(void **state)
{
	static const struct {
		const char *tree;
		size_t len;
		bool good;
	} rows[] = {

#define ROW(tree, good) { tree, sizeof(tree) - 1, good }
		ROW(WHOLE NUMBERS NAMED EVENT NOTES "\x01\x01\x01\x12\x01", true),
		ROW(WHOLE "\x07\x00\x01\x09\x00\x00\x00\x05" NAMED EVENT NOTES
			  "\x01\x01\x01\x12\x01 and more",
		    true), /* of later versions */
		ROW(WHOLE "\x05\x00\x01\x09\x00\x00" NAMED EVENT NOTES "\x01\x00",
		    false), /* a number is missing */
		ROW(WHOLE "\xff\xff\xff\xff\x7f" NAMED EVENT NOTES "\x01\x00", false),
		ROW(WHOLE NUMBERS "\x01\x03\x00\x00" EVENT NOTES "\x01\x00",
		    false), /* no such string */
		ROW(WHOLE NUMBERS NAMED EVENT "\x01\x02\x03"
					      "\x01\x00",
		    false),
		ROW(WHOLE NUMBERS NAMED EVENT "\xff\xff\xff\x7f\x02\x01"
					      "\x01\x00",
		    false),
		ROW(WHOLE NUMBERS NAMED EVENT NOTES "\x40\x00", false), /* no such end */
		ROW(WHOLE NUMBERS NAMED EVENT NOTES "\x01\x01\x01\x40\x01", false),
		ROW(WHOLE NUMBERS NAMED EVENT NOTES "\x01\x01\x02\x02\x01",
		    false), /* no such node */
		ROW(WHOLE NUMBERS NAMED EVENT NOTES "\x01\x01\x01\x02\x03",
		    false), /* more than it has samples */
		ROW(WHOLE NUMBERS NAMED EVENT NOTES "\x01\x02\x01\x02\x01\x00\x03\x02",
		    false), /* the same, in two */
		ROW(WHOLE NUMBERS NAMED EVENT NOTES
		    "\x01\x02\x01\x02\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x03\x01",
		    false),							/* back to node 0 */
		ROW(WHOLE NUMBERS NAMED EVENT NOTES "\x01\x01\x01\x02", false), /* cut short */
#undef ROW
	};
	struct bytes file = { 0 };
	struct error err = { 0 };
	struct profile p;
	uint32_t warnings;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		wrap(&file, rows[i].tree, rows[i].len);
		if (open_bytes(&p, file.data, file.len, &warnings, &err) < 0) {
			if (rows[i].good)
				fail_msg("row %zu: %s", i, err.text);
			assert_string_equal(strchr(err.text, ':'), ": the tree in it is damaged");
			continue;
		}
		if (!rows[i].good)
			fail_msg("row %zu was read", i);
		assert_string_equal(profile_str(&p, p.runs.data[0].command), "f");
		assert_string_equal(profile_str(&p, p.runs.data[0].tool), "m");
		assert_int_equal(p.runs.data[0].end_ns - p.runs.data[0].start_ns, 9);
		assert_int_equal(p.events.data[0].flags, EVENT_EXCLUDES_USER | EVENT_COUNTED);
		assert_int_equal(p.events.data[0].frequency, 8);
		assert_int_equal(p.samples.len, 2);
		assert_int_equal(p.samples.data[0].weight + p.samples.data[1].weight, 11);
		assert_int_equal(p.samples.data[0].end, END_TRUNCATED);
		assert_int_equal(p.samples.data[0].flags, SAMPLE_GUESSED | SAMPLE_HAS_ROOT);
		assert_int_equal(p.samples.data[1].end, END_ROOT);
		assert_int_equal(p.samples.data[1].flags, 0);
		for (size_t k = 0; k < p.modules.len; k++)
			if (strcmp(profile_str(&p, p.modules.data[k].path), "m") == 0)
				assert_string_equal(profile_str(&p, p.modules.data[k].note), "f");
		profile_release(&p);
	}
	bytes_release(&file);
}

static void expect_error(const char *text, const char *error)
{
	struct error err = { 0 };
	struct profile p;
	uint32_t warnings;

	assert_int_equal(open_bytes(&p, text, strlen(text), &warnings, &err), -1);
	assert_string_equal(strchr(err.text, ':'), error);
}

static void no_tree(void **state)
{
	(void)state;
	expect_error(HEAD "</svg>", ": the flame graph is cut short, or shows no samples");
	expect_error(HEAD "<metadata class=\"prof-tree\"",
		     ": the flame graph is cut short, or shows no samples");
	expect_error(HEAD TAG "eJw=", ": the flame graph is cut short, or shows no samples");
	expect_error(HEAD TAG "eJw</metadata>", ": the tree in it is damaged");
	expect_error(HEAD TAG "eJwh!A==</metadata>", ": the tree in it is damaged");
	expect_error(HEAD TAG "</metadata>", ": the tree in it is damaged");
	expect_error(
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"other\"/>",
		": is not a profile (prof reads its own prof.data, perf.data, what perf script prints, "
		"pprof's profiles, folded stacks and prof's flame graphs)");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_trees),	 cmocka_unit_test(damaged_trees),
		cmocka_unit_test(beyond_bounds), cmocka_unit_test(metrics),
		cmocka_unit_test(recordings),	 cmocka_unit_test(no_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
