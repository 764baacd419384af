/* Runs all groups of the event layer's unit tests. */
#include "tests.h"

int main(void)
{
	int failed = 0;

	failed += run_record_tests();
	failed += run_sample_tests();
	failed += run_order_tests();
	failed += run_spec_tests();
	failed += run_spec_machine_tests();
	failed += run_schedule_tests();
	failed += run_perf_data_tests();
	failed += run_perf_command_tests();
	failed += run_perf_damage_tests();
	failed += run_attr_tests();
	failed += run_open_tests();
	failed += run_tree_tests();
	return failed != 0;
}
