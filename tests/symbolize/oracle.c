/* Both tools write an address line, then a name line and a "file:line" line for each frame. */
#include "oracle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"

static char *next_line(char **p)
{
	char *line = *p;

	if (!line || !*line)
		return NULL;
	char *end = strchr(line, '\n');
	if (end)
		*end = '\0';
	*p = end ? end + 1 : NULL;
	return line;
}

static struct oracle_frame parse_frame(const char *name, char *place)
{
	char *slash = strrchr(place, '/'), *file = slash ? slash + 1 : place;
	char *colon = strchr(file, ':');
	struct oracle_frame f = { .name = name, .file = file };

	if (colon) {
		f.line = (uint32_t)strtoul(colon + 1, NULL, 10);
		*colon = '\0';
	}
	return f;
}

static void parse(struct oracle *o)
{
	bytes_u8(&o->text, 0);
	char *p = (char *)o->text.data;

	for (char *line; (line = next_line(&p));) {
		if (strncmp(line, "0x", 2) == 0) {
			uint64_t address = strtoull(line, NULL, 16);
			vec_push(&o->answers,
				 ((struct oracle_answer){ address, o->frames.len, 0 }));
			continue;
		}
		char *place = next_line(&p);
		if (!place || !o->answers.len)
			return;
		vec_push(&o->frames, parse_frame(line, place));
		o->answers.data[o->answers.len - 1].count++;
	}
}

bool oracle_ask(struct oracle *o, const char *tool, const char *path, const uint64_t *addresses,
		size_t count)
{
	char list[] = "/tmp/prof-test-oracle-XXXXXX", command[2048];
	struct bytes text = { 0 };
	int fd = mkstemp(list);

	for (size_t i = 0; i < count; i++)
		bytes_printf(&text, "0x%" PRIx64 "\n", addresses[i]);
	if (fd < 0 || io_write_full(fd, text.data, text.len) < 0)
		return false;
	close(fd);
	bytes_release(&text);
	snprintf(command, sizeof(command), "timeout 120 %s '%s' <%s 2>/dev/null", tool, path, list);
	FILE *f = popen(command, "re");
	bool done = f && io_read_all(fileno(f), &o->text, (size_t)1 << 28, NULL) == 0;
	done = f && pclose(f) == 0 && done;
	unlink(list);
	parse(o);
	return done && o->answers.len == count;
}

void oracle_release(struct oracle *o)
{
	bytes_release(&o->text);
	vec_release(&o->frames);
	vec_release(&o->answers);
}
