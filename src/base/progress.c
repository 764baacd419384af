/* The progress line: drawn over itself on a terminal, never elsewhere. */
#include "base/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/io.h"
#include "base/log.h"

#define SHOW_AFTER_NS ((uint64_t)500000000)
#define REDRAW_NS     ((uint64_t)100000000)

static void draw(const char *line, int len)
{
	if (len > 0)
		(void)io_write_full(STDERR_FILENO, line, (size_t)len);
}

void progress_start(struct progress *p, const char *what)
{
	p->what = what;
	p->start_ns = p->last_ns = clock_monotonic_ns();
	p->enabled = log_get_level() >= LOG_NOTICE && isatty(STDERR_FILENO);
	p->shown = 0;
}

void progress_update(struct progress *p, uint64_t done, uint64_t total)
{
	char line[160];

	if (!p->enabled)
		return;
	uint64_t now = clock_monotonic_ns();
	if (now - p->start_ns < SHOW_AFTER_NS || now - p->last_ns < REDRAW_NS)
		return;
	p->last_ns = now;
	p->shown = 1;

	unsigned percent = 100;
	if (done < total)
		percent = (unsigned)((unsigned __int128)done * 100 / total);
	draw(line, snprintf(line, sizeof(line), "\r\033[K%.120s: %u %%", p->what, percent));
}

void progress_end(struct progress *p)
{
	static const char erase[] = "\r\033[K";

	if (p->shown)
		draw(erase, (int)sizeof(erase) - 1);
	p->enabled = p->shown = 0;
}
