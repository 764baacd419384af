/* Kinds of files by content (ELF, dumps) and by name (source, which has no mark of its own). */
#include "files/kind.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"

#define ELF_TYPE_OFFSET	 16 /* two bytes, in the file's byte order */
#define ELF_ORDER_OFFSET 5
#define ELF_BIG_ENDIAN	 2
#define ELF_TYPE_CORE	 4
#define HEAD_BYTES	 18
#define DUMP_MAGIC	 0x4A695444u /* "JiTD" as a number of the writer's byte order */

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A core is the memory of a process, with whatever secrets it had. */
static bool is_program(const uint8_t *head, size_t len)
{
	if (len < HEAD_BYTES || memcmp(head, "\177ELF", 4) != 0)
		return false;
	bool is_big = head[ELF_ORDER_OFFSET] == ELF_BIG_ENDIAN;
	const uint8_t *type = head + ELF_TYPE_OFFSET;
	return (is_big ? type[0] << 8 | type[1] : type[1] << 8 | type[0]) != ELF_TYPE_CORE;
}

static bool is_dump_name(const char *path)
{
	const char *name = last_component(path);
	size_t digits = strncmp(name, "jit-", 4) == 0 ? strspn(name + 4, "0123456789") : 0;

	return digits > 0 && strcmp(name + 4 + digits, ".dump") == 0;
}

static bool is_dump(const uint8_t *head, size_t len, const char *path)
{
	uint32_t magic;

	if (len < sizeof(magic) || !is_dump_name(path))
		return false;
	memcpy(&magic, head, sizeof(magic));
	return magic == DUMP_MAGIC || magic == __builtin_bswap32(DUMP_MAGIC);
}

static bool has_source_suffix(const char *name)
{
	static const char *const suffixes[] = {
		"ada", "adb", "ads", "asm",  "c",   "c++", "cc",   "cl",    "cpp",   "cppm",
		"cr",  "cu",  "cuh", "cxx",  "d",   "def", "f",	   "f03",   "f08",   "f77",
		"f90", "f95", "for", "go",   "h",   "h++", "hh",   "hpp",   "hs",    "hxx",
		"i",   "ii",  "inc", "inl",  "ipp", "ixx", "java", "jl",    "js",    "kt",
		"l",   "ll",  "lua", "m",    "ml",  "mm",  "nim",  "p",	    "pas",   "pl",
		"py",  "pyx", "r",   "rb",   "re",  "rs",  "s",	   "scala", "swift", "sx",
		"tcc", "ts",  "v",   "vala", "y",   "yy",  "zig",
	};
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot && dot > name && i < ARRAY_LEN(suffixes); i++)
		if (strcasecmp(dot + 1, suffixes[i]) == 0)
			return true;
	return false;
}

/* C++'s own headers have no suffix. */
static bool is_below_include(const char *path)
{
	return strstr(path, "/include/") != NULL && last_component(path)[0] != '.';
}

bool kind_is_source_name(const char *path)
{
	return has_source_suffix(last_component(path)) || is_below_include(path);
}

bool kind_is_source(int fd, const char *path)
{
	char self[48], real[PATH_MAX];

	if (!kind_is_source_name(path))
		return false;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(self, real, sizeof(real) - 1);
	if (n < 0)
		return false;
	real[n] = '\0';
	return kind_is_source_name(real);
}

const char *kind_refusal(int fd, const char *path, enum kind_purpose purpose)
{
	uint8_t head[HEAD_BYTES];
	ssize_t n = io_pread_full(fd, head, sizeof(head), 0);
	size_t len = n > 0 ? (size_t)n : 0;

	if (is_program(head, len))
		return NULL;
	if (purpose == KIND_MAPPED && is_dump(head, len, path))
		return NULL;
	if (purpose == KIND_NAMED && kind_is_source(fd, path))
		return NULL;
	return purpose == KIND_MAPPED ? "not an ELF file" : "neither an ELF file nor source";
}
