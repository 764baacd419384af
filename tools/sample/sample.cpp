/*
 * A small program with much to see in a profile: templates and inlined functions, recursion, callbacks from
 * libc, virtual calls, exceptions, several named threads, memory copies and system calls. It runs for about
 * three seconds of wall time (or for as many as its argument says) and prints one line.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;

class Deadline {
public:
	explicit Deadline(double seconds)
		: end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)))
	{
	}
	bool passed() const { return Clock::now() >= end_; }

private:
	Clock::time_point end_;
};

/* Inlined three levels deep at -O2. */
inline unsigned mix(unsigned x)
{
	x ^= x << 13;
	x ^= x >> 17;
	return x ^ x << 5;
}

struct Random {
	unsigned state;
	unsigned next() { return state = mix(state); }
	double uniform() { return next() / 4294967296.0; }
};

/* Recursion: the number of frames is the depth of the call. */
[[gnu::noinline]] unsigned fibonacci(unsigned n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

/* A callback from libc. */
int compare_doubles(const void *a, const void *b)
{
	double x = *static_cast<const double *>(a), y = *static_cast<const double *>(b);

	return x < y ? -1 : x > y;
}

[[gnu::noinline]] double sort_with_libc(Random &random)
{
	std::vector<double> values(20000);

	for (double &v : values)
		v = random.uniform();
	qsort(values.data(), values.size(), sizeof(values[0]), compare_doubles);
	return values[values.size() / 2];
}

template <typename T, std::size_t N> struct Matrix {
	T cells[N][N];

	[[gnu::noinline]] Matrix multiply(const Matrix &other) const
	{
		Matrix result{};
		for (std::size_t i = 0; i < N; i++)
			for (std::size_t k = 0; k < N; k++)
				for (std::size_t j = 0; j < N; j++)
					result.cells[i][j] += cells[i][k] * other.cells[k][j];
		return result;
	}
};

template <typename T> [[gnu::noinline]] double matrix_power(Random &random, int exponent)
{
	auto m = std::make_unique<Matrix<T, 48>>();

	for (auto &row : m->cells)
		for (T &cell : row)
			cell = static_cast<T>(random.uniform() / 30);
	for (int i = 0; i < exponent; i++)
		*m = m->multiply(*m);
	return static_cast<double>(m->cells[3][7]);
}

[[gnu::noinline]] std::size_t count_words(Random &random)
{
	std::map<std::string, int> counts;

	for (int i = 0; i < 20000; i++)
		counts["word-" + std::to_string(random.next() % 3000)]++;
	return counts.size();
}

struct Shape {
	virtual ~Shape() = default;
	virtual double area() const = 0;
};
struct Circle : Shape {
	double radius = 1;
	[[gnu::noinline]] double area() const override
	{
		double sum = 0;
		for (int i = 1; i < 3000; i++)
			sum += radius / i;
		return sum;
	}
};
struct Square : Shape {
	double side = 2;
	[[gnu::noinline]] double area() const override
	{
		double sum = 0;
		for (int i = 1; i < 1500; i++)
			sum += side * side / i;
		return sum;
	}
};

[[gnu::noinline]] double sum_areas()
{
	std::vector<std::unique_ptr<Shape>> shapes;
	double sum = 0;

	for (int i = 0; i < 100; i++) {
		if (i % 2)
			shapes.push_back(std::make_unique<Circle>());
		else
			shapes.push_back(std::make_unique<Square>());
	}
	std::for_each(shapes.begin(), shapes.end(), [&sum](const auto &shape) { sum += shape->area(); });
	return sum;
}

[[gnu::noinline]] int fail_sometimes(int depth)
{
	if (depth == 0)
		throw std::runtime_error("as planned");
	return fail_sometimes(depth - 1) + 1;
}

[[gnu::noinline]] int catch_exceptions()
{
	int caught = 0;

	for (int i = 0; i < 200; i++) {
		try {
			fail_sometimes(8);
		} catch (const std::runtime_error &) {
			caught++;
		}
	}
	return caught;
}

[[gnu::noinline]] std::size_t copy_memory()
{
	static thread_local std::vector<char> from(1 << 20, 'x'), to(1 << 20);

	for (int i = 0; i < 20; i++)
		std::memcpy(to.data(), from.data(), to.size());
	return static_cast<std::size_t>(to[to.size() / 2]);
}

[[gnu::noinline]] long read_zeroes()
{
	static thread_local char buf[1 << 16];
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	long sum = 0;

	for (int i = 0; fd >= 0 && i < 200; i++)
		sum += read(fd, buf, sizeof(buf));
	if (fd >= 0)
		close(fd);
	return sum;
}

double numbers(const Deadline &deadline)
{
	Random random{ 12345 };
	double sum = 0;

	while (!deadline.passed()) {
		sum += matrix_power<double>(random, 20);
		sum += matrix_power<float>(random, 20);
		sum += sort_with_libc(random);
	}
	return sum;
}

double words(const Deadline &deadline)
{
	Random random{ 54321 };
	double sum = 0;

	while (!deadline.passed()) {
		sum += static_cast<double>(count_words(random));
		sum += catch_exceptions();
	}
	return sum;
}

double everything_else(const Deadline &deadline)
{
	double sum = 0;

	while (!deadline.passed()) {
		sum += fibonacci(24);
		sum += sum_areas();
		sum += static_cast<double>(copy_memory());
		sum += static_cast<double>(read_zeroes());
	}
	return sum;
}

void run_named(const char *name, double (*work)(const Deadline &), const Deadline &deadline, double *result)
{
	pthread_setname_np(pthread_self(), name);
	*result = work(deadline);
}

} // namespace

int main(int argc, char **argv)
{
	double results[2] = { 0, 0 };
	Deadline deadline(argc > 1 ? std::atof(argv[1]) : 3.0);

	std::thread first(run_named, "numbers", numbers, std::cref(deadline), &results[0]);
	std::thread second(run_named, "words", words, std::cref(deadline), &results[1]);
	double rest = everything_else(deadline);
	first.join();
	second.join();
	std::printf("sample: done (%g)\n", results[0] + results[1] + rest);
	return 0;
}
