/* Names that break folded text and SVG: templates, operators, lambdas, and symbols with any bytes in them.
 * Truth: each of the functions below is one whole frame below main, with an equal share. */
#include <functional>

#include "burn.h"

static uint64_t part;
#define BURN()                 \
	do {                   \
		BURN_NS(part); \
		OPAQUE();      \
	} while (0)

namespace {
NOINLINE void anonymous_namespace()
{
	BURN();
}
} // namespace

enum Letter { A, B };
template <Letter N> struct Templated {
	NOINLINE void member() { BURN(); }
};
struct Operators {
	NOINLINE void operator()(int) const { BURN(); }
	NOINLINE bool operator<(const Operators &) const
	{
		BURN();
		return false;
	}
};
NOINLINE void takes(std::function<void(int &)> f)
{
	int x = 0;

	f(x);
	OPAQUE();
}

extern "C" {
void fn_semicolon(uint64_t);
void fn_xml(uint64_t);
void fn_control(uint64_t);
void fn_utf8(uint64_t);
void fn_long(uint64_t);
void fn_script(uint64_t);
}

int main(int argc, char **argv)
{
	part = ms_argument(argc, argv, 1100) / 11;
	anonymous_namespace();
	Templated<A>().member();
	Operators o;
	o(1);
	(void)(o < o);
	takes([](int &y) {
		y++;
		BURN();
	});
	fn_semicolon(part);
	fn_xml(part);
	fn_control(part);
	fn_utf8(part);
	fn_long(part);
	fn_script(part);
	return 0;
}
