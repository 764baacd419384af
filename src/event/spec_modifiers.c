/*
 * What follows an event's or a group's last colon: u k h (whose code), G H (guests, the host), I
 * (not while idle), p and P (precise), D (pinned), e (exclusive). perf's S and W ask for what prof
 * does with every group anyway: all its events are read with a sample, and a group that cannot be
 * counted at once is split.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/spec_source.h"

#define LETTERS	    "ukhGHIpPDeSW"
#define OF_LEADER   "De"
#define OF_HARDWARE "pP"

const char *spec_modifiers_find(const char *text, size_t *head_len)
{
	const char *slash = strrchr(text, '/'), *colon = strrchr(text, ':');
	const char *mods = colon && (!slash || colon > slash) ? colon + 1
			   : slash			      ? slash + 1
							      : NULL;

	if (!mods || !*mods || !spec_modifiers_known(mods))
		return NULL;
	*head_len = (size_t)(mods - text) - (mods[-1] == ':');
	return mods;
}

bool spec_modifiers_known(const char *mods)
{
	return mods[strspn(mods, LETTERS)] == '\0';
}

static bool is_software(const struct event_spec *spec)
{
	return spec->type == PERF_TYPE_SOFTWARE || spec->type == PERF_TYPE_TRACEPOINT;
}

static int check_own(const struct event_spec *spec, const char *mods, bool is_leader,
		     struct error *err)
{
	if (!is_leader && strpbrk(mods, OF_LEADER))
		return error_set(err, ERROR_USAGE,
				 "%s:%s: only a group's first event can be pinned (D) or exclusive "
				 "(e); put it first, or after the group: {a,b}:D",
				 spec->name, mods);
	if (is_software(spec) && strpbrk(mods, OF_HARDWARE))
		return error_set(
			err, ERROR_USAGE,
			"%s:%s: p (precise) is for hardware events; the kernel counts this "
			"one itself; leave it out",
			spec->name, mods);
	return 0;
}

/* Of a group's modifiers, what there is for this event. */
static void add_of_group(char *mods, size_t size, const struct event_spec *spec,
			 const char *group_mods, bool is_leader)
{
	size_t len = strlen(mods);

	for (; *group_mods && len + 1 < size; group_mods++) {
		if ((!is_leader && strchr(OF_LEADER, *group_mods)) ||
		    (is_software(spec) && strchr(OF_HARDWARE, *group_mods)))
			continue;
		mods[len++] = *group_mods;
		mods[len] = '\0';
	}
}

static void set_privileges(struct event_spec *spec, bool user, bool kernel, bool hv)
{
	if (!user && !kernel && !hv)
		return;
	if (!spec->exclude_user && !spec->exclude_kernel && !spec->exclude_hv)
		spec->exclude_user = spec->exclude_kernel = spec->exclude_hv = true;
	spec->exclude_user &= !user;
	spec->exclude_kernel &= !kernel;
	spec->exclude_hv &= !hv;
}

static int set_precise(struct event_spec *spec, const char *mods, struct error *err)
{
	for (const char *m = mods; *m; m++)
		spec->precise += *m == 'p';
	if (strchr(mods, 'P'))
		spec->precise = 3;
	if (spec->precise > 3)
		return error_set(err, ERROR_USAGE, "%s: at most three p (precise) modifiers",
				 spec->name);
	return 0;
}

/* cycles:u and cpu/cycles/u, as perf shows them. */
static void append_to(char **name, const char *mods)
{
	size_t len = strlen(*name);
	char *longer = xasprintf("%s%s%s", *name, len && (*name)[len - 1] == '/' ? "" : ":", mods);

	free(*name);
	*name = longer;
}

int spec_modifiers_apply(struct event_spec *spec, const char *own, const char *group_mods,
			 bool is_leader, struct error *err)
{
	char mods[2 * SPEC_NAME_MAX + 1];

	if (check_own(spec, own, is_leader, err) < 0)
		return -1;
	snprintf(mods, sizeof(mods), "%s", own);
	add_of_group(mods, sizeof(mods), spec, group_mods, is_leader);
	if (!*mods)
		return 0;
	set_privileges(spec, strchr(mods, 'u'), strchr(mods, 'k'), strchr(mods, 'h'));
	spec->count_guest |= strchr(mods, 'G') != NULL;
	spec->exclude_host |= strchr(mods, 'G') && !strchr(mods, 'H');
	spec->exclude_idle |= strchr(mods, 'I') != NULL;
	spec->pinned |= strchr(mods, 'D') != NULL;
	spec->exclusive |= strchr(mods, 'e') != NULL;
	if (set_precise(spec, mods, err) < 0)
		return -1;
	append_to(&spec->name, mods);
	append_to(&spec->asked_name, mods);
	return 0;
}

static void rename_precise(char **name, unsigned level)
{
	size_t len = strlen(*name);
	const char *mods = spec_modifiers_find(*name, &len);
	char letters[64] = "";
	size_t n = 0;

	for (; mods && *mods && n < sizeof(letters) - 4; mods++)
		if (!strchr(OF_HARDWARE, *mods))
			letters[n++] = *mods;
	for (unsigned i = 0; i < level && i < 3; i++)
		letters[n++] = 'p';
	letters[n] = '\0';
	char *bare = xstrndup(*name, len);
	free(*name);
	*name = bare;
	if (n)
		append_to(name, letters);
}

void event_spec_set_precise(struct event_spec *spec, unsigned level)
{
	spec->precise = level;
	rename_precise(&spec->name, level);
	if (spec->asked_name)
		rename_precise(&spec->asked_name, level);
}
