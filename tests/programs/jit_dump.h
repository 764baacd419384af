/* Writing a jitdump, jit-PID.dump in the working directory, for the programs that make code. */
#ifndef JIT_DUMP_H
#define JIT_DUMP_H

#include "burn.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static inline uint64_t dump_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline void put(FILE *f, const void *data, size_t len)
{
	fwrite(data, 1, len, f);
}

static inline void put_u32(FILE *f, uint32_t v)
{
	put(f, &v, sizeof(v));
}

static inline void put_u64(FILE *f, uint64_t v)
{
	put(f, &v, sizeof(v));
}

static inline void put_prefix(FILE *f, uint32_t kind, size_t size)
{
	put_u32(f, kind);
	put_u32(f, (uint32_t)size);
	put_u64(f, dump_time());
}

static inline void put_owner(FILE *f)
{
	put_u32(f, (uint32_t)getpid());
	put_u32(f, (uint32_t)getpid());
}

/* The mapping is how recorders learn of the file. */
static inline FILE *open_dump(void)
{
	char path[64];

	snprintf(path, sizeof(path), "jit-%d.dump", getpid());
	FILE *f = fopen(path, "w+");
	mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f), 0);
	put_u32(f, 0x4a695444);
	put_u32(f, 1);
	put_u32(f, 40);
	put_u32(f, 62);
	put_u32(f, 0);
	put_u32(f, (uint32_t)getpid());
	put_u64(f, dump_time());
	put_u64(f, 0);
	return f;
}

static inline void dump_load(FILE *f, const unsigned char *at, size_t size, const char *name)
{
	put_prefix(f, 0, 56 + strlen(name) + 1 + size);
	put_owner(f);
	put_u64(f, (uint64_t)at);
	put_u64(f, (uint64_t)at);
	put_u64(f, size);
	put_u64(f, 1);
	put(f, name, strlen(name) + 1);
	put(f, at, size);
	fflush(f);
}

#endif
