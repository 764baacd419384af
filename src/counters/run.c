/* One run. */
#include "counters/run.h"

#include <string.h>

void counter_run_release(struct counter_run *run)
{
	counter_table_release(&run->total);
	counter_slices_release(&run->slices);
	memset(run, 0, sizeof(*run));
}
