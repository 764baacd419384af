/* Event names: a table of texts and what they mean, a made-up sysfs and tracefs, and hostile texts.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "event/open.h"
#include "event/spec_source.h"
#include "fake_sysfs.h"
#include "tests.h"

#define CACHE(id, op, result)                                                              \
	((uint64_t)PERF_COUNT_HW_CACHE_##id | (uint64_t)PERF_COUNT_HW_CACHE_OP_##op << 8 | \
	 (uint64_t)PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct row {
	const char *text;
	uint32_t type;
	uint64_t config;
	const char *name; /* NULL: as the text */
} rows[] = {
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, NULL },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, NULL },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, NULL },
	{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page-faults" },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, NULL },
	{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, "context-switches" },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, NULL },
	{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, "cpu-migrations" },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, NULL },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, NULL },
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, NULL },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, NULL },
	{ "bpf-output", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT, NULL },
	{ "cgroup-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES, NULL },
	{ "dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, NULL },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, NULL },
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles" },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, NULL },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, NULL },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, NULL },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, NULL },
	{ "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	  "branches" },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, NULL },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, NULL },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, NULL },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
	  NULL },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
	  NULL },
	{ "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS), NULL },
	{ "L1-icache-loads", PERF_TYPE_HW_CACHE, CACHE(L1I, READ, ACCESS), NULL },
	{ "LLC-store-misses", PERF_TYPE_HW_CACHE, CACHE(LL, WRITE, MISS), NULL },
	{ "dTLB-prefetches", PERF_TYPE_HW_CACHE, CACHE(DTLB, PREFETCH, ACCESS), NULL },
	{ "iTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(ITLB, READ, MISS), NULL },
	{ "branch-loads", PERF_TYPE_HW_CACHE, CACHE(BPU, READ, ACCESS), NULL },
	{ "node-prefetch-misses", PERF_TYPE_HW_CACHE, CACHE(NODE, PREFETCH, MISS), NULL },
	{ "r01c2", PERF_TYPE_RAW, 0x01c2, NULL },
	{ "rFFFFffffFFFFffff", PERF_TYPE_RAW, UINT64_MAX, NULL },
	{ "l1d-loads", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, ACCESS), "L1-dcache-loads" },
	{ "L1-d-misses", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS), "L1-dcache-load-misses" },
	{ "l2-refs", PERF_TYPE_HW_CACHE, CACHE(LL, READ, ACCESS), "LLC-loads" },
	{ "llc-write-miss", PERF_TYPE_HW_CACHE, CACHE(LL, WRITE, MISS), "LLC-store-misses" },
	{ "d-tlb-load-misses", PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, MISS), "dTLB-load-misses" },
	{ "bpu-loads-misses", PERF_TYPE_HW_CACHE, CACHE(BPU, READ, MISS), "branch-load-misses" },
	{ "instruction-tlb-reads", PERF_TYPE_HW_CACHE, CACHE(ITLB, READ, ACCESS), "iTLB-loads" },
	{ " task-clock\t", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "task-clock" },
};

static void test_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct event_list list = { 0 };
		struct error err = { 0 };
		if (event_parse(&list, rows[i].text, &err) < 0)
			fail_msg("%s: %s", rows[i].text, err.text);
		assert_int_equal(list.items.len, 1);
		const struct event_spec *s = &list.items.data[0];
		assert_int_equal(s->type, rows[i].type);
		assert_int_equal(s->config, rows[i].config);
		assert_string_equal(s->name, rows[i].name ? rows[i].name : rows[i].text);
		assert_int_equal(s->is_clock, strstr(s->name, "-clock") != NULL);
		assert_false(s->exclude_user || s->exclude_kernel || s->exclude_hv);
		event_list_release(&list);
	}
}

static void test_modifiers(void **state)
{
	static const struct {
		const char *text;
		bool user, kernel, hv;
		unsigned precise;
	} mods[] = {
		{ "task-clock:u", true, false, false, 0 }, { "cycles:k", false, true, false, 0 },
		{ "cycles:uk", true, true, false, 0 },	   { "cycles:h", false, false, true, 0 },
		{ "cycles:p", true, true, true, 1 },	   { "cycles:upp", true, false, false, 2 },
		{ "cycles:ppp", true, true, true, 3 },	   { "cycles:P", true, true, true, 3 },
		{ "r1a2:u", true, false, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(mods); i++) {
		struct event_list list = { 0 };
		assert_int_equal(event_parse(&list, mods[i].text, NULL), 0);
		const struct event_spec *s = &list.items.data[0];
		assert_string_equal(s->name, mods[i].text);
		assert_int_equal(!s->exclude_user, mods[i].user);
		assert_int_equal(!s->exclude_kernel, mods[i].kernel);
		assert_int_equal(!s->exclude_hv, mods[i].hv);
		assert_int_equal(s->precise, mods[i].precise);
		event_list_release(&list);
	}
}

static void test_lists_append(void **state)
{
	struct event_list list = { 0 };

	(void)state;
	assert_int_equal(event_parse(&list, "cs, cycles:u,r1", NULL), 0);
	assert_int_equal(event_parse(&list, "faults", NULL), 0);
	assert_int_equal(list.items.len, 4);
	assert_string_equal(list.items.data[1].name, "cycles:u");
	assert_string_equal(list.items.data[3].name, "page-faults");
	event_list_release(&list);
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *in_error;
	} bad[] = {
		{ "", "missing" },
		{ "cycles,", "missing" },
		{ ",cycles", "missing" },
		{ "task-clok", "task-clock" },
		{ "cycle:u", "did you mean cycles" },
		{ "instuctions", "did you mean instructions" },
		{ "cycles:pppp", "three p" },
		{ "iTLB-stores", "no event \"iTLB-stores\"" },
		{ "r", "no event" },
		{ "r00112233445566778", "no event" },
		{ "r12xyz", "no event" },
		{ "mem:0x1000:rw", "breakpoint" },
		{ "breakpoint/config=1/", "breakpoint" },
		{ "{", "no closing }" },
		{ "{}", "empty" },
		{ "{ }:u", "empty" },
		{ "{cycles", "no closing }" },
		{ "cycles}", "brace without its partner" },
		{ "{cycles}}", "only modifiers can follow" },
		{ "{cycles}instructions", "only modifiers can follow" },
		{ "{cycles}:", "only modifiers can follow" },
		{ "{cycles}:ux", "only modifiers can follow" },
		{ "{cycles,{cs,r1}}", "cannot hold another" },
		{ "{cycles,}", "missing" },
		{ "{,cycles}", "missing" },
		{ "{cycles,,r1}", "missing" },
		{ "{cycles,cyclse}", "no event \"cyclse\"" },
		{ "{cycles,r1:D}", "first event" },
		{ "{cycles:pp}:pp", "three p" },
		{ "task-clock:p", "for hardware events" },
		{ "cycles:x", "takes no such modifier" },
		{ "cycles:", "takes no such modifier" },
		{ "cpu/event=1", "no closing /" },
		{ "duration_time", "prof stat" },
		{ "uprobe:x", "perf probe" },
		{ "uprobe/config=1/", "p" },
		{ "nopmu/event=1/", "no PMU \"nopmu\"" },
		{ "\x1b[31m", "\\x1b[31m" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct event_list list = { 0 };
		struct error err = { 0 };
		if (event_parse(&list, bad[i].text, &err) == 0 ||
		    !strstr(err.text, bad[i].in_error))
			fail_msg("%s: %s", bad[i].text, err.text);
		event_list_release(&list);
	}
}

/* name:group:asked of each item, after a task-clock that stood there before. */
static const struct {
	const char *text, *items;
} groups[] = {
	{ "{cycles,instructions}", "cycles:2:2 instructions:2:3 " },
	{ " { cycles , instructions } , cs", "cycles:2:2 instructions:2:3 context-switches:3:4 " },
	{ "cs,{cycles:k,faults}:u,{r1}",
	  "context-switches:2:2 cycles:ku:3:3 page-faults:u:3:4 r1:4:5 " },
	{ "{cycles,faults,r1}:ppD", "cycles:ppD:2:2 page-faults:2:3 r1:pp:2:4 " },
	{ "{cycles:p,cycles}:p", "cycles:pp:2:2 cycles:p:2:3 " },
	{ "{cycles:D,r1:W}:S", "cycles:DS:2:2 r1:WS:2:3 " },
	{ "{task-clock,page-faults}", "task-clock:2:2 page-faults:2:3 " },
};

static void test_groups(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
		struct event_list list = { 0 };
		struct bytes b = { 0 };
		struct error err = { 0 };
		assert_int_equal(event_parse(&list, "task-clock", NULL), 0);
		if (event_parse(&list, groups[i].text, &err) < 0)
			fail_msg("%s: %s", groups[i].text, err.text);
		for (size_t k = 1; k < list.items.len; k++)
			bytes_printf(&b, "%s:%u:%u ", list.items.data[k].name,
				     list.items.data[k].group, list.items.data[k].asked);
		bytes_u8(&b, 0);
		assert_string_equal((const char *)b.data, groups[i].items);
		bytes_release(&b);
		event_list_release(&list);
	}
}

static void test_group_modifiers(void **state)
{
	struct event_list list = { 0 };
	const struct event_spec *s;

	(void)state;
	assert_int_equal(event_parse(&list, "{cycles:k,faults}:uDe,cycles:GI,cycles:GH", NULL), 0);
	s = list.items.data;
	assert_true(!s[0].exclude_user && !s[0].exclude_kernel && s[0].exclude_hv);
	assert_true(s[0].pinned && s[0].exclusive);
	assert_true(!s[1].exclude_user && s[1].exclude_kernel && s[1].exclude_hv);
	assert_false(s[1].pinned || s[1].exclusive || s[1].count_guest);
	assert_true(s[2].count_guest && s[2].exclude_host && s[2].exclude_idle);
	assert_true(s[3].count_guest && !s[3].exclude_host && !s[3].exclude_idle);
	event_list_release(&list);
}

static int make_tree(void **state)
{
	char *root = fake_root();

	fake_file(root, "cpu/type", "4\n");
	fake_file(root, "cpu/format/event", "config:0-7,32-35\n");
	fake_file(root, "cpu/format/umask", "config:8-15\n");
	fake_file(root, "cpu/format/inv", "config:23\n");
	fake_file(root, "cpu/format/ldlat", "config1:0-15\n");
	fake_file(root, "cpu/format/broken", "config:9-70\n");
	fake_file(root, "cpu/format/odd", "elsewhere:1\n");
	fake_file(root, "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	fake_file(root, "cpu/events/loop", "loop\n");
	fake_file(root, "cpu/events/mem-loads.unit", "loads\n");
	fake_file(root, "events/sched/sched_switch/id", "315\n");
	fake_file(root, "events/sched/enable", "0\n");
	fake_file(root, "events/ftrace/bprint/format", "name: bprint\n"); /* without number */
	*state = root;
	return 0;
}

static void test_pmu_terms(void **state)
{
	static const struct {
		const char *text;
		uint64_t config, config1, config2;
	} good[] = {
		{ "cpu/event=0x3c,umask=1/", 0x13c, 0, 0 },
		{ "cpu/event=0xf3c/", 0xf0000003c, 0, 0 },
		{ "cpu/inv/", 0x800000, 0, 0 },
		{ "cpu/mem-loads/", 0x1cd, 3, 0 },
		{ "cpu/mem-loads,ldlat=30/", 0x1cd, 30, 0 },
		{ "cpu/config=5,config1=6,config2=7,name=x/", 5, 6, 7 },
		{ "mem-loads", 0x1cd, 3, 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		struct event_list list = { 0 };
		struct error err = { 0 };
		if (spec_pmu_resolve(*state, good[i].text, &list, &err) != SPEC_FOUND)
			fail_msg("%s: %s", good[i].text, err.text);
		assert_int_equal(list.items.len, 1);
		const struct event_spec *spec = &list.items.data[0];
		assert_int_equal(spec->type, 4);
		assert_int_equal(spec->config, good[i].config);
		assert_int_equal(spec->config1, good[i].config1);
		assert_int_equal(spec->config2, good[i].config2);
		event_list_release(&list);
	}
}

static void test_pmu_refusals(void **state)
{
	static const struct {
		const char *text;
		enum spec_answer answer;
	} bad[] = {
		{ "cpu/umask=0x100/", SPEC_ERROR },
		{ "cpu/event=0x1000/", SPEC_ERROR },
		{ "cpu/nothing=1/", SPEC_ERROR },
		{ "cpu/nothing/", SPEC_ERROR },
		{ "cpu/umask=/", SPEC_ERROR },
		{ "cpu/umask=x/", SPEC_ERROR },
		{ "cpu/broken=1/", SPEC_ERROR },
		{ "cpu/odd=1/", SPEC_ERROR },
		{ "cpu/loop/", SPEC_ERROR },
		{ "cpu/../cpu/type/", SPEC_NOT_MINE },
		{ "../cpu/event=1/", SPEC_NOT_MINE },
		{ "cpu/.hidden=1/", SPEC_ERROR },
		{ "cpu/event=1", SPEC_NOT_MINE },
		{ "cpu/", SPEC_NOT_MINE },
		{ "/", SPEC_NOT_MINE },
		{ "//", SPEC_NOT_MINE },
		{ "mem-stores", SPEC_NOT_MINE },
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct event_list list = { 0 };
		enum spec_answer answer = spec_pmu_resolve(*state, bad[i].text, &list, NULL);
		if (answer != bad[i].answer)
			fail_msg("%s: %d", bad[i].text, (int)answer);
		assert_int_equal(list.items.len, 0);
	}
}

static void test_tracepoints(void **state)
{
	static const char *const not_there[] = {
		"sched:",      ":sched_switch", "sched:sched",	       "../events:sched",
		"sched:../id", "sched",		"sched:sched_switch:x"
	};
	struct event_spec spec = { 0 };

	assert_int_equal(spec_tracepoint_resolve(*state, "sched:sched_switch", &spec), SPEC_FOUND);
	assert_int_equal(spec.type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(spec.config, 315);
	assert_string_equal(spec.name, "sched:sched_switch");
	free(spec.name);
	for (size_t i = 0; i < ARRAY_LEN(not_there); i++)
		assert_int_equal(spec_tracepoint_resolve(*state, not_there[i], &spec),
				 SPEC_NOT_MINE);
	assert_int_equal(spec_tracepoint_resolve(NULL, "sched:sched_switch", &spec), SPEC_NOT_MINE);
}

static void test_tracepoint_pattern(void **state)
{
	struct event_list list = { 0 };
	struct error err = { 0 };

	(void)state;
	assert_int_equal(event_parse(&list, "nosuch:*", NULL), -1);
	if (event_parse(&list, "sched:sched_swi*,cs,sched:sched_process_e?it", &err) < 0) {
		print_message("skipped: %s\n", err.text);
		skip();
	}
	assert_int_equal(list.items.len, 3);
	assert_string_equal(list.items.data[0].name, "sched:sched_switch");
	assert_string_equal(list.items.data[2].name, "sched:sched_process_exit");
	assert_int_equal(list.items.data[2].type, PERF_TYPE_TRACEPOINT);
	event_list_release(&list);
}

static int append_name(void *ctx, const struct event_name *n)
{
	bytes_printf(ctx, "%s %s;", n->name, n->kind);
	return 0;
}

static void test_lists_of_a_tree(void **state)
{
	struct bytes b = { 0 };
	struct name_sink sink = { .each = append_name, .ctx = &b };

	spec_pmu_each(*state, &sink);
	spec_tracepoint_each(*state, &sink);
	bytes_u8(&b, 0);
	assert_string_equal((const char *)b.data,
			    "cpu/TERM=N,.../ pmu;cpu/loop/ pmu;cpu/mem-loads/ pmu;"
			    "sched:sched_switch tracepoint;");
	bytes_release(&b);
}

static int parse_tracepoint(void *ctx, const struct event_name *n)
{
	struct event_list list = { 0 };
	struct error err = { 0 };
	size_t *count = ctx;

	if (strcmp(n->kind, "tracepoint") != 0)
		return 0;
	if (event_parse(&list, n->name, &err) < 0)
		fail_msg("%s is listed: %s", n->name, err.text);
	event_list_release(&list);
	(*count)++;
	return 0;
}

static void test_listed_tracepoints_can_be_parsed(void **state)
{
	struct event_list list = { 0 };
	size_t count = 0;

	(void)state;
	if (event_parse(&list, "sched:sched_switch", NULL) < 0)
		skip(); /* tracefs may not be read */
	event_list_release(&list);
	assert_int_equal(event_list_names(NULL, parse_tracepoint, &count, NULL), 0);
	assert_true(count > 10);
}

static int count_names(void *ctx, const struct event_name *n)
{
	size_t *count = ctx;

	assert_true(n->name[0] && n->kind[0] && n->description);
	return ++*count == 1000;
}

/* Every name that is listed can be typed (some unit masks of a processor's tables cannot stand
 * alone). */
static int parse_listed(void *ctx, const struct event_name *n)
{
	struct event_list list = { 0 };
	struct error err = { 0 };

	(void)ctx;
	if (event_parse(&list, n->name, &err) < 0 && !n->is_pattern && !strstr(n->name, "::"))
		fail_msg("%s (%s): %s", n->name, n->kind, err.text);
	event_list_release(&list);
	return 0;
}

static void test_list_names(void **state)
{
	struct bytes b = { 0 };
	size_t count = 0;

	(void)state;
	assert_int_equal(event_list_names("*-clock", append_name, &b, NULL), 0);
	bytes_u8(&b, 0);
	assert_string_equal((const char *)b.data, "task-clock software;cpu-clock software;");
	bytes_release(&b);
	assert_int_equal(event_list_names("TLB", count_names, &count, NULL), 0);
	assert_true(count >= 8);
	count = 0;
	event_list_names(NULL, count_names, &count, NULL);
	assert_true(count > 50);
	event_list_names("cache", parse_listed, NULL, NULL);
	event_list_names("c[ys]*", parse_listed, NULL, NULL);
	event_list_names("/", parse_listed, NULL, NULL);
}

static void test_probe(void **state)
{
	struct event_list list = { 0 };
	struct error err = { 0 };

	(void)state;
	assert_int_equal(event_parse(&list, "task-clock,dummy", NULL), 0);
	if (event_probe(&list.items.data[0], &err) < 0) {
		print_message("skipped: %s\n", err.text);
		event_list_release(&list);
		skip();
	}
	assert_int_equal(event_probe(&list.items.data[1], &err), 0);
	list.items.data[0].config = 0x7fffffff;
	assert_int_equal(event_probe(&list.items.data[0], &err), -1);
	assert_int_not_equal(err.errnum, 0);
	event_list_release(&list);
}

/* Random texts over the characters that mean something: no crash, no leak, always an answer. */
static void test_hostile(void **state)
{
	static const char alphabet[] = "cpu/,:=ukhpPr0x9a-_. \x01\xff%s{}[*";
	uint64_t seed = 7;
	char text[3000];

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct event_list list = { 0 };
		struct error err = { 0 };
		size_t len = (seed = hash_u64(seed + 1)) % (round % 50 ? 24 : sizeof(text));
		for (size_t i = 0; i < len; i++)
			text[i] = alphabet[(seed = hash_u64(seed + 1)) % (sizeof(alphabet) - 1)];
		text[len] = '\0';
		if (event_parse(&list, text, &err) < 0)
			assert_true(err.text[0]);
		event_list_release(&list);
	}
}

int run_spec_tests(void)
{
#define WITH_TREE(fn) cmocka_unit_test_setup_teardown(fn, make_tree, fake_remove)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_modifiers),
		cmocka_unit_test(test_lists_append),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_group_modifiers),
		cmocka_unit_test(test_refused),
		WITH_TREE(test_pmu_terms),
		WITH_TREE(test_pmu_refusals),
		WITH_TREE(test_tracepoints),
		WITH_TREE(test_lists_of_a_tree),
		cmocka_unit_test(test_tracepoint_pattern),
		cmocka_unit_test(test_listed_tracepoints_can_be_parsed),
		cmocka_unit_test(test_list_names),
		cmocka_unit_test(test_probe),
		cmocka_unit_test(test_hostile),
	};
	return cmocka_run_group_tests_name("event spec", tests, NULL, NULL);
}
