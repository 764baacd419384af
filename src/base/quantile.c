/* Student's distribution. */
#include "base/quantile.h"

#include <math.h>

#include "base/memory.h"

double student_t975(uint32_t degrees)
{
	static const double few[] = { 12.706, 4.303, 3.182, 2.776, 2.571,
				      2.447,  2.365, 2.306, 2.262, 2.228 };
	const double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;

	if (degrees == 0)
		return NAN;
	if (degrees <= ARRAY_LEN(few))
		return few[degrees - 1];
	/* Cornish-Fisher; good to 0.001 from 10 degrees on. */
	double n = degrees;
	return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
	       (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}
