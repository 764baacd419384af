/* stat_replay FILE: what prof stat would show of a fixture. */
#include <stdio.h>
#include <unistd.h>

#include "base/io.h"
#include "counters/fixture.h"
#include "output/stat.h"
#include "replay.h"

static void print_interval(void *ctx, const struct counter_table *t, uint64_t since_begin_ns)
{
	const struct stat_view *view = ctx;
	struct bytes out = { 0 };

	output_stat_text_interval(&out, view, t, since_begin_ns, false);
	(void)io_write_full(STDOUT_FILENO, out.data, out.len);
	bytes_release(&out);
}

static int replay(const char *path, struct error *err)
{
	struct bytes text = { 0 }, out = { 0 };
	struct metric_list metrics = { 0 };
	struct counter_run run = { 0 };
	struct stat_view view = {
		.title = path, .runs = &run, .run_count = 1, .metrics = &metrics, .unicode = true
	};
	int result = io_read_file(path, &text, COUNTER_FIXTURE_MAX_BYTES, err);

	metric_rows(&metrics, NULL, NULL);
	if (result == 0)
		result = replay_fixture(&run, path, (const char *)text.data, text.len,
					print_interval, &view, err);
	if (result == 0)
		output_stat_text(&out, &view);
	(void)io_write_full(STDOUT_FILENO, out.data, out.len);
	counter_run_release(&run);
	metric_list_release(&metrics);
	bytes_release(&text);
	bytes_release(&out);
	return result;
}

int main(int argc, char **argv)
{
	struct error err = { 0 };

	if (argc == 2 && replay(argv[1], &err) == 0)
		return 0;
	fprintf(stderr, "stat_replay: %s\n", argc == 2 ? err.text : "a file is missing");
	return 1;
}
