/*
 * A shell and its children, recorded for real through every part of the layer: one event per CPU,
 * followed into children, rings drained in rounds, records ordered and decoded. Skipped where the
 * kernel refuses.
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "event/open.h"
#include "event/order.h"
#include "event/ring.h"
#include "tests.h"

enum { CPUS_MAX = 64, SCRATCH_BYTES = 65536 };

struct tree {
	pid_t pid;
	int go; /* closed to let the child exec */
	int cpus, fds[CPUS_MAX];
	struct ring rings[CPUS_MAX];
	struct record_decoder *decoder;
	struct order *order;
	uint8_t *scratch;
};

struct seen {
	size_t exec_comms, build_ids, forks, exits, reads, switches, decoded, undecoded, late;
	uint64_t last_ns, read_value;
};

static pid_t start_child(int *go)
{
	int fds[2];
	char byte;

	assert_int_equal(pipe(fds), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		close(fds[1]);
		ssize_t n = read(fds[0], &byte, 1); /* end of file: go */
		close(fds[0]);
		if (n == 0)
			execl("/bin/sh", "sh", "-c",
			      "(i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done); /bin/true; true",
			      (char *)NULL);
		_exit(1);
	}
	close(fds[0]);
	*go = fds[1];
	return pid;
}

static void add_cpu(struct tree *t, uint32_t cpu)
{
	struct event_sampling how = { .period = 1000000,
				      .exclude_kernel = true,
				      .inherit = true,
				      .enable_on_exec = true,
				      .exact_at_exit = true,
				      .track = true,
				      .switches = true };
	struct event_list list = { 0 };
	struct record_layout layout;
	struct error err = { 0 };
	uint64_t id;
	int i = t->cpus;

	assert_int_equal(event_parse(&list, "task-clock", NULL), 0);
	int status =
		event_open(&list.items.data[0], &how, t->pid, (int)cpu, &t->fds[i], &layout, &err);
	event_list_release(&list);
	if (status < 0 || ring_map(&t->rings[i], t->fds[i], 32, &err) < 0) {
		kill(t->pid, SIGKILL);
		print_message("skipped: %s\n", err.text);
		skip();
	}
	t->cpus++;
	assert_int_equal(event_id(t->fds[i], &id), 0);
	record_decoder_add_id(t->decoder, id, record_decoder_add_event(t->decoder, &layout));
}

static void tree_open(struct tree *t)
{
	uint32_t cpus[CPUS_MAX];
	int n = event_online_cpus(cpus, CPUS_MAX);

	memset(t, 0, sizeof(*t));
	t->decoder = record_decoder_new();
	t->order = order_new((size_t)4 << 20);
	t->scratch = xmalloc(SCRATCH_BYTES);
	t->pid = start_child(&t->go);
	for (int i = 0; i < n; i++)
		add_cpu(t, cpus[i]);
}

static void tree_close(struct tree *t)
{
	for (int i = 0; i < t->cpus; i++) {
		ring_unmap(&t->rings[i]);
		close(t->fds[i]);
	}
	record_decoder_free(t->decoder);
	order_free(t->order);
	free_ptr(&t->scratch);
}

static void drain_round(struct tree *t)
{
	const void *bytes;
	size_t len;
	bool broken;

	for (int i = 0; i < t->cpus; i++) {
		ring_begin(&t->rings[i]);
		while ((bytes = ring_next(&t->rings[i], t->scratch, &len, &broken)))
			order_push(t->order, record_time(t->decoder, bytes, len), (uint32_t)i,
				   bytes, len);
		assert_false(broken);
		ring_release(&t->rings[i]);
	}
	order_end_round(t->order);
}

static void look_at(struct seen *s, const struct record *r)
{
	s->late += r->time_ns < s->last_ns;
	if (r->time_ns > s->last_ns)
		s->last_ns = r->time_ns;
	s->exec_comms += r->kind == RECORD_COMM && r->u.comm.is_exec;
	s->build_ids += r->kind == RECORD_MMAP && r->u.mmap.build_id_len == 20;
	s->forks += r->kind == RECORD_FORK;
	s->exits += r->kind == RECORD_EXIT;
	s->switches += r->kind == RECORD_SWITCH;
	if (r->kind == RECORD_READ) {
		s->reads++;
		s->read_value += r->u.read.value;
		assert_true(r->u.read.running_ns <= r->u.read.enabled_ns);
	}
}

static void take_out(struct tree *t, struct seen *s)
{
	const void *bytes;
	struct record r;
	size_t len;
	uint32_t tag;
	uint64_t time_ns;

	while ((bytes = order_pop(t->order, &len, &tag, &time_ns))) {
		if (record_decode(t->decoder, bytes, len, &r) < 0) {
			s->undecoded++;
			continue;
		}
		s->decoded++;
		look_at(s, &r);
	}
}

static void test_shell_and_children(void **state)
{
	struct seen s = { 0 };
	struct order_stats stats;
	struct tree t;
	int status;

	(void)state;
	tree_open(&t);
	close(t.go);
	while (waitpid(t.pid, &status, WNOHANG) == 0) {
		drain_round(&t);
		take_out(&t, &s);
		usleep(1000);
	}
	assert_int_equal(status, 0);
	drain_round(&t);
	order_flush(t.order);
	take_out(&t, &s);
	assert_int_equal(s.undecoded, 0);
	/* A virtual CPU that is taken away while it writes a record hands it over rounds later:
	 * counted. */
	order_get_stats(t.order, &stats);
	assert_true(s.late <= stats.out_of_order);
	assert_true(s.late <= s.decoded / 20);
	assert_true(s.decoded > 20);
	assert_int_equal(s.exec_comms, 2); /* sh and true */
	assert_int_equal(s.forks, 2);	   /* the subshell and true */
	assert_int_equal(s.exits, 3);
	assert_true(s.build_ids >= 4); /* both programs, ld.so, libc (Linux 5.12) */
	assert_true(s.reads >= 2);     /* for each child on each CPU it was opened on */
	assert_true(s.read_value > 0);
	assert_true(s.switches > 0);
	tree_close(&t);
}

int run_tree_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shell_and_children),
	};
	return cmocka_run_group_tests_name("event tree", tests, NULL, NULL);
}
