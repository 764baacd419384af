/* What the counting session does, with readings from a fixture. */
#include "replay.h"

#include "counters/fixture.h"
#include "counters/series.h"

static void take(struct counter_series *s, replay_interval *interval, void *ctx)
{
	struct counter_table t;

	counter_series_slice(s);
	counter_series_interval(s, &t);
	if (interval)
		interval(ctx, &t, s->now.time_ns);
	counter_table_release(&t);
}

int replay_fixture(struct counter_run *run, const char *name, const char *text, size_t len,
		   replay_interval *interval, void *ctx, struct error *err)
{
	struct counter_fixture f;
	struct counter_series s = { 0 };
	int result = counter_fixture_parse(&f, name, text, len, err);

	*run = (struct counter_run){ 0 };
	if (result == 0) {
		struct counter_source source = counter_fixture_source(&f, &s.now);
		counter_series_begin(&s, 0);
		while (counter_series_read(&s, &source, err) > 0)
			take(&s, interval, ctx);
		run->wall_ns = s.now.elapsed_ns;
		run->total = s.now;
		run->slices = s.slices;
		s.now = (struct counter_table){ 0 };
		s.slices = (struct counter_slices){ 0 };
	}
	counter_series_release(&s);
	counter_fixture_release(&f);
	return result;
}
