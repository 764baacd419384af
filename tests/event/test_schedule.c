/* Cutting groups that cannot be counted at once, by machines with few counters; and the kernel's
 * own answer for events that always fit. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "event/attr.h"
#include "event/schedule.h"
#include "tests.h"

/* So many general counters, and one that counts cycles only. */
struct machine {
	size_t counters;
	bool cycles_apart;
};

static bool fits(void *ctx, const struct event_spec *events, size_t count)
{
	const struct machine *m = ctx;
	size_t used = 0;
	bool had_cycles = false;

	for (size_t i = 0; i < count; i++) {
		bool is_cycles = events[i].type == PERF_TYPE_HARDWARE && events[i].config == 0;
		if (events[i].type == PERF_TYPE_SOFTWARE)
			continue;
		if (m->cycles_apart && is_cycles && !had_cycles)
			had_cycles = true;
		else
			used++;
	}
	return used <= m->counters;
}

/* "2:a,b 3:c " and the notes after it. */
static void split(const char *text, struct machine machine, const char *expected)
{
	struct event_group_tester tester = { .fits = fits, .ctx = &machine };
	struct event_list list = { 0 };
	struct bytes notes = { 0 }, b = { 0 };

	assert_int_equal(event_parse(&list, text, NULL), 0);
	event_groups_fit(&list, &tester, &notes);
	for (size_t i = 0; i < list.items.len; i += event_group_length(&list, i)) {
		bytes_printf(&b, "%u", list.items.data[i].group);
		for (size_t k = 0; k < event_group_length(&list, i); k++)
			bytes_printf(&b, "%s%s%s", k ? "," : ":", list.items.data[i + k].name,
				     list.items.data[i + k].pinned ? "!" : "");
		bytes_u8(&b, ' ');
	}
	bytes_printf(&b, "%.*s", (int)notes.len, notes.len ? (const char *)notes.data : "");
	bytes_u8(&b, 0);
	assert_string_equal((const char *)b.data, expected);
	bytes_release(&notes);
	bytes_release(&b);
	event_list_release(&list);
}

#define WHY                                                                                 \
	" cannot be counted at once (too few counters here, or one is held, as by the NMI " \
	"watchdog): counted as "

static void test_split(void **state)
{
	(void)state;
	split("{r1,r2,r3},r4,r5,r6", (struct machine){ 3, false }, "1:r1,r2,r3 2:r4 3:r5 4:r6 ");
	split("{r1,r2,r3,r4,r5},cs", (struct machine){ 2, false },
	      "1:r1,r2 3:r3,r4 4:r5 2:context-switches {r1,r2,r3,r4,r5}" WHY
	      "{r1,r2}, {r3,r4}, {r5}, in turns\n");
	split("cs,{cycles,r1,faults,r2,r3}:D", (struct machine){ 2, true },
	      "1:context-switches 2:cycles:D!,r1,page-faults,r2 3:r3 {cycles:D,r1,page-faults,r2,r3}" WHY
	      "{cycles:D,r1,page-faults,r2}, {r3}, in turns\n");
	split("{cycles,instructions}", (struct machine){ 0, false },
	      "1:cycles 2:instructions {cycles,instructions}" WHY
	      "{cycles}, {instructions}, in turns\n");
	split("{cs,faults,migrations}", (struct machine){ 0, false },
	      "1:context-switches,page-faults,cpu-migrations ");
	split("{r1,r2},{r3,r4}", (struct machine){ 1, false },
	      "1:r1 3:r2 2:r3 4:r4 {r1,r2}" WHY "{r1}, {r2}, in turns\n{r3,r4}" WHY
	      "{r3}, {r4}, in turns\n");
}

static void test_kernel_fits_software(void **state)
{
	struct event_list list = { 0 };
	struct bytes notes = { 0 };

	(void)state;
	assert_int_equal(event_parse(&list, "{task-clock:u,page-faults:u,dummy:u}", NULL), 0);
	event_groups_fit(&list, &event_group_kernel, &notes);
	assert_int_equal(notes.len, 0);
	assert_int_equal(event_group_length(&list, 0), 3);
	bytes_release(&notes);
	event_list_release(&list);
}

static void test_precise_falls(void **state)
{
	struct event_list list = { 0 };
	struct perf_event_attr attr;
	struct record_layout layout;

	(void)state;
	assert_int_equal(event_parse(&list, "cycles:uppp,instructions:P,r1:pp,task-clock", NULL),
			 0);
	attr_fill_spec(&attr, &list.items.data[0]);
	assert_int_equal(attr.precise_ip, 3);
	assert_true(attr_ask_less(&attr, EOPNOTSUPP) && attr_ask_less(&attr, EOPNOTSUPP));
	attr_layout(&attr, &layout);
	assert_int_equal(layout.precise, 1);
	assert_true(attr_ask_less(&attr, ENOENT));
	assert_false(attr_ask_less(&attr, ENOENT));

	event_spec_set_precise(&list.items.data[0], 1);
	assert_string_equal(list.items.data[0].name, "cycles:up");
	assert_string_equal(list.items.data[0].asked_name, "cycles:up");
	event_spec_set_precise(&list.items.data[1], 0);
	assert_string_equal(list.items.data[1].name, "instructions");
	assert_int_equal(list.items.data[1].precise, 0);
	event_spec_set_precise(&list.items.data[2], 1);
	assert_string_equal(list.items.data[2].name, "r1:p");
	event_list_release(&list);
}

static void test_precise_level_here(void **state)
{
	struct event_list list = { 0 };

	(void)state;
	assert_int_equal(event_parse(&list, "task-clock:u,cycles:uppp", NULL), 0);
	if (event_probe(&list.items.data[0], NULL) == 0)
		assert_int_equal(event_precise_level(&list.items.data[0], false), 0);
	int level = event_precise_level(&list.items.data[1], false);
	assert_int_equal(level >= 0, event_probe(&list.items.data[1], NULL) == 0);
	event_list_release(&list);
}

int run_schedule_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_kernel_fits_software),
		cmocka_unit_test(test_precise_falls),
		cmocka_unit_test(test_precise_level_here),
	};
	return cmocka_run_group_tests_name("event schedule", tests, NULL, NULL);
}
