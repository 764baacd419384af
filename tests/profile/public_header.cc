/* The public header alone, in C++, with every warning: it needs nothing else. */
#include "prof/profile.h"

int main(void)
{
	return PROF_NONE == UINT32_MAX ? 0 : 1;
}
