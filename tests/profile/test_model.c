/* Indexing, look-ups, names and the check of ids. */
#include "profile/profile.h"

#include <string.h>

#include "groups.h"
#include "profile/keyset.h"
#include "sample_profile.h"

static void test_samples_are_sorted_stably(void **state)
{
	struct profile p;

	(void)state;
	profile_init(&p);
	for (uint64_t i = 0; i < 1000; i++) {
		struct profile_sample s = { .time_ns = hash_u64(i) % 50, .weight = i };
		vec_push(&p.samples, s);
	}
	profile_index(&p);
	assert_int_equal(p.samples.len, 1000);
	for (size_t i = 1; i < 1000; i++) {
		const struct profile_sample *a = &p.samples.data[i - 1], *b = &p.samples.data[i];
		assert_true(a->time_ns < b->time_ns ||
			    (a->time_ns == b->time_ns && a->weight < b->weight));
	}
	profile_release(&p);
}

/* Each count stays with its sample, wherever that goes. */
static void test_counts_follow_their_samples(void **state)
{
	struct profile p;
	uint32_t n;

	(void)state;
	profile_init(&p);
	for (uint32_t i = 0; i < 1000; i++) {
		struct profile_sample s = { .time_ns = hash_u64(i) % 50, .weight = i };
		struct profile_count first = { .sample = i, .value = i, .event = 0 };
		struct profile_count second = { .sample = i, .value = 2 * i, .event = 1 };
		vec_push(&p.samples, s);
		if (i % 3)
			vec_push(&p.counts, second);
		if (i % 3)
			vec_push(&p.counts, first);
	}
	profile_index(&p);
	for (uint32_t i = 0; i < 1000; i++) {
		uint64_t weight = p.samples.data[i].weight;
		uint32_t at = profile_find_counts(&p, i, &n);
		assert_int_equal(n, weight % 3 ? 2 : 0);
		for (uint32_t k = 0; k < n; k++) {
			assert_int_equal(p.counts.data[at + k].event, k);
			assert_int_equal(p.counts.data[at + k].value, (k + 1) * weight);
		}
	}
	profile_release(&p);
}

static void test_locations_are_sorted_and_unique(void **state)
{
	static const struct profile_location rows[] = {
		{ 7, 1, 0, 0 }, { 5, 1, 0, 1 }, { 9, 0, 0, 1 }, { 7, 1, 1, 2 }, { 5, 1, 0, 0 },
	};
	struct profile p;

	(void)state;
	profile_init(&p);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		vec_push(&p.locations, rows[i]);
	profile_index(&p);
	assert_int_equal(p.locations.len, 3);
	assert_int_equal(profile_find_location(&p, 0, 9), 0);
	assert_int_equal(profile_find_location(&p, 1, 5), 1);
	assert_int_equal(profile_find_location(&p, 1, 7), 2);
	assert_int_equal(profile_find_location(&p, 1, 6), PROFILE_NONE);
	assert_int_equal(profile_find_location(&p, 2, 9), PROFILE_NONE);
	/* Of two answers the one with frames. */
	assert_int_equal(p.locations.data[1].frame_count, 1);
	assert_int_equal(p.locations.data[2].frame_count, 2);
	profile_release(&p);
}

static void test_nodes_find_their_locations(void **state)
{
	struct profile p;

	(void)state;
	sample_profile(&p);
	assert_int_equal(p.node_location.len, p.nodes.len);
	assert_int_equal(p.node_location.data[0], profile_find_location(&p, 0, 0x10ff));
	assert_int_equal(p.node_location.data[2], profile_find_location(&p, 1, 0xffffffff8100000f));
	assert_int_not_equal(p.node_location.data[2], PROFILE_NONE);
	/* A signal frame is looked up at its own address, which has no names here. */
	assert_int_equal(p.node_location.data[3], PROFILE_NONE);
	profile_index(&p);
	assert_int_equal(p.node_location.len, p.nodes.len);
	profile_release(&p);
}

static void test_lookup_addresses(void **state)
{
	struct profile_node n = { .address = 100, .how = FRAME_CFI };

	(void)state;
	assert_int_equal(node_lookup_address(&n), 99);
	n.how = FRAME_SIGNAL;
	assert_int_equal(node_lookup_address(&n), 100);
	n = (struct profile_node){ .address = 0, .how = FRAME_CFI };
	assert_int_equal(node_lookup_address(&n), 0);
}

static void test_synthetic_modules(void **state)
{
	struct profile p;

	(void)state;
	sample_profile(&p);
	assert_int_equal(profile_synthetic_module(&p, SYNTHETIC_NOT_SAMPLED), 2);
	assert_int_equal(profile_synthetic_module(&p, SYNTHETIC_LOST), PROFILE_NONE);
	/* A file with such a name is not one. */
	assert_int_equal(profile_synthetic_module(&p, "[kernel]"), PROFILE_NONE);
	profile_release(&p);
}

static void test_names_of_values(void **state)
{
	(void)state;
	assert_string_equal(stack_end_name(END_TRUNCATED), "truncated copy");
	assert_string_equal(frame_how_name(FRAME_CFI), "CFI");
	assert_string_equal(module_kind_name(MODULE_JIT), "JIT");
	assert_string_equal(unit_name(UNIT_NS), "ns");
	assert_string_equal(stack_end_name(255), "unknown");
	assert_string_equal(frame_how_name(255), "unknown");
	assert_string_equal(module_kind_name(255), "unknown");
	assert_string_equal(unit_name(255), "unknown");
	for (uint8_t end = END_UNKNOWN + 1; end < END_COUNT; end++)
		assert_string_not_equal(stack_end_name(end), "unknown");
}

/* Break one value, see that it is noticed, and mend it. */
#define CHECK_NOTICED(p, lvalue, bad)                   \
	do {                                            \
		__typeof__(lvalue) kept = (lvalue);     \
		(lvalue) = (bad);                       \
		assert_false(profile_is_consistent(p)); \
		(lvalue) = kept;                        \
		assert_true(profile_is_consistent(p));  \
	} while (0)

static void test_wrong_ids_are_noticed(void **state)
{
	struct profile p;

	(void)state;
	sample_profile(&p);
	assert_true(profile_is_consistent(&p));
	CHECK_NOTICED(&p, p.machines.data[0].boot_id, 10000);
	CHECK_NOTICED(&p, p.runs.data[0].machine, 1);
	CHECK_NOTICED(&p, p.events.data[1].name, PROFILE_NONE);
	CHECK_NOTICED(&p, p.notes.data[0], 10000);
	CHECK_NOTICED(&p, p.tasks.data[0].space, 2);
	CHECK_NOTICED(&p, p.mappings.data[0].space, PROFILE_NONE);
	CHECK_NOTICED(&p, p.mappings.data[1].module, 3);
	CHECK_NOTICED(&p, p.modules.data[2].note, 10000);
	CHECK_NOTICED(&p, p.nodes.data[1].parent, 1); /* its own parent */
	CHECK_NOTICED(&p, p.nodes.data[1].module, PROFILE_NONE);
	CHECK_NOTICED(&p, p.samples.data[0].task, 3);
	CHECK_NOTICED(&p, p.samples.data[0].node, 5);
	CHECK_NOTICED(&p, p.samples.data[0].event, 2);
	CHECK_NOTICED(&p, p.samples.data[0].leaf_module, 3);
	CHECK_NOTICED(&p, p.counts.data[0].sample, 4);
	CHECK_NOTICED(&p, p.counts.data[0].event, 2);
	CHECK_NOTICED(&p, p.groups.data[0].event, 2);
	CHECK_NOTICED(&p, p.functions.data[0].linkage, 10000);
	CHECK_NOTICED(&p, p.aliases.data[0].function, 3);
	CHECK_NOTICED(&p, p.aliases.data[1].name, 10000);
	CHECK_NOTICED(&p, p.aliases.data[2].linkage, PROFILE_NONE);
	CHECK_NOTICED(&p, p.frames.data[0].function, 3);
	CHECK_NOTICED(&p, p.locations.data[0].first_frame, 4);
	CHECK_NOTICED(&p, p.locations.data[0].frame_count, UINT32_MAX);
	CHECK_NOTICED(&p, p.code.data[0].length, 10000);
	CHECK_NOTICED(&p, p.sources.data[0].offset, UINT32_MAX);
	profile_release(&p);
}

static void test_keysets(void **state)
{
	struct keyset s = { .words = 2 };

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 3000; i++) {
			uint64_t key[] = { i % 50, i / 50 };
			assert_int_equal(keyset_add(&s, key, i + (uint32_t)round * 7), i);
		}
	}
	assert_int_equal(keyset_get(&s, (uint64_t[]){ 49, 59 }), 2999);
	assert_int_equal(keyset_get(&s, (uint64_t[]){ 50, 59 }), KEYSET_NONE);
	keyset_clear(&s);
	assert_int_equal(keyset_get(&s, (uint64_t[]){ 49, 59 }), KEYSET_NONE);
	keyset_release(&s);
	assert_int_equal(keyset_get(&s, (uint64_t[]){ 49, 59 }), KEYSET_NONE);
}

int test_model_group(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_are_sorted_stably),
		cmocka_unit_test(test_counts_follow_their_samples),
		cmocka_unit_test(test_locations_are_sorted_and_unique),
		cmocka_unit_test(test_nodes_find_their_locations),
		cmocka_unit_test(test_lookup_addresses),
		cmocka_unit_test(test_synthetic_modules),
		cmocka_unit_test(test_names_of_values),
		cmocka_unit_test(test_wrong_ids_are_noticed),
		cmocka_unit_test(test_keysets),
	};

	return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
