/* The made-up recording: two threads on two CPUs, Zipf-distributed leaf addresses, a growing trie.
 */
#include "synthetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"

#define MODULES	  3
#define TASKS	  2
#define PERIOD_NS 1003009

struct generator {
	const struct synthetic *s;
	struct profile_writer *w;
	uint64_t random;
	double *zipf; /* cumulative weights of the leaves */
	uint32_t *leaf_address, *leaf_node;
	uint64_t clock_ns[TASKS];
	/* ids of the current epoch */
	uint32_t modules[MODULES], tasks[TASKS], event;
	uint32_t *nodes; /* per leaf's node: PROFILE_NONE until it is added */
};

uint64_t synthetic_random(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15ull;
	return hash_u64(*state);
}

static uint32_t random_below(struct generator *g, uint32_t n)
{
	return (uint32_t)(synthetic_random(&g->random) % n);
}

static uint32_t random_leaf(struct generator *g)
{
	double x = (double)(synthetic_random(&g->random) >> 11) / 9007199254740992.0;
	uint32_t low = 0, high = g->s->leaves - 1;

	x *= g->zipf[high];
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (g->zipf[middle] < x)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void make_leaves(struct generator *g)
{
	double total = 0;

	g->zipf = calloc(g->s->leaves, sizeof(*g->zipf));
	g->leaf_address = calloc(g->s->leaves, sizeof(*g->leaf_address));
	g->leaf_node = calloc(g->s->leaves, sizeof(*g->leaf_node));
	g->nodes = calloc(g->s->nodes, sizeof(*g->nodes));
	for (uint32_t i = 0; i < g->s->leaves; i++) {
		total += 1.0 / (i + 1);
		g->zipf[i] = total;
		g->leaf_address[i] = 0x401000 + random_below(g, g->s->leaf_span);
		g->leaf_node[i] = random_below(g, g->s->nodes);
	}
}

static void begin_epoch(struct generator *g)
{
	static const char *const paths[MODULES] = { "/usr/bin/app", "/lib/libc.so.6", "[kernel]" };

	for (uint32_t i = 0; i < g->s->nodes; i++)
		g->nodes[i] = PROFILE_NONE;
	for (int i = 0; i < MODULES; i++) {
		struct profile_module m = { .path = profile_writer_add_str(g->w, paths[i]),
					    .kind = i == 2 ? MODULE_KERNEL : MODULE_FILE };
		m.build_id = profile_writer_add_str(g->w, i == 2 ? "" : "00112233445566778899aabb");
		g->modules[i] = profile_writer_add_module(g->w, &m);
	}
	struct profile_event event = { .name = profile_writer_add_str(g->w, "task-clock"),
				       .type = 1,
				       .config = 1,
				       .period = PERIOD_NS,
				       .unit = UNIT_NS };
	g->event = profile_writer_add_event(g->w, &event);
	struct profile_space space = { .pid = 1000, .start_ns = 1 };
	uint32_t space_id = profile_writer_add_space(g->w, &space);
	struct profile_mapping mapping = { .space = space_id,
					   .module = g->modules[0],
					   .start = 0x555555554000,
					   .length = 0x100000,
					   .from_ns = 1 };
	profile_writer_add_mapping(g->w, &mapping);
	for (uint32_t i = 0; i < TASKS; i++) {
		struct profile_task task = { .pid = 1000,
					     .tid = 1000 + i,
					     .comm = profile_writer_add_str(g->w, "app"),
					     .start_ns = 5 + i,
					     .space = space_id };
		g->tasks[i] = profile_writer_add_task(g->w, &task);
	}
}

static void add_names(struct generator *g, uint32_t module, uint64_t address)
{
	char name[64], file[64];
	uint32_t function = (uint32_t)(address >> 7);

	snprintf(name, sizeof(name), "engine::part_%u::work(int, char const*)", function);
	snprintf(file, sizeof(file), "/src/engine/part_%u.cc", function / 16);
	struct profile_symbol_frame frames[2] = {
		{ .name = "engine::inlined()", .file = "/src/engine/inline.h", .line = 12 },
		{ .name = name, .file = file, .line = 10 + function % 90, .function_line = 9 },
	};
	profile_writer_add_location(g->w, module, address, frames + (address & 1),
				    2 - (address & 1));
}

/* Node i hangs below node i / 2 - 1 or so: deep enough, with shared prefixes. */
static uint32_t get_node(struct generator *g, uint32_t i)
{
	if (g->nodes[i] != PROFILE_NONE)
		return g->nodes[i];
	uint64_t h = hash_u64(i + 1);
	uint32_t parent = i < 4 ? PROFILE_NONE : get_node(g, i - 1 - (uint32_t)(h % (i / 4 + 1)));
	uint32_t module = g->modules[h >> 20 & 1];
	uint64_t address = 0x402000 + (h >> 24) % g->s->leaf_span;
	g->nodes[i] = profile_writer_add_node(g->w, parent, module, address, FRAME_CFI);
	if (g->s->names)
		add_names(g, module, address - 1);
	return g->nodes[i];
}

static void add_sample(struct generator *g)
{
	uint32_t cpu = g->clock_ns[0] <= g->clock_ns[1] ? 0 : 1;
	uint32_t leaf = random_leaf(g);
	uint64_t jitter = 0;

	/* A sum of uniform values: about a normal distribution of 3 µs. */
	for (int i = 0; i < 4; i++)
		jitter += random_below(g, 5200);
	g->clock_ns[cpu] += PERIOD_NS - 10400 + jitter;
	struct profile_sample s = {
		.time_ns = g->clock_ns[cpu],
		.leaf_address = g->leaf_address[leaf],
		.weight = random_below(g, 40) ? PERIOD_NS : random_below(g, PERIOD_NS),
		.task = g->tasks[cpu],
		.node = get_node(g, g->leaf_node[leaf]),
		.leaf_module = g->modules[leaf % 10 < 7 ? 0 : 1],
		.cpu = (uint16_t)cpu,
		.event = (uint16_t)g->event,
		.end = random_below(g, 100) ? END_ROOT : END_NO_CFI,
	};
	uint32_t id = profile_writer_add_sample(g->w, &s);
	struct profile_count count = { .value = s.time_ns, .sample = id, .event = s.event };
	if (g->s->counted)
		profile_writer_add_count(g->w, &count);
}

static void end_flush(struct generator *g, uint32_t flush)
{
	struct profile_clock clock = { .monotonic_ns = g->clock_ns[0],
				       .boottime_ns = g->clock_ns[0] };
	struct profile_health health = { .due = flush * 500, .requested_rate = 997 };

	profile_writer_add_clock(g->w, &clock);
	profile_writer_set_health(g->w, &health);
	if (g->s->flushes_per_epoch && flush % g->s->flushes_per_epoch == 0) {
		profile_writer_begin_epoch(g->w, NULL);
		begin_epoch(g);
	} else {
		profile_writer_flush(g->w, NULL);
	}
}

void synthetic_record(const struct synthetic *s, struct bytes *file,
		      struct profile_writer_stats *stats)
{
	int fd = memfd_create("prof.data", MFD_CLOEXEC);
	struct profile_writer_options options = { .fd = fd };
	struct generator g = { .s = s, .random = s->seed, .clock_ns = { 1000000000, 1000333333 } };

	if (fd < 0 || profile_writer_new(&g.w, &options, NULL) < 0)
		abort();
	make_leaves(&g);
	begin_epoch(&g);
	for (uint32_t i = 1; i <= s->samples; i++) {
		add_sample(&g);
		if (i % s->samples_per_flush == 0)
			end_flush(&g, i / s->samples_per_flush);
	}
	if (s->finish)
		profile_writer_finish(g.w, NULL);
	else
		profile_writer_flush(g.w, NULL);
	profile_writer_get_stats(g.w, stats);
	profile_writer_free(g.w);
	lseek(fd, 0, SEEK_SET);
	if (io_read_all(fd, file, (size_t)1 << 30, NULL) < 0)
		abort();
	close(fd);
	free(g.zipf);
	free(g.leaf_address);
	free(g.leaf_node);
	free(g.nodes);
}
