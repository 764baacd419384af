/* Functions that names_rename.sh gives names no compiler would. */
#include "burn.h"

#define AWKWARD(name)                    \
	NOINLINE void name(uint64_t ns); \
	NOINLINE void name(uint64_t ns)  \
	{                                \
		BURN_NS(ns);             \
		OPAQUE();                \
	}

AWKWARD(fn_semicolon)
AWKWARD(fn_xml)
AWKWARD(fn_control)
AWKWARD(fn_utf8)
AWKWARD(fn_long)
AWKWARD(fn_script)
