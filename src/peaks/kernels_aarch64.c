/*
 * aarch64: Advanced SIMD, and SVE for arithmetic.
 *
 * Arithmetic: 24 chains of dependent instructions, registers 0 to 23; 30 and 31 hold constants.
 * Four units with a latency of 4 cycles need 16 chains. Values stay normal numbers, as on x86-64.
 */
#include "peaks/kernels.h"

#ifdef __aarch64__

#include <sys/auxv.h>

#define CHAINS 24
#define TINY   0x1p-22

#ifndef HWCAP_SVE
#define HWCAP_SVE (1ul << 22)
#endif

#define ALL_REGISTERS                                                                           \
	"v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", \
		"v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v30", "v31"

#define TWELVE(M, op, t) \
	M(op, t, 0)      \
	M(op, t, 1)      \
	M(op, t, 2)      \
	M(op, t, 3)      \
	M(op, t, 4)      \
	M(op, t, 5) M(op, t, 6) M(op, t, 7) M(op, t, 8) M(op, t, 9) M(op, t, 10) M(op, t, 11)
#define OTHER_TWELVE(M, op, t) \
	M(op, t, 12)           \
	M(op, t, 13)           \
	M(op, t, 14)           \
	M(op, t, 15)           \
	M(op, t, 16)           \
	M(op, t, 17) M(op, t, 18) M(op, t, 19) M(op, t, 20) M(op, t, 21) M(op, t, 22) M(op, t, 23)

/* Multiply and add in turns: chains 0 to 11 shrink, 12 to 23 grow. */
#define PAIR_S(t, n, m)                        \
	"fmul " t #n ", " t #n ", " t "30\n\t" \
	"fadd " t #m ", " t #m ", " t "31\n\t"
#define PAIR_V(t, n, m)                                    \
	"fmul v" #n "." t ", v" #n "." t ", v30." t "\n\t" \
	"fadd v" #m "." t ", v" #m "." t ", v31." t "\n\t"
#define PAIRS(P, t) \
	P(t, 0, 12) \
	P(t, 1, 13) \
	P(t, 2, 14) \
	P(t, 3, 15) \
	P(t, 4, 16) \
	P(t, 5, 17) P(t, 6, 18) P(t, 7, 19) P(t, 8, 20) P(t, 9, 21) P(t, 10, 22) P(t, 11, 23)

#define SET_V(op, t, n) "dup v" #n "." t ", v30." op "[0]\n\t"
#define FMA_S(op, t, n) "fmadd " t #n ", " t #n ", " t "30, " t "31\n\t"
#define FMA_V(op, t, n) "fmla v" #n "." t ", v30." t ", v31." t "\n\t"
#define SET_Z(op, t, n) "fmov z" #n "." t ", #1.0\n\t"
#define FMA_Z(op, t, n) "fmla z" #n "." t ", p0/m, z30." t ", z31." t "\n\t"
#define EACH(M, op, t)	TWELVE(M, op, t) OTHER_TWELVE(M, op, t)

/* one, shrink and grow have the type whose register modifier is mod; lane and all name it in a
 * vector. */
#define ARITHMETIC(name, type, mod, lane, all, body)                                             \
	static void name(const struct peak_work *w)                                              \
	{                                                                                        \
		uint64_t n = w->repeats;                                                         \
		const type one = 1, shrink = (type)(1 - TINY), grow = (type)TINY;                \
                                                                                                 \
		__asm__ volatile("ldr " mod "30, [%[one]]\n\t" EACH(                             \
					 SET_V, lane,                                            \
					 all) "ldr " mod "30, [%[shrink]]\n\tldr " mod           \
					      "31, [%[grow]]\n\t"                                \
					      "dup v30." all ", v30." lane "[0]\n\tdup v31." all \
					      ", v31." lane "[0]\n\t.p2align 5\n1:\n\t" body     \
					      "subs %[n], %[n], #1\n\tb.ne 1b\n\t"               \
				 : [n] "+r"(n)                                                   \
				 : [one] "r"(&one), [shrink] "r"(&shrink), [grow] "r"(&grow)     \
				 : "cc", "memory", ALL_REGISTERS);                               \
	}

ARITHMETIC(scalar_double, double, "d", "d", "2d", PAIRS(PAIR_S, "d"))
ARITHMETIC(scalar_single, float, "s", "s", "4s", PAIRS(PAIR_S, "s"))
ARITHMETIC(fma_scalar_double, double, "d", "d", "2d", EACH(FMA_S, "", "d"))
ARITHMETIC(fma_scalar_single, float, "s", "s", "4s", EACH(FMA_S, "", "s"))
ARITHMETIC(neon_double, double, "d", "d", "2d", PAIRS(PAIR_V, "2d"))
ARITHMETIC(neon_single, float, "s", "s", "4s", PAIRS(PAIR_V, "4s"))
ARITHMETIC(fma_double, double, "d", "d", "2d", EACH(FMA_V, "", "2d"))
ARITHMETIC(fma_single, float, "s", "s", "4s", EACH(FMA_V, "", "4s"))

/* The registers' upper parts are nobody's: a compiler that was not told of SVE keeps nothing there.
 */
#define ARITHMETIC_SVE(name, t)                                                                             \
	static void name(const struct peak_work *w)                                                         \
	{                                                                                                   \
		uint64_t n = w->repeats;                                                                    \
                                                                                                            \
		__asm__ volatile(                                                                           \
			".arch_extension sve\n\tptrue p0." t "\n\t" EACH(                                   \
				SET_Z, "",                                                                  \
				t) "fmov z30." t ", #0.125\n\tfmov z31." t ", #0.125\n\t"                   \
				   ".p2align 5\n1:\n\t" EACH(                                               \
					   FMA_Z, "",                                                       \
					   t) "subs %[n], %[n], #1\n\tb.ne 1b\n\t.arch_extension nosve\n\t" \
			: [n] "+r"(n)                                                                       \
			:                                                                                   \
			: "cc", "memory", ALL_REGISTERS);                                                   \
	}

ARITHMETIC_SVE(sve_double, "d")
ARITHMETIC_SVE(sve_single, "s")

/* 128 bytes each time around; stnp is a hint that the data is not used again. */
#define LOAD_ALL                                            \
	"ldp q0, q1, [%[b]]\n\tldp q2, q3, [%[b], #32]\n\t" \
	"ldp q4, q5, [%[b], #64]\n\tldp q6, q7, [%[b], #96]\n\t"
#define STORE_ALL(st)                                                                           \
	st " q0, q1, [%[a]]\n\t" st " q2, q3, [%[a], #32]\n\t" st " q4, q5, [%[a], #64]\n\t" st \
	   " q6, q7, [%[a], #96]\n\t"
#define TRIAD_ALL                                                      \
	LOAD_ALL                                                       \
	"ldp q16, q17, [%[c]]\n\tldp q18, q19, [%[c], #32]\n\t"        \
	"ldp q20, q21, [%[c], #64]\n\tldp q22, q23, [%[c], #96]\n\t"   \
	"fmla v0.2d, v16.2d, v30.2d\n\tfmla v1.2d, v17.2d, v30.2d\n\t" \
	"fmla v2.2d, v18.2d, v30.2d\n\tfmla v3.2d, v19.2d, v30.2d\n\t" \
	"fmla v4.2d, v20.2d, v30.2d\n\tfmla v5.2d, v21.2d, v30.2d\n\t" \
	"fmla v6.2d, v22.2d, v30.2d\n\tfmla v7.2d, v23.2d, v30.2d\n\t"

#define MOVER(name, body)                                                                      \
	static void name(const struct peak_work *w)                                            \
	{                                                                                      \
		for (uint64_t pass = 0; pass < w->repeats; pass++) {                           \
			uint8_t *a = w->a, *b = w->b, *c = w->c, *end = w->b + w->bytes;       \
                                                                                               \
			__asm__ volatile("fmov v30.2d, #1.0\n\t.p2align 5\n1:\n\t" body        \
					 "add %[a], %[a], #128\n\tadd %[b], %[b], #128\n\t"    \
					 "add %[c], %[c], #128\n\tcmp %[b], %[end]\n\tb.ne 1b" \
					 : [a] "+r"(a), [b] "+r"(b), [c] "+r"(c)               \
					 : [end] "r"(end)                                      \
					 : "cc", "memory", ALL_REGISTERS);                     \
		}                                                                              \
	}

MOVER(load_neon, LOAD_ALL)
MOVER(copy_neon, LOAD_ALL STORE_ALL("stp"))
MOVER(copy_neon_nt, LOAD_ALL STORE_ALL("stnp"))
MOVER(triad_neon, TRIAD_ALL STORE_ALL("stp"))
MOVER(triad_neon_nt, TRIAD_ALL STORE_ALL("stnp"))

static bool always(void)
{
	return true;
}

static bool has_sve(void)
{
	return (getauxval(AT_HWCAP) & HWCAP_SVE) != 0;
}

static unsigned sve_granules(void)
{
	uint64_t bytes;

	__asm__(".arch_extension sve\n\tcntb %0\n\t.arch_extension nosve" : "=r"(bytes));
	return (unsigned)(bytes / 16);
}

#define FLOPS(name_, run_, double_, lanes, fma)                                                \
	{                                                                                      \
		.name = (name_), .kind = PEAK_FLOPS, .is_double = (double_),                   \
		.is_vector = (lanes) > 1, .is_fma = (fma), .is_usable = always, .run = (run_), \
		.flops = CHAINS * (lanes) * ((fma) ? 2 : 1),                                   \
	}
#define FLOPS_SVE(run_, double_, lanes)                                                           \
	{                                                                                         \
		.name = "sve-fma", .kind = PEAK_FLOPS, .is_double = (double_), .is_vector = true, \
		.is_fma = true, .is_usable = has_sve, .run = (run_), .flops = CHAINS * (lanes)*2, \
		.granules = sve_granules,                                                         \
	}
#define MOVE(kind_, run_, streaming)                                                        \
	{                                                                                   \
		.name = "neon", .kind = (kind_), .is_double = true, .is_vector = true,      \
		.is_streaming = (streaming), .rank = 1, .is_usable = always, .run = (run_), \
	}

static const struct peak_kernel table[] = {
	FLOPS("scalar", scalar_double, true, 1, false),
	FLOPS("scalar-fma", fma_scalar_double, true, 1, true),
	FLOPS("neon", neon_double, true, 2, false),
	FLOPS("neon-fma", fma_double, true, 2, true),
	FLOPS_SVE(sve_double, true, 2),
	FLOPS("scalar", scalar_single, false, 1, false),
	FLOPS("scalar-fma", fma_scalar_single, false, 1, true),
	FLOPS("neon", neon_single, false, 4, false),
	FLOPS("neon-fma", fma_single, false, 4, true),
	FLOPS_SVE(sve_single, false, 4),
	MOVE(PEAK_LOAD, load_neon, false),
	MOVE(PEAK_COPY, copy_neon, false),
	MOVE(PEAK_COPY, copy_neon_nt, true),
	MOVE(PEAK_TRIAD, triad_neon, false),
	MOVE(PEAK_TRIAD, triad_neon_nt, true),
};

const struct peak_kernel *peaks_kernels(size_t *count)
{
	*count = sizeof(table) / sizeof(table[0]);
	return table;
}

#endif
