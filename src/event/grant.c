/* The command that lets an ordinary user do what root may. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "event/open.h"

#define CAPABILITIES "cap_perfmon,cap_sys_ptrace,cap_syslog,cap_bpf"

/* PREFIX, where the program is PREFIX/bin/prof and PREFIX/sbin/prof-grant is there; else -1. */
static int prefix_length(const char *program)
{
	char path[PATH_MAX + 32];
	const char *slash = strrchr(program, '/');
	size_t len = slash ? (size_t)(slash - program) : 0;

	if (len < 4 || strncmp(program + len - 4, "/bin", 4) != 0)
		return -1;
	snprintf(path, sizeof(path), "%.*s/sbin/prof-grant", (int)(len - 4), program);
	return access(path, X_OK) == 0 ? (int)(len - 4) : -1;
}

/* sudo finds what lies there by its name. */
static bool is_usual(const char *prefix, int len)
{
	return (len == 4 && strncmp(prefix, "/usr", 4) == 0) || len == 0 ||
	       (len == 10 && strncmp(prefix, "/usr/local", 10) == 0);
}

const char *event_grant_command(char *buf, size_t size)
{
	char program[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);

	program[n > 0 ? n : 0] = '\0';
	int prefix = prefix_length(program);
	if (prefix < 0)
		snprintf(buf, size, "sudo setcap " CAPABILITIES "+ep \"$(command -v prof)\"");
	else if (is_usual(program, prefix))
		snprintf(buf, size, "sudo prof-grant on && sudo adduser $USER prof");
	else
		snprintf(buf, size, "sudo %.*s/sbin/prof-grant on && sudo adduser $USER prof",
			 prefix, program);
	return buf;
}
