/* A library of one function, whose name is given (see reloaded.c). */
#include "burn.h"

NOINLINE void FUNCTION(unsigned long n)
{
	SPIN(n);
}
