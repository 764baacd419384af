/*
 * A BPF program that counts down, run by messages over a socket, until so much CPU time is used.
 * Truth: most of it is in bpf_prog_TAG_prof_loop, which is gone when this ends. Status 77: no such
 * program may be loaded.
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

int main(int argc, char **argv)
{
	uint64_t end;
	union bpf_attr attr;
	char byte = 0;
	int pair[2];

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (uint64_t)(uintptr_t)countdown;
	attr.insn_cnt = sizeof(countdown) / sizeof(countdown[0]);
	attr.license = (uint64_t)(uintptr_t) "GPL";
	strcpy(attr.prog_name, "prof_loop");
	int program = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	if (program < 0 || socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) < 0 ||
	    setsockopt(pair[1], SOL_SOCKET, SO_ATTACH_BPF, &program, sizeof(program)) < 0)
		return 77;
	end = cpu_ns() + ms_argument(argc, argv, 1000);
	while (cpu_ns() < end && send(pair[0], &byte, 1, 0) == 1)
		recv(pair[1], &byte, 1, MSG_DONTWAIT);
	return 0;
}
