/*
 * A BPF program that counts down, run by messages over a socket, until so much CPU time is used.
 * Truth: most of it is in bpf_prog_TAG_prof_loop, which is gone when this ends. Status 77: no such
 * program may be loaded.
 *
 * usage: bpf MILLISECONDS [TIMES]
 *   TIMES: so often another program takes the place of the one before, prof_loop_0 and so on, each
 *   for its part of the time
 */
#include "burn.h"

#include <linux/bpf.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct bpf_insn countdown[] = {
	{ BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0 },
	{ BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, 20000 },
	{ BPF_ALU64 | BPF_ADD | BPF_K, 0, 0, 0, 1 },
	{ BPF_ALU64 | BPF_SUB | BPF_K, 1, 0, 0, 1 },
	{ BPF_JMP | BPF_JNE | BPF_K, 1, 0, -3, 0 },
	{ BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 1 },
	{ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 },
};

static int load(const char *name)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (uint64_t)(uintptr_t)countdown;
	attr.insn_cnt = sizeof(countdown) / sizeof(countdown[0]);
	attr.license = (uint64_t)(uintptr_t) "GPL";
	strcpy(attr.prog_name, name);
	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

static int run(const char *name, uint64_t ns)
{
	char byte = 0;
	int pair[2], program = load(name);

	if (program < 0 || socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) < 0 ||
	    setsockopt(pair[1], SOL_SOCKET, SO_ATTACH_BPF, &program, sizeof(program)) < 0)
		return 77;
	for (uint64_t end = cpu_ns() + ns; cpu_ns() < end && send(pair[0], &byte, 1, 0) == 1;)
		recv(pair[1], &byte, 1, MSG_DONTWAIT);
	close(program);
	close(pair[0]);
	close(pair[1]);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t ns = ms_argument(argc, argv, 1000);
	int times = argc > 2 ? atoi(argv[2]) : 0, status = 0;
	char name[16];

	if (times == 0)
		return run("prof_loop", ns);
	for (int i = 0; i < times && status == 0; i++) {
		snprintf(name, sizeof(name), "prof_loop_%d", i % 10);
		status = run(name, ns / (uint64_t)times);
	}
	return status;
}
