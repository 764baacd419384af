/* draw_folded [width] [up] [top] [html] [blue] [absolute] [chart] < folded > svg: what the browser
 * test looks at. Format: fixture.h. What comes behind a line "#base" is another profile, to compare
 * with.
 * draw_folded errors < folded: how sure the shares of functions are, as prof report has them. A
 * line for each: name, the errors of self and total in percent of all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "fixture.h"

/* Behind the line that ends the first profile; NULL: there is one only. */
static const char *find_base(const struct bytes *text)
{
	static const char line[] = "\n#base\n";
	const char *at = memmem(text->data, text->len, line, sizeof(line) - 1);

	return at ? at + sizeof(line) - 1 : NULL;
}

static void print_errors(const struct fixture *f)
{
	const struct calltree_options frames = { 0 };
	struct flat flat;

	flat_build(&flat, &f->profile, &f->all, 0, FLAT_BY_FUNCTION, &frames);
	for (size_t i = 0; i < flat.rows.len; i++)
		printf("%s\t%.4f\t%.4f\n", flat.rows.data[i].name,
		       100 * flat.rows.data[i].self_error, 100 * flat.rows.data[i].total_error);
	flat_release(&flat);
}

int main(int argc, char **argv)
{
	struct bytes text = { 0 }, svg = { 0 };
	struct flame_options options = { 0 };
	struct fixture f, base;
	struct diff_source source;
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
		else if (strcmp(argv[i], "chart") == 0)
			options.chart = true;
		else if (strcmp(argv[i], "absolute") == 0)
			options.absolute = true;
		else
			options.width = (uint32_t)strtoul(argv[i], NULL, 10);
	}
	if (io_read_all(STDIN_FILENO, &text, (size_t)4 << 30, &err) < 0) {
		fprintf(stderr, "draw_folded: %s\n", err.text);
		return 1;
	}
	const char *second = find_base(&text), *end = (const char *)text.data + text.len;
	fixture_from_folded(&f, (const char *)text.data,
			    second ? (size_t)(second - (const char *)text.data) : text.len);
	if (second) {
		fixture_from_folded(&base, second, (size_t)(end - second));
		source = (struct diff_source){ &base.profile, &base.all, 0 };
		options.base = &source;
	}
	if (argc == 2 && strcmp(argv[1], "errors") == 0) {
		print_errors(&f);
		fixture_release(&f);
		bytes_release(&text);
		return 0;
	}
	uint64_t start = clock_thread_cpu_ns();
	fixture_draw(&svg, &f, &options);
	fprintf(stderr, "%zu samples, %zu bytes, %.3f s of CPU\n", f.profile.samples.len, svg.len,
		(double)(clock_thread_cpu_ns() - start) / 1e9);
	int failed = io_write_full(STDOUT_FILENO, svg.data, svg.len);
	if (second)
		fixture_release(&base);
	fixture_release(&f);
	bytes_release(&text);
	bytes_release(&svg);
	return failed ? 1 : 0;
}
