/* All tests of counters/. */
#include "tests.h"

int main(void)
{
	return run_reading_tests() | run_fixture_tests() | run_repeat_tests() | run_slice_tests();
}
