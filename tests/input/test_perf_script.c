/* perf script's output as an input. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "input/input.h"
#include "output/output.h"

static int open_text(struct profile *p, const char *text, uint32_t *warnings, struct error *err)
{
	char path[64];
	int fd = memfd_create("script", MFD_CLOEXEC);

	assert_true(fd >= 0 && io_write_full(fd, text, strlen(text)) == 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	int rc = input_open(p, path, warnings, err);
	close(fd);
	return rc;
}

static void read_text(struct profile *p, const char *text, uint32_t warnings)
{
	struct error err = { 0 };
	uint32_t count = 99;

	if (open_text(p, text, &count, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(count, warnings);
	assert_true(profile_is_consistent(p));
}

static void fold(const struct profile *p, uint32_t event, struct bytes *out)
{
	struct filter_result all = { 0 };

	for (uint32_t i = 0; i < p->samples.len; i++)
		vec_push(&all.samples, i);
	bytes_clear(out);
	output_folded(out, p, &all, event, &(struct folded_options){ 0 });
	bytes_u8(out, '\0');
	filter_result_release(&all);
}

static void expect(const struct profile *p, uint32_t event, const char *folded)
{
	struct bytes out = { 0 };

	fold(p, event, &out);
	assert_string_equal((const char *)out.data, folded);
	bytes_release(&out);
}

static const char two_threads[] =
	"# ========\n# captured on    : Mon Nov 30 12:00:00 2026\n#\n"
	"my app (1)  4711/4712 [003]  2015.925059:    2004008 cpu-clock:ppp: \n"
	"\tffffffff821f5127 exc_page_fault+0xd7 ([kernel.kallsyms])\n"
	"\t          108390 std::map<int, int>::at(int) const+0x1d0 (/usr/lib/lib (x) y.so (deleted))\n"
	"\t          958980 [unknown] ([unknown])\n"
	"\n"
	"        worker  4711/4713 [000]  2015.926000:    1000000 cpu-clock:ppp: \n"
	"\t             1cbd1 inner+0xc11 (inlined)\n"
	"\t             1cbd1 middle+0xc11 (inlined)\n"
	"\t             1cbd1 outer+0xc11 (/usr/bin/app)\n"
	"\t             1a34e main+0x7e (/usr/bin/app)\n"
	"\n"
	"        worker  4711/4713 [000]  2015.926500:          3 sched:sched_switch: prev_comm=a 1.5: b\n"
	"\t             1a34e main+0x7e (/usr/bin/app)\n"
	"\n";

static void stacks_are_read(void **state)
{
	struct profile p;

	(void)state;
	read_text(&p, two_threads, 0);
	assert_int_equal(p.samples.len, 3);
	assert_int_equal(p.events.len, 2);
	assert_string_equal(profile_str(&p, p.events.data[0].name), "cpu-clock:ppp");
	assert_int_equal(p.events.data[0].unit, UNIT_NS);
	assert_string_equal(profile_str(&p, p.events.data[1].name), "sched:sched_switch");
	assert_int_equal(p.events.data[1].unit, UNIT_COUNT);
	assert_int_equal(p.samples.data[0].time_ns, 2015925059000);
	assert_int_equal(p.samples.data[0].cpu, 3);
	const struct profile_task *t = &p.tasks.data[p.samples.data[0].task];
	assert_string_equal(profile_str(&p, t->comm), "my app (1)");
	assert_int_equal(t->pid, 4711);
	assert_int_equal(t->tid, 4712);
	expect(&p, 0,
	       "my app (1);[unknown 0x958980];std::map<int, int>::at(int) const;exc_page_fault 2004008\n"
	       "worker;main;outer;middle;inner 1000000\n");
	expect(&p, 1, "worker;main 3\n");
	profile_release(&p);
}

static const struct profile_module *find_module(const struct profile *p, const char *path)
{
	for (size_t i = 0; i < p->modules.len; i++)
		if (strcmp(profile_str(p, p->modules.data[i].path), path) == 0)
			return &p->modules.data[i];
	fail_msg("no module %s", path);
	return NULL;
}

static void objects_say_the_kind(void **state)
{
	struct profile p;

	(void)state;
	read_text(
		&p,
		"a 1 1.0: 1 x:\n\t1 f+0x1 ([ext4])\n\t2 g ([vdso])\n\t3 h (/tmp/perf-9.map)\n\t4 i (/bin/a)\n",
		0);
	assert_int_equal(find_module(&p, "[ext4]")->kind, MODULE_KERNEL);
	assert_int_equal(find_module(&p, "[vdso]")->kind, MODULE_VDSO);
	assert_int_equal(find_module(&p, "/tmp/perf-9.map")->kind, MODULE_JIT);
	assert_int_equal(find_module(&p, "/bin/a")->kind, MODULE_FILE);
	expect(&p, 0, "a;i;h;g;f 1\n");
	profile_release(&p);
}

/* Without call chains the frame is on the sample's line; without periods each sample counts once.
 */
static void short_forms(void **state)
{
	struct profile p;

	(void)state;
	read_text(
		&p,
		"sh 7 5.000000001: cycles:  ffffffff81 do_it+0x5 ([kernel.kallsyms])\nsh 7 5.1: cycles:\n",
		0);
	assert_int_equal(p.samples.data[0].time_ns, 5000000001);
	expect(&p, 0, "sh;[unknown 0x0] 1\nsh;do_it 1\n");
	profile_release(&p);
}

static void what_is_neither_is_left_out(void **state)
{
	struct profile p;
	struct error err = { 0 };

	(void)state;
	read_text(
		&p,
		"a 1 1.0: 1 x:\n\tnonsense\n\t1 f (/b)\n\nb 99999999999 2.0: 1 x:\n\t2 g (/b)\n\n",
		1);
	assert_string_equal(
		profile_str(&p, p.notes.data[0]),
		"3 lines are neither a sample's nor a frame's and left out (the first: line 2)");
	expect(&p, 0, "a;f 1\n");
	profile_release(&p);
	assert_int_equal(open_text(&p, "# ========\n# captured on    : now\n#\n", NULL, &err), -1);
	assert_non_null(strstr(err.text, "has no sample with a time"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_are_read),
		cmocka_unit_test(objects_say_the_kind),
		cmocka_unit_test(short_forms),
		cmocka_unit_test(what_is_neither_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
