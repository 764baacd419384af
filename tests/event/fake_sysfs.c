#include "fake_sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

static void must(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	abort();
}

char *fake_root(void)
{
	char *root = xstrdup("/tmp/prof-test-XXXXXX");

	must(mkdtemp(root) != NULL, root);
	return root;
}

void fake_file(const char *root, const char *path, const char *text)
{
	char *full = xasprintf("%s/%s", root, path);

	for (char *s = full + strlen(root) + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		must(mkdir(full, 0700) == 0 || errno == EEXIST, full);
		*s = '/';
	}
	FILE *f = fopen(full, "we");
	must(f != NULL, full);
	fputs(text, f);
	must(fclose(f) == 0, full);
	free(full);
}

int fake_remove(void **state)
{
	char *command = xasprintf("rm -r '%s'", (char *)*state);
	int status = system(command);

	free(command);
	free(*state);
	return status;
}

void fake_hybrid(const char *root)
{
	static const struct {
		const char *path, *text;
	} files[] = {
		{ "cpu_core/type", "4\n" },
		{ "cpu_core/cpus", "0-7\n" },
		{ "cpu_core/format/event", "config:0-7\n" },
		{ "cpu_core/format/umask", "config:8-15\n" },
		{ "cpu_core/events/cpu-cycles", "event=0x3c\n" },
		{ "cpu_core/events/topdown-retiring", "event=0x00,umask=0x80\n" },
		{ "cpu_core/events/mem-loads", "event=0xcd,umask=0x01\n" },
		{ "cpu_atom/type", "10\n" },
		{ "cpu_atom/cpus", "8-11,14\n" },
		{ "cpu_atom/format/event", "config:0-7\n" },
		{ "cpu_atom/format/umask", "config:8-15\n" },
		{ "cpu_atom/events/cpu-cycles", "event=0x3c\n" },
		{ "cpu_atom/events/mem-loads", "event=0xd0,umask=0x05\n" },
		{ "uncore_imc_0/type", "20\n" },
		{ "uncore_imc_0/cpumask", "0,8\n" },
		{ "uncore_imc_0/format/event", "config:0-7\n" },
		{ "uncore_imc_0/format/umask", "config:8-15\n" },
		{ "uncore_imc_0/events/cas_count_read", "event=0x04,umask=0x03\n" },
		{ "uncore_imc_0/events/cas_count_read.scale", "6.103515625e-5\n" },
		{ "uncore_imc_0/events/cas_count_read.unit", "MiB\n" },
		{ "uncore_imc_0/events/clockticks", "event=0xff\n" },
		{ "uncore_imc_1/type", "21\n" },
		{ "uncore_imc_1/cpumask", "0,8\n" },
		{ "uncore_imc_1/format/event", "config:0-7\n" },
		{ "uncore_imc_1/format/umask", "config:8-15\n" },
		{ "uncore_imc_1/events/cas_count_read", "event=0x04,umask=0x03\n" },
		{ "uncore_imc_1/events/cas_count_read.scale", "6.103515625e-5\n" },
		{ "uncore_imc_1/events/cas_count_read.unit", "MiB\n" },
		{ "uncore_cha_0/type", "22\n" },
		{ "uncore_cha_0/cpumask", "0,8\n" },
		{ "uncore_cha_0/events/clockticks", "config=0\n" },
		{ "power/type", "30\n" },
		{ "power/cpumask", "0\n" },
		{ "power/per-pkg", "1\n" },
		{ "power/format/event", "config:0-7\n" },
		{ "power/events/energy-pkg", "event=0x02\n" },
		{ "power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n" },
		{ "power/events/energy-pkg.unit", "Joules\n" },
		{ "arm_spe_0/type", "31\n" },
		{ "arm_spe_0/cpumask", "0-3\n" },
		{ "arm_spe_0/format/jitter", "config:16\n" },
		{ "msr/type", "9\n" },
		{ "msr/format/event", "config:0-63\n" },
		{ "msr/events/tsc", "event=0x00\n" },
		{ "uprobe/type", "8\n" },
		{ "uprobe/format/retprobe", "config:0\n" },
	};

	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		fake_file(root, files[i].path, files[i].text);
}
