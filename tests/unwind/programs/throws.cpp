// Exceptions: the C++ runtime's own unwinder at work, landing pads, destructors.
#include <stdexcept>
#include <string>

struct Guard {
	int *count;
	~Guard() { ++*count; }
};

static __attribute__((noinline)) void thrower(int depth, int *count)
{
	Guard guard{ count };
	if (depth == 0)
		throw std::runtime_error("deep");
	thrower(depth - 1, count);
}

int main()
{
	int count = 0;
	try {
		thrower(3, &count);
	} catch (const std::exception &e) {
		return count == 4 && e.what()[0] == 'd' ? 0 : 1;
	}
	return 2;
}
