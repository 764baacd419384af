/*
 * The script and the style sheet of the flame graph, embedded at build time from the files beside
 * this header (made small by embed.c). js is a loader of what is packed, as text for an element of
 * class prof-script: plain, or timed for graphs with threads and times, or differential
 * for those of two profiles, which have the style diff_css besides. ASCII, ended by a NUL. None
 * holds "]]>" nor "</", and what is packed neither '<' nor '&'.
 */
#ifndef PROF_WEB_WEB_H
#define PROF_WEB_WEB_H

#include <stddef.h>

extern const char web_flame_js[];
extern const size_t web_flame_js_len;
extern const char web_flame_plain[];
extern const size_t web_flame_plain_len;
extern const char web_flame_timed[];
extern const size_t web_flame_timed_len;
extern const char web_flame_differential[];
extern const size_t web_flame_differential_len;
extern const char web_flame_css[];
extern const size_t web_flame_css_len;
extern const char web_flame_diff_css[];
extern const size_t web_flame_diff_css_len;

#endif
