/* The interactive view's model, without a terminal. */
#include "keys.h"

int main(void)
{
	return run_grid_tests() + run_view_tests() + run_search_tests() + run_moving_tests() +
	       run_changes_tests() + run_leaving_tests() + run_extremes_tests() +
	       run_mouse_tests() + run_source_tests() + run_strip_tests() + run_dense_tests() +
	       run_screen_tests();
}
