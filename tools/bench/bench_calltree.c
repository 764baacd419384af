/*
 * How much CPU time views take on a big profile: 1 M samples of 20 threads in a trie of 200,000
 * nodes, 5,000 functions, inline chains, as real programs have them: most samples in few stacks.
 * bench_calltree [samples [nodes]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calltree.h"
#include "analysis/flat.h"
#include "analysis/health.h"
#include "base/io.h"

enum { FUNCTIONS = 5000, THREADS = 20, ADDRESSES = 40000 };

static uint64_t next_random(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15ull;
	return hash_u64(*state);
}

static void add_functions(struct profile *p)
{
	struct profile_module m = { .path = strtab_add_str(&p->strings, "/usr/bin/app"),
				    .kind = MODULE_FILE };

	vec_push(&p->modules, m);
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		char name[64];
		snprintf(name, sizeof(name), "app::component_%u::function_%u(int, char const*)",
			 i / 50, i);
		struct profile_function f = { .name = strtab_add_str(&p->strings, name) };
		vec_push(&p->functions, f);
	}
}

/* One to three frames per address. */
static void add_locations(struct profile *p, uint64_t *rng)
{
	for (uint32_t i = 0; i < ADDRESSES; i++) {
		struct profile_location l = { .address = 0x1000 + i * 16, .module = 0 };
		l.first_frame = (uint32_t)p->frames.len;
		l.frame_count = 1 + (uint32_t)(next_random(rng) % 6 > 3) +
				(uint32_t)(next_random(rng) % 6 > 4);
		for (uint32_t k = 0; k < l.frame_count; k++) {
			struct profile_frame f = { .function = (uint32_t)(next_random(rng) %
									  FUNCTIONS) };
			vec_push(&p->frames, f);
		}
		vec_push(&p->locations, l);
	}
}

static uint64_t random_address(uint64_t *rng)
{
	return 0x1000 + next_random(rng) % ADDRESSES * 16;
}

/* Chains of up to 30 frames that hang below earlier ones: stacks are some 60 deep. */
static void add_nodes(struct profile *p, uint32_t count, uint64_t *rng)
{
	for (uint32_t i = 0; i < count; i++) {
		struct profile_node n = { .address = random_address(rng) + 1, .how = FRAME_CFI };
		n.parent = i ? i - 1 : PROFILE_NONE;
		if (i && next_random(rng) % 30 == 0)
			n.parent = (uint32_t)(next_random(rng) % (i < 2000 ? i : 2000));
		vec_push(&p->nodes, n);
	}
}

static void add_samples(struct profile *p, uint32_t count, uint64_t *rng)
{
	struct profile_event e = { .name = strtab_add_str(&p->strings, "task-clock"),
				   .unit = UNIT_NS };

	vec_push(&p->events, e);
	for (uint32_t i = 0; i < THREADS; i++) {
		struct profile_task t = { .pid = 1,
					  .tid = i + 1,
					  .comm = strtab_add_str(&p->strings, "app") };
		vec_push(&p->tasks, t);
	}
	for (uint32_t i = 0; i < count; i++) {
		uint64_t r = next_random(rng);
		/* Squared twice: most in the first nodes. */
		double u = (double)(r >> 11) / 9007199254740992.0;
		struct profile_sample s = { .time_ns = 1 + i * 1000ull,
					    .weight = 1000000,
					    .task = (uint32_t)(next_random(rng) % THREADS),
					    .node = (uint32_t)(u * u * (double)p->nodes.len),
					    .end = END_ROOT };
		s.leaf_address = 0x1000 + (s.node * 7ull + r % 2) % ADDRESSES * 16;

		vec_push(&p->samples, s);
	}
}

static double milliseconds_since(uint64_t start)
{
	return (double)(clock_thread_cpu_ns() - start) / 1e6;
}

static void time_tree(const char *what, const struct profile *p, const struct filter_result *all,
		      const struct calltree_options *options)
{
	struct calltree t;
	uint64_t start = clock_thread_cpu_ns();

	calltree_build(&t, p, all, 0, options);
	printf("%-22s %8.1f ms  %zu nodes, total %" PRIu64 "\n", what, milliseconds_since(start),
	       t.nodes.len, t.total);
	calltree_release(&t);
}

static void time_flat(const struct profile *p, const struct filter_result *all)
{
	struct flat f;
	struct calltree_options o = { .by_thread = false };
	uint64_t start = clock_thread_cpu_ns();

	flat_build(&f, p, all, 0, FLAT_BY_FUNCTION, &o);
	printf("%-22s %8.1f ms  %zu rows\n", "flat by function", milliseconds_since(start),
	       f.rows.len);
	flat_release(&f);
}

static void time_filter(const struct profile *p, struct filter_result *all)
{
	struct filter *f;
	struct filter_spec spec = { .focus = "function_1[0-9]*\\(" };
	uint64_t start = clock_thread_cpu_ns();

	if (filter_new(&f, p, &spec, NULL) == 0) {
		filter_apply(f, all);
		printf("%-22s %8.1f ms  %zu samples\n", "filter by focus",
		       milliseconds_since(start), all->samples.len);
		filter_result_release(all);
		filter_free(f);
	}
}

static void time_health(const struct profile *p, const struct filter_result *all)
{
	struct health h;
	uint64_t start = clock_thread_cpu_ns();

	health_compute(&h, p, all);
	printf("%-22s %8.1f ms  %" PRIu64 " whole\n", "health", milliseconds_since(start), h.whole);
}

int main(int argc, char **argv)
{
	uint32_t samples = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000000;
	uint32_t nodes = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 200000;
	struct profile p;
	struct filter_result all = { 0 }, some;
	uint64_t rng = 1;

	profile_init(&p);
	add_functions(&p);
	add_locations(&p, &rng);
	add_nodes(&p, nodes ? nodes : 1, &rng);
	add_samples(&p, samples, &rng);
	profile_index(&p);
	for (uint32_t i = 0; i < p.samples.len; i++)
		vec_push(&all.samples, i);
	time_tree("call tree", &p, &all, &(struct calltree_options){ .by_thread = false });
	time_tree("call tree by thread", &p, &all, &(struct calltree_options){ .by_thread = true });
	time_tree("call tree, no inlines", &p, &all,
		  &(struct calltree_options){ .no_inline = true });
	time_tree("bottom-up tree", &p, &all, &(struct calltree_options){ .inverted = true });
	time_flat(&p, &all);
	time_filter(&p, &some);
	time_health(&p, &all);
	filter_result_release(&all);
	profile_release(&p);
	return 0;
}
