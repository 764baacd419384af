/* Runs every group of the profile layer's tests. */
#include "groups.h"

int main(void)
{
	int failed = 0;

	failed += test_columns_group();
	failed += test_model_group();
	failed += test_round_trip_group();
	failed += test_epochs_group();
	failed += test_damage_group();
	failed += test_foreign_group();
	failed += test_limits_group();
	failed += test_public_api_group();
	return failed ? 1 : 0;
}
