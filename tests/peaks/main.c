/* All groups; the number of failed tests. */
#include "tests.h"

int main(void)
{
	return run_kernel_tests() + run_machine_tests() + run_size_tests();
}
