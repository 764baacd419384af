/* Exact counts against samples: what is missing gets a row of its own, and all weights sum to the
 * counter. */
#include "profile/reader.h"
#include "profile/writer.h"
#include "record/accounts.h"
#include "record/ended.h"
#include "record/rows.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define PERIOD 1000000u

struct fixture {
	int fd;
	struct profile_writer *writer;
	struct rows rows;
	struct accounts *accounts;
	struct profile profile;
};

static void start(struct fixture *f, bool kernel_hidden)
{
	memset(f, 0, sizeof(*f));
	f->fd = memfd_create("accounts", MFD_CLOEXEC);
	struct profile_writer_options options = { .fd = f->fd };
	assert_int_equal(profile_writer_new(&f->writer, &options, NULL), 0);
	rows_init(&f->rows, f->writer);
	struct profile_event event = { .name = profile_writer_add_str(f->writer, "task-clock"),
				       .unit = UNIT_NS };
	struct accounts_config config = { &f->rows, NULL,
					  profile_writer_add_event(f->writer, &event), PERIOD,
					  kernel_hidden };
	f->accounts = accounts_new(&config);
}

static struct task_thread thread(uint32_t tid, const char *comm)
{
	struct task_thread t = { .id = tid, .pid = tid, .tid = tid };
	snprintf(t.comm, sizeof(t.comm), "%s", comm);
	return t;
}

static void finish(struct fixture *f)
{
	assert_int_equal(profile_writer_finish(f->writer, NULL), 0);
	assert_int_equal(lseek(f->fd, 0, SEEK_SET), 0);
	struct profile_read_report report;
	profile_init(&f->profile);
	assert_int_equal(profile_read_fd(&f->profile, f->fd, "accounts", &report, NULL), 0);
	accounts_free(f->accounts);
	rows_release(&f->rows);
	profile_writer_free(f->writer);
	close(f->fd);
}

/* Sum of the synthetic rows of one kind, for one command or all (NULL). */
static uint64_t weight_of(const struct profile *p, const char *name, const char *comm)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < p->samples.len; i++) {
		const struct profile_sample *s = &p->samples.data[i];
		const char *task = profile_str(p, p->tasks.data[s->task].comm);
		assert_true(s->flags & SAMPLE_SYNTHETIC);
		if (!strcmp(profile_str(p, p->modules.data[s->leaf_module].path), name) &&
		    (!comm || !strcmp(task, comm)))
			sum += s->weight;
	}
	return sum;
}

static void short_task_is_not_sampled(void **state)
{
	(void)state;
	struct fixture f;
	struct task_thread t = thread(10, "short");
	start(&f, false);
	accounts_read(f.accounts, &t, 300000, 1000);
	accounts_read(f.accounts, &t, 200000, 1001); /* the other CPU's part */
	struct accounts_end end = { .exact_total = 500000, .time_ns = 5000 };
	assert_int_equal(accounts_finish(f.accounts, &end), 500000);
	finish(&f);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, "short"), 500000);
	profile_release(&f.profile);
}

static void hidden_kernel_time_has_its_row(void **state)
{
	(void)state;
	struct fixture f;
	struct task_thread t = thread(11, "reader");
	start(&f, true);
	for (int i = 0; i < 53; i++)
		accounts_sample(f.accounts, &t, PERIOD);
	accounts_read(f.accounts, &t, 100 * PERIOD, 1000);
	struct accounts_end end = { .exact_total = 100 * PERIOD, .time_ns = 5000 };
	assert_int_equal(accounts_finish(f.accounts, &end), 100 * PERIOD);
	finish(&f);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_KERNEL_NOT_PERMITTED, "reader"),
			 47 * PERIOD);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, NULL), 0);
	profile_release(&f.profile);
}

static void lost_and_throttled_come_first(void **state)
{
	(void)state;
	struct fixture f;
	struct task_thread t = thread(12, "main");
	start(&f, false);
	for (int i = 0; i < 80; i++)
		accounts_sample(f.accounts, &t, PERIOD);
	struct accounts_end end = { .exact_total = 100 * PERIOD,
				    .lost_samples = 12,
				    .throttled_ns = 5 * PERIOD,
				    .roots = &(struct accounts_root){ 12, 0, 100 * PERIOD },
				    .root_count = 1,
				    .time_ns = 5000 };
	assert_int_equal(accounts_finish(f.accounts, &end), 100 * PERIOD);
	finish(&f);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_LOST, NULL), 12 * PERIOD);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_THROTTLED, NULL), 5 * PERIOD);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, NULL), 3 * PERIOD);
	profile_release(&f.profile);
}

static void losses_of_a_long_child_are_lost(void **state)
{
	(void)state;
	struct fixture f;
	struct task_thread child = thread(13, "child");
	start(&f, false);
	accounts_lost(f.accounts, 20);
	for (int i = 0; i < 80; i++)
		accounts_sample(f.accounts, &child, PERIOD);
	accounts_read(f.accounts, &child, 100 * PERIOD, 1000);
	struct accounts_end end = { .exact_total = 100 * PERIOD,
				    .lost_samples = 20,
				    .time_ns = 5000 };
	assert_int_equal(accounts_finish(f.accounts, &end), 100 * PERIOD);
	finish(&f);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_LOST, "child"), 20 * PERIOD);
	profile_release(&f.profile);
}

static void sampled_beyond_exact_is_taken_off_later(void **state)
{
	(void)state;
	struct fixture f;
	struct task_thread a = thread(14, "a"), b = thread(15, "b");
	start(&f, false);
	accounts_sample(f.accounts, &a, PERIOD);
	accounts_read(f.accounts, &a, PERIOD - 1000, 1000);
	accounts_read(f.accounts, &b, 5000, 2000);
	struct accounts_end end = { .exact_total = PERIOD + 4000, .time_ns = 5000 };
	assert_int_equal(accounts_finish(f.accounts, &end), PERIOD + 4000);
	finish(&f);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, "b"), 4000);
	profile_release(&f.profile);
}

/* The heaviest task's synthetic rows of a command, and how many tasks have some. */
static uint64_t heaviest_task(const struct profile *p, const char *comm, size_t *tasks)
{
	uint64_t heaviest = 0;
	*tasks = 0;
	for (uint32_t t = 0; t < p->tasks.len; t++) {
		uint64_t sum = 0;
		for (size_t i = 0; i < p->samples.len; i++)
			sum += p->samples.data[i].task == t ? p->samples.data[i].weight : 0;
		if (strcmp(profile_str(p, p->tasks.data[t].comm), comm) != 0)
			continue;
		*tasks += sum > 0;
		heaviest = sum > heaviest ? sum : heaviest;
	}
	return heaviest;
}

static void hidden_exit_time_is_spread_evenly(void **state)
{
	(void)state;
	struct fixture f;
	start(&f, false);
	for (uint32_t i = 0; i < 30; i++) {
		struct task_thread t = thread(100 + i, i < 20 ? "many" : "few");
		accounts_read(f.accounts, &t, 1000, 1000 + i);
	}
	struct accounts_end end = { .exact_total = 30000, .rusage_ns = 36007, .time_ns = 5000 };
	assert_int_equal(accounts_finish(f.accounts, &end), 36007);
	finish(&f);
	size_t tasks;
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, "many"), 24004);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, "few"), 12003);
	assert_int_equal(heaviest_task(&f.profile, "many", &tasks), 1201);
	assert_int_equal(tasks, 20);
	assert_int_equal(heaviest_task(&f.profile, "few", &tasks), 1201);
	assert_int_equal(tasks, 10);
	profile_release(&f.profile);
}

/* The launched command itself ends unseen, too. */
static void hidden_exit_time_of_one_task_is_its_own(void **state)
{
	(void)state;
	struct fixture f;
	struct task_thread t = thread(12, "main");
	start(&f, false);
	accounts_sample(f.accounts, &t, PERIOD);
	struct accounts_end end = { .exact_total = PERIOD,
				    .rusage_ns = PERIOD + 700,
				    .roots = &(struct accounts_root){ 12, 0, PERIOD },
				    .root_count = 1,
				    .time_ns = 5000 };
	assert_int_equal(accounts_finish(f.accounts, &end), PERIOD + 700);
	finish(&f);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, "main"), 700);
	profile_release(&f.profile);
}

/* Samples of whole CPUs see tasks end that their counters do not. */
static void what_was_sampled_is_not_hidden(void **state)
{
	(void)state;
	struct fixture f;
	struct task_thread t = thread(12, "short");
	start(&f, false);
	accounts_read(f.accounts, &t, PERIOD, 1000);
	for (int i = 0; i < 3; i++)
		accounts_sample(f.accounts, &t, PERIOD);
	struct accounts_end end = { .exact_total = PERIOD,
				    .rusage_ns = 4 * PERIOD + 300,
				    .time_ns = 5000 };
	assert_int_equal(accounts_finish(f.accounts, &end), 4 * PERIOD + 300);
	finish(&f);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, NULL), PERIOD + 300);
	profile_release(&f.profile);
}

/* Of more tasks than are remembered, each has several parts. */
static void very_many_tasks_share_evenly(void **state)
{
	(void)state;
	struct fixture f;
	uint32_t count = 3 * ENDED_MAX;
	start(&f, false);
	struct task_thread rare = thread(1, "rare");
	accounts_read(f.accounts, &rare, 1, 1000);
	for (uint32_t i = 1; i < count; i++) {
		struct task_thread t = thread(100 + i, "many");
		accounts_read(f.accounts, &t, 1, 1000 + i);
	}
	uint64_t hidden = (uint64_t)count * 1000;
	struct accounts_end end = { .exact_total = count, .rusage_ns = count + hidden };
	assert_int_equal(accounts_finish(f.accounts, &end), count + hidden);
	finish(&f);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, "rare"), 1001);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, "many"),
			 (uint64_t)(count - 1) * 1001);
	uint64_t heaviest = 0;
	for (size_t i = 0; i < f.profile.samples.len; i++)
		if (f.profile.samples.data[i].weight > heaviest)
			heaviest = f.profile.samples.data[i].weight;
	assert_true(heaviest < 4000);
	profile_release(&f.profile);
}

static void reused_tid_is_another_task(void **state)
{
	(void)state;
	struct fixture f;
	struct task_thread first = thread(16, "first"), second = thread(16, "second");
	second.id = 999;
	start(&f, false);
	accounts_read(f.accounts, &first, 7000, 1000);
	accounts_settle(f.accounts, 10000000000ull);
	accounts_read(f.accounts, &second, 9000, 20000000000ull);
	struct accounts_end end = { .exact_total = 16000, .time_ns = 5000 };
	assert_int_equal(accounts_finish(f.accounts, &end), 16000);
	finish(&f);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, "first"), 7000);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, "second"), 9000);
	profile_release(&f.profile);
}

/* Two attached threads: each gets the part of the rest that its own counter shows. */
static void rest_is_shared_by_the_roots(void **state)
{
	(void)state;
	struct fixture f;
	struct task_thread a = thread(20, "a"), b = thread(21, "b");
	start(&f, false);
	for (int i = 0; i < 50; i++) {
		accounts_sample(f.accounts, &a, PERIOD);
		accounts_sample(f.accounts, &b, PERIOD);
	}
	struct accounts_root roots[] = { { 20, 0, 50 * PERIOD + 3000 },
					 { 21, 0, 50 * PERIOD + 1000 },
					 { 20, 1, 77 } };
	struct accounts_end end = {
		.exact_total = 100 * PERIOD + 4000, .roots = roots, .root_count = 3, .time_ns = 5000
	};
	assert_int_equal(accounts_finish(f.accounts, &end), 100 * PERIOD + 4000);
	finish(&f);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, "a"), 3000);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, "b"), 1000);
	profile_release(&f.profile);
}

/* The kernel exchanged main's counters with those of aaa, which therefore ends without READ
 * records.
 */
static void who_ends_with_the_roots_counters_has_what_is_left(void **state)
{
	(void)state;
	struct fixture f;
	struct task_thread root = thread(30, "main"), a = thread(31, "aaa"), b = thread(32, "bbb");
	start(&f, false);
	accounts_exit(f.accounts, &a, 1000);
	accounts_exit(f.accounts, &b, 1001);
	accounts_read(f.accounts, &b, 500000, 1002);
	accounts_read(f.accounts, &b, 0, 1003);
	accounts_exit(f.accounts, &root, 2000);
	accounts_read(f.accounts, &root, 4000, 2001);
	struct accounts_end end = { .exact_total = 1003000,
				    .roots = &(struct accounts_root){ 30, 0, 1003000 },
				    .root_count = 1,
				    .time_ns = 5000 };
	assert_int_equal(accounts_finish(f.accounts, &end), 1003000);
	finish(&f);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, "aaa"), 499000);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, "bbb"), 500000);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, "main"), 4000);
	profile_release(&f.profile);
}

/* Of two attached threads one ended, its counters went on with its child. */
static void a_living_task_has_what_its_root_left(void **state)
{
	(void)state;
	struct fixture f;
	struct task_thread a = thread(40, "a"), b = thread(41, "b"), child = thread(42, "child");
	start(&f, false);
	for (int i = 0; i < 5; i++) {
		accounts_sample(f.accounts, &b, PERIOD);
		accounts_sample(f.accounts, &child, PERIOD);
	}
	accounts_exit(f.accounts, &a, 1000);
	accounts_read(f.accounts, &a, 7000, 1001);
	struct accounts_root roots[] = { { 40, 0, 5 * PERIOD + 7000 }, { 41, 0, 5 * PERIOD } };
	struct accounts_end end = { .exact_total = 10 * PERIOD + 7000 + 900,
				    .roots = roots,
				    .root_count = 2,
				    .time_ns = 5000 };
	assert_int_equal(accounts_finish(f.accounts, &end), end.exact_total);
	finish(&f);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, "a"), 7000);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, "child") +
				 weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, "b"),
			 900);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, "child"), 450);
	profile_release(&f.profile);
}

/* Of several roots each that ends with its own counters has its own part, although none has READ
 * records. */
static void roots_that_end_keep_their_parts(void **state)
{
	(void)state;
	struct fixture f;
	struct task_thread a = thread(50, "a"), b = thread(51, "b"), child = thread(52, "child");
	start(&f, false);
	accounts_exit(f.accounts, &a, 1000);
	accounts_exit(f.accounts, &child, 1500);
	accounts_read(f.accounts, &child, 600, 1501);
	accounts_exit(f.accounts, &b, 2000);
	struct accounts_root roots[] = { { 50, 0, 3000 }, { 51, 0, 9000 } };
	struct accounts_end end = {
		.exact_total = 12600, .roots = roots, .root_count = 2, .time_ns = 5000
	};
	assert_int_equal(accounts_finish(f.accounts, &end), 12600);
	finish(&f);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, "a"), 3000);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, "b"), 9000);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, "child"), 600);
	profile_release(&f.profile);
}

/* A number used again after an end without READ records. */
static void samples_of_a_new_task_are_not_the_old_ones(void **state)
{
	(void)state;
	struct fixture f;
	struct task_thread first = thread(60, "first"), second = thread(60, "second");
	second.id = 999;
	start(&f, false);
	for (int i = 0; i < 5; i++)
		accounts_sample(f.accounts, &first, PERIOD);
	accounts_exit(f.accounts, &first, 1000);
	accounts_settle(f.accounts, 10000000000ull);
	accounts_sample(f.accounts, &second, PERIOD);
	accounts_read(f.accounts, &second, PERIOD + 300, 20000000000ull);
	struct accounts_end end = { .exact_total = 6 * PERIOD + 1000,
				    .roots = &(struct accounts_root){ 60, 0, 6 * PERIOD + 1000 },
				    .root_count = 1,
				    .time_ns = 5000 };
	assert_int_equal(accounts_finish(f.accounts, &end), 6 * PERIOD + 1000);
	finish(&f);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, "second"), 300);
	assert_int_equal(weight_of(&f.profile, SYNTHETIC_NOT_SAMPLED, "first"), 700);
	profile_release(&f.profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_ends_with_the_roots_counters_has_what_is_left),
		cmocka_unit_test(a_living_task_has_what_its_root_left),
		cmocka_unit_test(roots_that_end_keep_their_parts),
		cmocka_unit_test(samples_of_a_new_task_are_not_the_old_ones),
		cmocka_unit_test(short_task_is_not_sampled),
		cmocka_unit_test(hidden_kernel_time_has_its_row),
		cmocka_unit_test(lost_and_throttled_come_first),
		cmocka_unit_test(losses_of_a_long_child_are_lost),
		cmocka_unit_test(sampled_beyond_exact_is_taken_off_later),
		cmocka_unit_test(hidden_exit_time_is_spread_evenly),
		cmocka_unit_test(hidden_exit_time_of_one_task_is_its_own),
		cmocka_unit_test(what_was_sampled_is_not_hidden),
		cmocka_unit_test(very_many_tasks_share_evenly),
		cmocka_unit_test(reused_tid_is_another_task),
		cmocka_unit_test(rest_is_shared_by_the_roots),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
