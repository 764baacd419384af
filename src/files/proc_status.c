/* /proc/PID/status ("Key:\tvalues", one a line) and the start time in /proc/PID/stat. */
#include <string.h>

#include "base/memory.h"
#include "files/proc_maps.h"

#define STAT_START_FIELD 22
#define PID_KTHREADD	 2

struct line {
	const char *pos, *end;
};

static bool next_line(struct line *rest, struct line *out)
{
	if (rest->pos >= rest->end)
		return false;
	const char *newline = memchr(rest->pos, '\n', (size_t)(rest->end - rest->pos));
	out->pos = rest->pos;
	out->end = newline ? newline : rest->end;
	rest->pos = newline ? newline + 1 : rest->end;
	return true;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

static bool next_number(struct line *l, uint64_t *out)
{
	uint64_t n = 0;

	while (l->pos < l->end && is_space(*l->pos))
		l->pos++;
	const char *first = l->pos;
	for (; l->pos < l->end && *l->pos >= '0' && *l->pos <= '9'; l->pos++) {
		unsigned digit = (unsigned)(*l->pos - '0');
		if (n > (UINT64_MAX - digit) / 10)
			return false;
		n = n * 10 + digit;
	}
	*out = n;
	return l->pos > first;
}

static bool next_u32(struct line *l, uint32_t *out)
{
	uint64_t n;

	if (!next_number(l, &n) || n > UINT32_MAX)
		return false;
	*out = (uint32_t)n;
	return true;
}

/* What one pass over the lines gathers beside the result. */
struct gathered {
	struct proc_status *out;
	bool has_pid, has_uid, has_memory, has_kthread;
	bool effective_is_root; /* then the real user and group were taken */
};

/* The kernel writes newline and backslash in a name as \n and \\. */
static void take_name(struct gathered *g, struct line *l)
{
	size_t n = 0;

	if (l->pos < l->end && is_space(*l->pos))
		l->pos++;
	while (l->pos < l->end && n + 1 < sizeof(g->out->name)) {
		char c = *l->pos++;
		if (c == '\\' && l->pos < l->end) {
			char escaped = *l->pos++;
			c = escaped == 'n' ? '\n' : escaped;
		}
		g->out->name[n++] = c;
	}
	g->out->name[n] = '\0';
}

static void take_state(struct gathered *g, struct line *l)
{
	while (l->pos < l->end && is_space(*l->pos))
		l->pos++;
	g->out->state = l->pos < l->end ? *l->pos : '\0';
}

static void take_tgid(struct gathered *g, struct line *l)
{
	next_u32(l, &g->out->tgid);
}

static void take_pid(struct gathered *g, struct line *l)
{
	g->has_pid = next_u32(l, &g->out->pid);
}

static void take_ppid(struct gathered *g, struct line *l)
{
	next_u32(l, &g->out->ppid);
}

static void take_uid(struct gathered *g, struct line *l)
{
	uint32_t real, effective;

	if (!next_u32(l, &real) || !next_u32(l, &effective))
		return;
	g->has_uid = true;
	g->effective_is_root = effective == 0;
	g->out->uid = effective ? effective : real;
}

static void take_gid(struct gathered *g, struct line *l)
{
	uint32_t real, effective;

	if (!next_u32(l, &real) || !next_u32(l, &effective))
		return;
	g->out->gid = g->effective_is_root ? real : effective;
}

static void take_groups(struct gathered *g, struct line *l)
{
	struct proc_status *out = g->out;
	uint32_t group;

	while (out->group_count < ARRAY_LEN(out->groups) && next_u32(l, &group))
		out->groups[out->group_count++] = group;
}

static void take_ns_pids(struct gathered *g, struct line *l)
{
	uint32_t pid;

	while (next_u32(l, &pid)) {
		g->out->inner_pid = pid;
		g->out->ns_levels++;
	}
}

static void take_memory(struct gathered *g, struct line *l)
{
	(void)l;
	g->has_memory = true;
}

static void take_kthread(struct gathered *g, struct line *l)
{
	uint32_t yes;

	g->has_kthread = next_u32(l, &yes);
	if (g->has_kthread)
		g->out->is_kernel_thread = yes != 0;
}

static const struct {
	const char *key;
	void (*take)(struct gathered *g, struct line *l);
} status_keys[] = {
	{ "Name:", take_name },	    { "State:", take_state },	  { "Tgid:", take_tgid },
	{ "Pid:", take_pid },	    { "PPid:", take_ppid },	  { "Uid:", take_uid },
	{ "Gid:", take_gid },	    { "Groups:", take_groups },	  { "NSpid:", take_ns_pids },
	{ "VmSize:", take_memory }, { "Kthread:", take_kthread },
};

static void take_line(struct gathered *g, struct line *l)
{
	size_t len = (size_t)(l->end - l->pos);

	for (size_t i = 0; i < ARRAY_LEN(status_keys); i++) {
		size_t key_len = strlen(status_keys[i].key);
		if (len >= key_len && memcmp(l->pos, status_keys[i].key, key_len) == 0) {
			l->pos += key_len;
			status_keys[i].take(g, l);
			return;
		}
	}
}

/* Kernels before 6.8 do not say it. A dead process has no memory either; only its parent tells. */
static bool looks_like_kernel_thread(const struct gathered *g)
{
	const struct proc_status *s = g->out;

	if (s->state == 'Z' || s->state == 'X')
		return s->ppid == PID_KTHREADD;
	return !g->has_memory;
}

bool proc_status_parse(const char *text, size_t len, struct proc_status *out)
{
	struct gathered g = { .out = out };
	struct line rest = { text, text }, line;

	*out = (struct proc_status){ 0 };
	if (len > 0)
		rest.end += len;
	while (next_line(&rest, &line))
		take_line(&g, &line);
	if (!g.has_kthread)
		out->is_kernel_thread = looks_like_kernel_thread(&g);
	if (out->ns_levels == 0) { /* no pid namespaces in this kernel */
		out->inner_pid = out->pid;
		out->ns_levels = 1;
	}
	return g.has_pid && g.has_uid;
}

/* The name in parentheses may hold anything, so fields are counted from the last ')'. */
bool proc_stat_start_ticks(const char *text, size_t len, uint64_t *ticks)
{
	const char *paren = len ? memrchr(text, ')', len) : NULL;

	if (!paren)
		return false;
	struct line l = { paren + 1, text + len };
	for (int field = 3; field < STAT_START_FIELD; field++) {
		while (l.pos < l.end && is_space(*l.pos))
			l.pos++;
		while (l.pos < l.end && !is_space(*l.pos))
			l.pos++;
	}
	return next_number(&l, ticks);
}
