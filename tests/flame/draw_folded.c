/* draw_folded [width] [up] [top] [html] [blue] < folded > svg: what the browser test looks at.
 * Format: fixture.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "fixture.h"

int main(int argc, char **argv)
{
	struct bytes text = { 0 }, svg = { 0 };
	struct flame_options options = { 0 };
	struct fixture f;
	struct error err = { 0 };

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "up") == 0)
			options.reverse = true;
		else if (strcmp(argv[i], "top") == 0)
			options.inverted = true;
		else if (strcmp(argv[i], "html") == 0)
			options.html = true;
		else if (strcmp(argv[i], "blue") == 0)
			options.hue = 'l';
		else
			options.width = (uint32_t)strtoul(argv[i], NULL, 10);
	}
	if (io_read_all(STDIN_FILENO, &text, (size_t)4 << 30, &err) < 0) {
		fprintf(stderr, "draw_folded: %s\n", err.text);
		return 1;
	}
	fixture_from_folded(&f, (const char *)text.data, text.len);
	uint64_t start = clock_thread_cpu_ns();
	fixture_draw(&svg, &f, &options);
	fprintf(stderr, "%zu samples, %zu bytes, %.3f s of CPU\n", f.profile.samples.len, svg.len,
		(double)(clock_thread_cpu_ns() - start) / 1e9);
	int failed = io_write_full(STDOUT_FILENO, svg.data, svg.len);
	fixture_release(&f);
	bytes_release(&text);
	bytes_release(&svg);
	return failed ? 1 : 0;
}
