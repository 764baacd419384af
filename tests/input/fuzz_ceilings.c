/* Whatever the bytes: no crash, and what is taken can be shown in every way and read again. */
#include <stdlib.h>

#include "input/ceilings.h"
#include "output/roofline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void show(const struct ceilings *c)
{
	const struct roofline_point point = {
		.name = "p", .flops = 1e9, .bytes = 1e9, .seconds = 1, .running = 1
	};
	const struct roofline_view v = {
		.ceilings = c, .points = &point, .point_count = 1, .verbose = true
	};
	struct ceilings again;
	struct bytes out = { 0 };

	output_roofline_text(&out, &v);
	output_roofline_svg(&out, &v);
	bytes_clear(&out);
	output_roofline_json(&out, &v);
	if (ceilings_parse(&again, (const char *)out.data, out.len, NULL) < 0)
		abort();
	ceilings_release(&again);
	bytes_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ceilings c;

	if (ceilings_parse(&c, (const char *)data, size, NULL) == 0)
		show(&c);
	ceilings_release(&c);
	return 0;
}
