/* Runs every group of the base layer's tests. */
#include "groups.h"

int main(void)
{
	int failed = 0;

	failed += test_bytes_group();
	failed += test_compress_group();
	failed += test_errors_group();
	failed += test_hash_group();
	failed += test_library_group();
	failed += test_memory_group();
	failed += test_sort_group();
	failed += test_text_group();
	return failed ? 1 : 0;
}
