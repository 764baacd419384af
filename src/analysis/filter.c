/* Which samples and frames a view is about. */
#include "analysis/filter.h"

void filter_result_release(struct filter_result *r)
{
	vec_release(&r->samples);
}
