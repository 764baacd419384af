/* Epochs: ids start anew, equal rows become one, later rows say what is newer. */
#include <string.h>

#include "compare.h"
#include "groups.h"
#include "synthetic.h"

struct recording {
	int fd;
	struct profile_writer *w;
	struct profile p;
	struct profile_read_report report;
};

static void start(struct recording *r)
{
	r->fd = sink_open();
	r->w = sink_writer(r->fd);
}

static void finish(struct recording *r)
{
	struct bytes file = { 0 };

	assert_int_equal(profile_writer_finish(r->w, NULL), 0);
	profile_writer_free(r->w);
	sink_read(r->fd, &file);
	read_profile(&file, &r->p, &r->report);
	assert_int_equal(r->report.missing_rows + r->report.damaged_chunks, 0);
	bytes_release(&file);
}

static uint32_t add_module(struct profile_writer *w, const char *path, uint8_t kind,
			   uint8_t symbols)
{
	struct profile_module m = { .path = profile_writer_add_str(w, path),
				    .build_id = profile_writer_add_str(w, "aa"),
				    .kind = kind,
				    .symbols = symbols };

	return profile_writer_add_module(w, &m);
}

static void test_equal_rows_become_one(void **state)
{
	struct recording r;

	(void)state;
	start(&r);
	for (int epoch = 0; epoch < 3; epoch++) {
		profile_writer_add_str(r.w, epoch & 1 ? "shifts the string ids" : "x");
		uint32_t a = add_module(r.w, "/bin/a", MODULE_FILE, SYMBOLS_NONE);
		uint32_t b = add_module(r.w, "/bin/a", MODULE_ANON, SYMBOLS_NONE);
		struct profile_space space = { 10, 1, epoch == 1 ? 99 : 0 };
		uint32_t s = profile_writer_add_space(r.w, &space);
		struct profile_task task = { .pid = 10,
					     .tid = 10,
					     .start_ns = 1,
					     .space = s,
					     .comm = profile_writer_add_str(r.w, "a") };
		uint32_t t = profile_writer_add_task(r.w, &task);
		struct profile_mapping m = { s, b, 4096, 4096, 0, 1, 0 };
		profile_writer_add_mapping(r.w, &m);
		struct profile_event event = { .name = profile_writer_add_str(r.w, "cycles") };
		uint32_t e = profile_writer_add_event(r.w, &event);
		uint32_t root = profile_writer_add_node(r.w, PROFILE_NONE, a, 16, FRAME_CFI);
		uint32_t leaf =
			profile_writer_add_node(r.w, root, b, 32 + (uint64_t)epoch, FRAME_JIT);
		struct profile_sample sample = { .time_ns = 5,
						 .task = t,
						 .node = leaf,
						 .leaf_module = a,
						 .event = (uint16_t)e,
						 .end = END_ROOT };
		profile_writer_add_sample(r.w, &sample);
		profile_writer_add_note(r.w, "the same every time");
		assert_int_equal(profile_writer_epoch(r.w), epoch + 1);
		assert_int_equal(profile_writer_begin_epoch(r.w, NULL), 0);
	}
	finish(&r);
	assert_int_equal(r.report.epochs, 4);
	assert_int_equal(r.p.modules.len, 2);
	assert_int_equal(r.p.spaces.len, 1);
	assert_int_equal(r.p.spaces.data[0].end_ns, 99); /* an end once known stays */
	assert_int_equal(r.p.tasks.len, 1);
	assert_int_equal(r.p.mappings.len, 1);
	assert_int_equal(r.p.mappings.data[0].module, 1);
	assert_int_equal(r.p.events.len, 1);
	assert_int_equal(r.p.nodes.len, 4); /* one root, three leaves */
	assert_int_equal(r.p.notes.len, 1);
	assert_int_equal(r.p.samples.len, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct profile_node *n = &r.p.nodes.data[r.p.samples.data[i].node];
		assert_int_equal(n->address, 32 + i);
		assert_int_equal(n->parent, 0);
		assert_int_equal(r.p.samples.data[i].end, END_ROOT);
	}
	profile_release(&r.p);
}

/* The same alias is one row, in the epoch and over epochs, at the function that is one itself. */
static void test_aliases_stay_with_their_function(void **state)
{
	const struct profile_symbol_alias aliases[] = {
		{ .name = "__f", .relation = ALIAS_NAME, .flags = 2 },
		{ .name = "g", .relation = ALIAS_FOLDED },
	};
	const struct profile_symbol_frame other = { .name = "other" };
	const struct profile_symbol_frame f = { .name = "f", .aliases = aliases, .alias_count = 2 };
	struct recording r;
	uint32_t count;

	(void)state;
	start(&r);
	for (int epoch = 0; epoch < 3; epoch++) {
		uint32_t a = add_module(r.w, "/bin/a", MODULE_FILE, SYMBOLS_SYMTAB);
		if (epoch == 1)
			profile_writer_add_location(r.w, a, 8, &other, 1); /* shifts the ids */
		profile_writer_add_location(r.w, a, 16, &f, 1);
		profile_writer_add_location(r.w, a, 17, &f, 1);
		profile_writer_begin_epoch(r.w, NULL);
	}
	finish(&r);
	assert_int_equal(r.p.functions.len, 2);
	assert_int_equal(r.p.aliases.len, 2);
	assert_int_equal(profile_find_aliases(&r.p, 0, &count), 0);
	assert_int_equal(count, 2);
	assert_string_equal(profile_str(&r.p, r.p.functions.data[0].name), "f");
	assert_string_equal(profile_str(&r.p, r.p.aliases.data[0].name), "__f");
	assert_int_equal(r.p.aliases.data[0].flags, 2);
	assert_string_equal(profile_str(&r.p, r.p.aliases.data[1].name), "g");
	assert_int_equal(r.p.aliases.data[1].relation, ALIAS_FOLDED);
	profile_find_aliases(&r.p, 1, &count);
	assert_int_equal(count, 0);
	profile_release(&r.p);
}

static void test_updates_replace(void **state)
{
	struct recording r;

	(void)state;
	start(&r);
	struct profile_run run = { .start_ns = 7, .exit_status = -1, .machine = PROFILE_NONE };
	struct profile_event event = { .name = profile_writer_add_str(r.w, "cycles") };
	struct profile_task task = { .pid = 1, .tid = 2, .space = PROFILE_NONE };
	struct profile_module module = { .path = profile_writer_add_str(r.w, "/a"),
					 .kind = MODULE_FILE };
	uint32_t run_id = profile_writer_add_run(r.w, &run);
	uint32_t event_id = profile_writer_add_event(r.w, &event);
	uint32_t task_id = profile_writer_add_task(r.w, &task);
	task.tid = 3;
	profile_writer_add_task(r.w, &task);
	uint32_t module_id = profile_writer_add_module(r.w, &module);
	event.exact_total = 5;
	profile_writer_update_event(r.w, event_id, &event); /* before its first flush */
	profile_writer_flush(r.w, NULL);
	run.end_ns = 100;
	run.exit_status = 3;
	profile_writer_update_run(r.w, run_id, &run);
	task.tid = 2;
	task.end_ns = 50;
	profile_writer_update_task(r.w, task_id, &task);
	module.symbols = SYMBOLS_DYNSYM;
	module.build_id = profile_writer_add_str(r.w, "bb"); /* even what it is known by */
	profile_writer_update_module(r.w, module_id, &module);
	profile_writer_update_module(r.w, 12345, &module); /* no such row: nothing happens */
	profile_writer_flush(r.w, NULL);
	event.exact_total = 9;
	profile_writer_update_event(r.w, event_id, &event);
	event.exact_total = 10;
	profile_writer_update_event(r.w, event_id, &event);
	finish(&r);
	assert_int_equal(r.p.runs.len, 1);
	assert_int_equal(r.p.runs.data[0].end_ns, 100);
	assert_int_equal(r.p.runs.data[0].exit_status, 3);
	assert_int_equal(r.p.events.len, 1);
	assert_int_equal(r.p.events.data[0].exact_total, 10);
	assert_int_equal(r.p.tasks.len, 2);
	assert_int_equal(r.p.tasks.data[0].end_ns, 50);
	assert_int_equal(r.p.tasks.data[1].end_ns, 0);
	assert_int_equal(r.p.modules.len, 1);
	assert_int_equal(r.p.modules.data[0].symbols, SYMBOLS_DYNSYM);
	assert_string_equal(profile_str(&r.p, r.p.modules.data[0].build_id), "bb");
	profile_release(&r.p);
}

static void test_symbols_outlive_their_epoch(void **state)
{
	struct profile_symbol_frame first = { .name = "f", .file = "f.c", .line = 3 };
	struct profile_symbol_frame second[] = { { .name = "inl", .line = 9 }, { .name = "f" } };
	struct recording r;

	(void)state;
	start(&r);
	uint32_t m = add_module(r.w, "/a", MODULE_FILE, SYMBOLS_SYMTAB);
	profile_writer_add_location(r.w, m, 1, &first, 1);
	profile_writer_add_location(r.w, m, 2, &first, 1);
	profile_writer_begin_epoch(r.w, NULL);
	m = add_module(r.w, "/a", MODULE_FILE, SYMBOLS_NONE);
	profile_writer_add_location(r.w, m, 1, NULL, 0);   /* not found this time */
	profile_writer_add_location(r.w, m, 2, second, 2); /* found better */
	profile_writer_add_location(r.w, m, 3, &first, 1);
	finish(&r);
	assert_int_equal(r.p.modules.data[0].symbols, SYMBOLS_SYMTAB);
	assert_int_equal(r.p.locations.len, 3);
	assert_int_equal(r.p.locations.data[0].frame_count, 1);
	assert_int_equal(r.p.locations.data[1].frame_count, 2);
	const struct profile_frame *f = &r.p.frames.data[r.p.locations.data[1].first_frame];
	assert_string_equal(profile_str(&r.p, r.p.functions.data[f[0].function].name), "inl");
	assert_int_equal(f[0].line, 9);
	assert_string_equal(profile_str(&r.p, r.p.functions.data[f[1].function].name), "f");
	/* f in f.c is one function, f without a file another, inl the third. */
	assert_int_equal(r.p.functions.len, 3);
	profile_release(&r.p);
}

static void test_excerpts_are_kept_once(void **state)
{
	struct recording r;

	(void)state;
	start(&r);
	for (int epoch = 0; epoch < 2; epoch++) {
		uint32_t m = add_module(r.w, "/a", MODULE_FILE, SYMBOLS_NONE);
		profile_writer_add_code(r.w, m, 64, "\x90\xc3\xcc", 2 + (uint32_t)epoch);
		profile_writer_add_source(r.w, "a.c", 10, SOURCE_IS_NEWER, "one\ntwo\n", 8);
		profile_writer_begin_epoch(r.w, NULL);
	}
	finish(&r);
	assert_int_equal(r.p.code.len, 1);
	assert_int_equal(r.p.code.data[0].length, 3); /* the longer one */
	assert_memory_equal(r.p.blob.data + r.p.code.data[0].offset, "\x90\xc3\xcc", 3);
	assert_int_equal(r.p.sources.len, 1);
	assert_int_equal(r.p.sources.data[0].flags, SOURCE_IS_NEWER);
	assert_memory_equal(r.p.blob.data + r.p.sources.data[0].offset, "one\ntwo\n", 8);
	profile_release(&r.p);
}

static void test_the_latest_health_wins(void **state)
{
	struct recording r;
	struct profile_health health = { .due = 1, .lost_kernel = 9 };

	(void)state;
	start(&r);
	profile_writer_set_health(r.w, &health);
	profile_writer_flush(r.w, NULL);
	health.due = 2;
	profile_writer_set_health(r.w, &health);
	health.due = 3;
	health.lost_kernel = 0;
	profile_writer_set_health(r.w, &health);
	profile_writer_begin_epoch(r.w, NULL);
	finish(&r);
	assert_int_equal(r.p.health.due, 3);
	assert_int_equal(r.p.health.lost_kernel, 0);
	assert_int_equal(r.p.health.complete, 1);
	profile_release(&r.p);
}

/* Many epochs give the same profile as one, but for the order of rows. */
static void test_many_epochs_give_the_same_as_one(void **state)
{
	struct synthetic s = { .samples = 5000,
			       .samples_per_flush = 100,
			       .leaves = 500,
			       .leaf_span = 50000,
			       .nodes = 400,
			       .names = 1,
			       .counted = 1,
			       .finish = 1,
			       .seed = 5 };
	struct profile_writer_stats stats;
	struct profile_read_report report;
	struct bytes one = { 0 }, many = { 0 };
	struct profile p, q;

	(void)state;
	synthetic_record(&s, &one, &stats);
	s.flushes_per_epoch = 3;
	synthetic_record(&s, &many, &stats);
	read_profile(&one, &p, &report);
	read_profile(&many, &q, &report);
	assert_int_equal(report.epochs, 17);
	assert_true(stats.nodes > q.nodes.len);
	assert_same_profile(&p, &q);
	assert_int_equal(q.counts.len, q.samples.len);
	for (size_t i = 0; i < q.counts.len; i++)
		assert_int_equal(q.counts.data[i].value,
				 q.samples.data[q.counts.data[i].sample].time_ns);
	profile_release(&p);
	profile_release(&q);
	bytes_release(&one);
	bytes_release(&many);
}

static void test_epoch_bytes_start_anew(void **state)
{
	struct recording r;

	(void)state;
	start(&r);
	profile_writer_begin_epoch(r.w, NULL); /* the first alone has two schema chunks */
	uint64_t empty = profile_writer_epoch_bytes(r.w);
	for (uint64_t i = 0; i < 1000; i++)
		profile_writer_add_node(r.w, PROFILE_NONE, 0, i, FRAME_CFI);
	uint64_t waiting = profile_writer_epoch_bytes(r.w);
	assert_true(waiting > empty);
	profile_writer_flush(r.w, NULL);
	assert_true(profile_writer_epoch_bytes(r.w) > empty);
	profile_writer_begin_epoch(r.w, NULL);
	assert_int_equal(profile_writer_epoch_bytes(r.w), empty);
	/* The trie forgot its nodes. */
	assert_int_equal(profile_writer_add_node(r.w, PROFILE_NONE, 0, 999, FRAME_CFI), 0);
	profile_writer_free(r.w);
	struct bytes file = { 0 };
	sink_read(r.fd, &file);
	bytes_release(&file);
}

int test_epochs_group(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_rows_become_one),
		cmocka_unit_test(test_aliases_stay_with_their_function),
		cmocka_unit_test(test_updates_replace),
		cmocka_unit_test(test_symbols_outlive_their_epoch),
		cmocka_unit_test(test_excerpts_are_kept_once),
		cmocka_unit_test(test_the_latest_health_wins),
		cmocka_unit_test(test_many_epochs_give_the_same_as_one),
		cmocka_unit_test(test_epoch_bytes_start_anew),
	};

	return cmocka_run_group_tests_name("epochs", tests, NULL, NULL);
}
