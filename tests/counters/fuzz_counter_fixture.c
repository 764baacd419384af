/* Whatever a fixture's bytes: no crash, and what is accepted can be replayed. */
#include <stddef.h>
#include <stdint.h>

#include "counters/fixture.h"
#include "counters/series.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct counter_fixture f;
	struct counter_series s = { 0 };

	if (counter_fixture_parse(&f, "fuzz", (const char *)data, len, NULL) == 0) {
		struct counter_source source = counter_fixture_source(&f, &s.now);
		counter_series_begin(&s, 0);
		while (counter_series_read(&s, &source, NULL) > 0)
			counter_series_slice(&s);
		for (size_t i = 0; i < s.now.readings.len; i++)
			(void)counter_slices_half_width(&s.slices, &s.now.readings.data[i], i);
	}
	counter_series_release(&s);
	counter_fixture_release(&f);
	return 0;
}
