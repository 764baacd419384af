/*
 * x86-64: SSE2, AVX, AVX2 with FMA, AVX-512.
 *
 * Arithmetic: 14 chains of dependent instructions, registers 0 to 13; 14 and 15 hold constants. Two
 * units with a latency of at most 5 cycles need 10 chains. Without FMA, multiplications and
 * additions take turns, 7 chains each, since some processors have units of their own for them.
 * Values stay normal numbers: a product shrinks by 2^-22 each time, a sum grows by as much.
 */
#include "peaks/kernels.h"

#ifdef __x86_64__

/* ---- arithmetic ---- */

#define CHAINS 14

struct constants {
	_Alignas(64) double one[8];
	double shrink[8], grow[8];
};

struct constants_single {
	_Alignas(64) float one[16];
	float shrink[16], grow[16];
};

#define EIGHT(x)   x, x, x, x, x, x, x, x
#define SIXTEEN(x) EIGHT(x), EIGHT(x)
#define TINY	   0x1p-22

static const struct constants doubles = { { EIGHT(1) }, { EIGHT(1 - TINY) }, { EIGHT(TINY) } };
static const struct constants_single floats = { { SIXTEEN(1) },
						{ SIXTEEN((float)(1 - TINY)) },
						{ SIXTEEN((float)TINY) } };

#define ALL_REGISTERS                                                                            \
	"xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
		"xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

#define EACH_CHAIN(M, op, r) \
	M(op, r, 0)          \
	M(op, r, 1)          \
	M(op, r, 2)          \
	M(op, r, 3)          \
	M(op, r, 4)          \
	M(op, r, 5)          \
	M(op, r, 6)          \
	M(op, r, 7) M(op, r, 8) M(op, r, 9) M(op, r, 10) M(op, r, 11) M(op, r, 12) M(op, r, 13)

#define SET(op, r, n) op " (%[one]), %%" r #n "\n\t"
#define FMA(op, r, n) op " %%" r "15, %%" r "14, %%" r #n "\n\t"

/* One multiplication and one addition, of chains that have nothing to do with each other. */
#define PAIR2(mul, add, r, n, m) mul " %%" r "14, %%" r #n "\n\t" add " %%" r "15, %%" r #m "\n\t"
#define PAIR3(mul, add, r, n, m) \
	mul " %%" r "14, %%" r #n ", %%" r #n "\n\t" add " %%" r "15, %%" r #m ", %%" r #m "\n\t"
#define PAIRS(P, mul, add, r) \
	P(mul, add, r, 0, 7)  \
	P(mul, add, r, 1, 8)  \
	P(mul, add, r, 2, 9)  \
	P(mul, add, r, 3, 10) P(mul, add, r, 4, 11) P(mul, add, r, 5, 12) P(mul, add, r, 6, 13)

#define FMAS(op, r) EACH_CHAIN(FMA, op, r)

#define ARITHMETIC(name, values, load, r, body, end)                                               \
	static void name(const struct peak_work *w)                                                \
	{                                                                                          \
		uint64_t n = w->repeats;                                                           \
                                                                                                   \
		__asm__ volatile(EACH_CHAIN(SET, load, r) load                                     \
				 " (%[shrink]), %%" r "14\n\t" load " (%[grow]), %%" r             \
				 "15\n\t.p2align 5\n1:\n\t" body body "dec %[n]\n\tjnz 1b\n\t" end \
				 : [n] "+r"(n)                                                     \
				 : [one] "r"((values).one), [shrink] "r"((values).shrink),         \
				   [grow] "r"((values).grow)                                       \
				 : "cc", "memory", ALL_REGISTERS);                                 \
	}

ARITHMETIC(scalar_double, doubles, "movupd", "xmm", PAIRS(PAIR2, "mulsd", "addsd", "xmm"), "")
ARITHMETIC(scalar_single, floats, "movups", "xmm", PAIRS(PAIR2, "mulss", "addss", "xmm"), "")
ARITHMETIC(sse2_double, doubles, "movupd", "xmm", PAIRS(PAIR2, "mulpd", "addpd", "xmm"), "")
ARITHMETIC(sse2_single, floats, "movups", "xmm", PAIRS(PAIR2, "mulps", "addps", "xmm"), "")
ARITHMETIC(avx_double, doubles, "vmovupd", "ymm", PAIRS(PAIR3, "vmulpd", "vaddpd", "ymm"),
	   "vzeroupper")
ARITHMETIC(avx_single, floats, "vmovups", "ymm", PAIRS(PAIR3, "vmulps", "vaddps", "ymm"),
	   "vzeroupper")
ARITHMETIC(fma_scalar_double, doubles, "vmovupd", "xmm", FMAS("vfmadd213sd", "xmm"), "vzeroupper")
ARITHMETIC(fma_scalar_single, floats, "vmovups", "xmm", FMAS("vfmadd213ss", "xmm"), "vzeroupper")
ARITHMETIC(fma_double, doubles, "vmovupd", "ymm", FMAS("vfmadd213pd", "ymm"), "vzeroupper")
ARITHMETIC(fma_single, floats, "vmovups", "ymm", FMAS("vfmadd213ps", "ymm"), "vzeroupper")
ARITHMETIC(avx512_double, doubles, "vmovupd", "zmm", FMAS("vfmadd213pd", "zmm"), "vzeroupper")
ARITHMETIC(avx512_single, floats, "vmovups", "zmm", FMAS("vfmadd213ps", "zmm"), "vzeroupper")

/* ---- moving data: eight vectors each time around ---- */

#define EACH_VECTOR(M, r, w) \
	M(r, w, 0) M(r, w, 1) M(r, w, 2) M(r, w, 3) M(r, w, 4) M(r, w, 5) M(r, w, 6) M(r, w, 7)

#define AT(array, w, n) #n "*" #w "(%[" #array "],%[i])"

#define LOAD_SSE(r, w, n)  "movaps " AT(b, w, n) ", %%" r #n "\n\t"
#define LOAD_AVX(r, w, n)  "vmovaps " AT(b, w, n) ", %%" r #n "\n\t"
#define STORE_SSE(r, w, n) "movaps %%" r #n ", " AT(a, w, n) "\n\t"
#define STORE_AVX(r, w, n) "vmovaps %%" r #n ", " AT(a, w, n) "\n\t"
#define PASS_SSE(r, w, n)  "movntps %%" r #n ", " AT(a, w, n) "\n\t"
#define PASS_AVX(r, w, n)  "vmovntps %%" r #n ", " AT(a, w, n) "\n\t"
/* s is in register 15. */
#define TRIAD_SSE(r, w, n)                                      \
	"movapd " AT(c, w, n) ", %%" r #n "\n\t"                \
			      "mulpd %%" r "15, %%" r #n "\n\t" \
			      "addpd " AT(b, w, n) ", %%" r #n "\n\t"
#define TRIAD_AVX(r, w, n)                                  \
	"vmulpd " AT(c, w, n) ", %%" r "15, %%" r #n "\n\t" \
			      "vaddpd " AT(b, w, n) ", %%" r #n ", %%" r #n "\n\t"
#define TRIAD_FMA(r, w, n)                        \
	"vmovapd " AT(b, w, n) ", %%" r #n "\n\t" \
			       "vfmadd231pd " AT(c, w, n) ", %%" r "15, %%" r #n "\n\t"

#define MOVER(name, load, r, width, body, end)                                                \
	static void name(const struct peak_work *w)                                           \
	{                                                                                     \
		for (uint64_t pass = 0; pass < w->repeats; pass++) {                          \
			int64_t i = -(int64_t)w->bytes;                                       \
                                                                                              \
			__asm__ volatile(load " (%[s]), %%" r "15\n\t.p2align 5\n1:\n\t" body \
					      "add $8*" #width ", %[i]\n\tjnz 1b\n\t"         \
					 : [i] "+r"(i)                                        \
					 : [s] "r"(doubles.one), [a] "r"(w->a + w->bytes),    \
					   [b] "r"(w->b + w->bytes), [c] "r"(w->c + w->bytes) \
					 : "cc", "memory", ALL_REGISTERS);                    \
		}                                                                             \
		__asm__ volatile(end ::: "memory");                                           \
	}

MOVER(load_sse, "movupd", "xmm", 16, EACH_VECTOR(LOAD_SSE, "xmm", 16), "")
MOVER(copy_sse, "movupd", "xmm", 16,
      EACH_VECTOR(LOAD_SSE, "xmm", 16) EACH_VECTOR(STORE_SSE, "xmm", 16), "")
MOVER(copy_sse_nt, "movupd", "xmm", 16,
      EACH_VECTOR(LOAD_SSE, "xmm", 16) EACH_VECTOR(PASS_SSE, "xmm", 16), "sfence")
MOVER(triad_sse, "movupd", "xmm", 16,
      EACH_VECTOR(TRIAD_SSE, "xmm", 16) EACH_VECTOR(STORE_SSE, "xmm", 16), "")
MOVER(triad_sse_nt, "movupd", "xmm", 16,
      EACH_VECTOR(TRIAD_SSE, "xmm", 16) EACH_VECTOR(PASS_SSE, "xmm", 16), "sfence")
MOVER(load_avx, "vmovupd", "ymm", 32, EACH_VECTOR(LOAD_AVX, "ymm", 32), "vzeroupper")
MOVER(copy_avx, "vmovupd", "ymm", 32,
      EACH_VECTOR(LOAD_AVX, "ymm", 32) EACH_VECTOR(STORE_AVX, "ymm", 32), "vzeroupper")
MOVER(copy_avx_nt, "vmovupd", "ymm", 32,
      EACH_VECTOR(LOAD_AVX, "ymm", 32) EACH_VECTOR(PASS_AVX, "ymm", 32), "sfence\n\tvzeroupper")
MOVER(triad_avx, "vmovupd", "ymm", 32,
      EACH_VECTOR(TRIAD_AVX, "ymm", 32) EACH_VECTOR(STORE_AVX, "ymm", 32), "vzeroupper")
MOVER(triad_avx_nt, "vmovupd", "ymm", 32,
      EACH_VECTOR(TRIAD_AVX, "ymm", 32) EACH_VECTOR(PASS_AVX, "ymm", 32), "sfence\n\tvzeroupper")
MOVER(load_avx512, "vmovupd", "zmm", 64, EACH_VECTOR(LOAD_AVX, "zmm", 64), "vzeroupper")
MOVER(copy_avx512, "vmovupd", "zmm", 64,
      EACH_VECTOR(LOAD_AVX, "zmm", 64) EACH_VECTOR(STORE_AVX, "zmm", 64), "vzeroupper")
MOVER(copy_avx512_nt, "vmovupd", "zmm", 64,
      EACH_VECTOR(LOAD_AVX, "zmm", 64) EACH_VECTOR(PASS_AVX, "zmm", 64), "sfence\n\tvzeroupper")
MOVER(triad_avx512, "vmovupd", "zmm", 64,
      EACH_VECTOR(TRIAD_FMA, "zmm", 64) EACH_VECTOR(STORE_AVX, "zmm", 64), "vzeroupper")
MOVER(triad_avx512_nt, "vmovupd", "zmm", 64,
      EACH_VECTOR(TRIAD_FMA, "zmm", 64) EACH_VECTOR(PASS_AVX, "zmm", 64), "sfence\n\tvzeroupper")

/* ---- what can be run: the processor has it, and the system saves its registers ---- */

static bool always(void)
{
	return true;
}

static bool has_avx(void)
{
	return __builtin_cpu_supports("avx");
}

static bool has_fma(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f");
}

#define FLOPS(name_, usable, run_, double_, lanes, fma)                                          \
	{                                                                                        \
		.name = (name_), .kind = PEAK_FLOPS, .is_double = (double_),                     \
		.is_vector = (lanes) > 1, .is_fma = (fma), .is_usable = (usable), .run = (run_), \
		.flops = 2 * CHAINS * (lanes) * ((fma) ? 2 : 1),                                 \
	}
#define MOVE(name_, kind_, usable, run_, rank_, streaming)                              \
	{                                                                               \
		.name = (name_), .kind = (kind_), .is_double = true, .is_vector = true, \
		.is_streaming = (streaming), .rank = (rank_), .is_usable = (usable),    \
		.run = (run_),                                                          \
	}

static const struct peak_kernel table[] = {
	FLOPS("scalar", always, scalar_double, true, 1, false),
	FLOPS("scalar-fma", has_fma, fma_scalar_double, true, 1, true),
	FLOPS("sse2", always, sse2_double, true, 2, false),
	FLOPS("avx", has_avx, avx_double, true, 4, false),
	FLOPS("avx2-fma", has_fma, fma_double, true, 4, true),
	FLOPS("avx512-fma", has_avx512, avx512_double, true, 8, true),
	FLOPS("scalar", always, scalar_single, false, 1, false),
	FLOPS("scalar-fma", has_fma, fma_scalar_single, false, 1, true),
	FLOPS("sse2", always, sse2_single, false, 4, false),
	FLOPS("avx", has_avx, avx_single, false, 8, false),
	FLOPS("avx2-fma", has_fma, fma_single, false, 8, true),
	FLOPS("avx512-fma", has_avx512, avx512_single, false, 16, true),

	MOVE("sse2", PEAK_LOAD, always, load_sse, 1, false),
	MOVE("avx", PEAK_LOAD, has_avx, load_avx, 2, false),
	MOVE("avx512", PEAK_LOAD, has_avx512, load_avx512, 3, false),
	MOVE("sse2", PEAK_COPY, always, copy_sse, 1, false),
	MOVE("avx", PEAK_COPY, has_avx, copy_avx, 2, false),
	MOVE("avx512", PEAK_COPY, has_avx512, copy_avx512, 3, false),
	MOVE("sse2", PEAK_COPY, always, copy_sse_nt, 1, true),
	MOVE("avx", PEAK_COPY, has_avx, copy_avx_nt, 2, true),
	MOVE("avx512", PEAK_COPY, has_avx512, copy_avx512_nt, 3, true),
	MOVE("sse2", PEAK_TRIAD, always, triad_sse, 1, false),
	MOVE("avx", PEAK_TRIAD, has_avx, triad_avx, 2, false),
	MOVE("avx512", PEAK_TRIAD, has_avx512, triad_avx512, 3, false),
	MOVE("sse2", PEAK_TRIAD, always, triad_sse_nt, 1, true),
	MOVE("avx", PEAK_TRIAD, has_avx, triad_avx_nt, 2, true),
	MOVE("avx512", PEAK_TRIAD, has_avx512, triad_avx512_nt, 3, true),
};

const struct peak_kernel *peaks_kernels(size_t *count)
{
	*count = sizeof(table) / sizeof(table[0]);
	return table;
}

#endif
