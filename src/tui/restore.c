/*
 * Putting the terminal back when a signal ends the process: with what is safe in a handler, so
 * without ncurses. The strings that do it are asked for beforehand.
 */
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/memory.h"
#include "tui/terminal.h"

/* Behind ours: its macros have everyday names. */
#include <ncurses.h>
#include <term.h>

static const int ending[] = { SIGHUP,  SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGALRM, SIGXCPU,
			      SIGSEGV, SIGBUS, SIGILL,	SIGFPE,	 SIGABRT, SIGSYS,  SIGTRAP };

static struct {
	struct termios modes;
	struct sigaction before[ARRAY_LEN(ending)];
	bool has_modes, is_kept, has_mouse;
	pid_t owner; /* processes that are started later have the handler too */
	volatile sig_atomic_t is_armed;
	char text[256]; /* what to write */
	size_t len;
} saved;

void restore_now(void)
{
	/* In the background it is the shell's. */
	if (saved.is_armed && getpid() == saved.owner && tcgetpgrp(STDIN_FILENO) == getpgrp()) {
		saved.is_armed = 0;
		if (saved.has_modes)
			tcsetattr(STDIN_FILENO, TCSADRAIN, &saved.modes);
		ssize_t ignored = write(STDOUT_FILENO, saved.text, saved.len);
		(void)ignored;
	}
}

static void put_back(int number)
{
	restore_now();
	raise(number); /* by its usual way: it comes once the handler has returned */
}

static void add_text(const char *capability)
{
	char *text = tigetstr((char *)(uintptr_t)capability);

	if (!text || text == (char *)-1)
		return;
	for (; *text && saved.len < sizeof(saved.text); text++) {
		/* Delays ("$<5>") were for terminals of paper and glass. */
		if (text[0] == '$' && text[1] == '<' && strchr(text, '>'))
			text = strchr(text, '>');
		else
			saved.text[saved.len++] = *text;
	}
}

void restore_mouse(void)
{
	static const char off[] = "\x1b[?1000l\x1b[?1006l"; /* whichever it was asked with */

	if (saved.has_mouse || saved.len + sizeof(off) > sizeof(saved.text))
		return;
	memcpy(saved.text + saved.len, off, sizeof(off) - 1);
	saved.len += sizeof(off) - 1;
	saved.has_mouse = true;
}

void restore_remember(void)
{
	saved.has_modes = tcgetattr(STDIN_FILENO, &saved.modes) == 0;
}

void restore_arm(bool armed)
{
	struct sigaction action = { .sa_handler = put_back, .sa_flags = (int)SA_RESETHAND };

	if (armed && !saved.is_kept) {
		saved.len = 0;
		saved.has_mouse = false;
		saved.owner = getpid();
		add_text("sgr0");
		add_text("op");
		add_text("rmkx");
		add_text("cnorm");
		add_text("rmcup");
		for (size_t i = 0; i < ARRAY_LEN(ending); i++)
			sigaction(ending[i], &action, &saved.before[i]);
		saved.is_kept = true;
	}
	saved.is_armed = armed;
}

void restore_forget(void)
{
	saved.is_armed = 0;
	for (size_t i = 0; saved.is_kept && i < ARRAY_LEN(ending); i++)
		sigaction(ending[i], &saved.before[i], NULL);
	saved.is_kept = false;
}
