/* Living and dead processes with real files: which file stands for a mapping, and when none does.
 */
#include "live.h"

int main(int argc, char **argv)
{
	target_play_role(argc, argv);
	int failed = run_program_tests() + run_identity_tests();
	failed += run_process_tests() + run_image_tests();
	return failed != 0;
}
