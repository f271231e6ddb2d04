#include <stdint.h>
#include <stdlib.h>

#if defined(__GNUC__) && !defined(__clang__)
/* Models may compare a variable with itself, or a truth value with a number. */
#pragma GCC diagnostic ignored "-Wtautological-compare"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#pragma GCC diagnostic ignored "-Wbool-compare"
#pragma GCC diagnostic ignored "-Wbool-operation"
#pragma GCC diagnostic ignored "-Wtype-limits"
#endif

#ifndef CAISSA_OWN_WORDS
#ifdef CAISSA_RUN
#include <stdio.h>

/* The next value from the standard input. */
static inline int32_t choose(int32_t lo, int32_t hi) {
    int value;
    if (scanf("%d", &value) != 1 || value < lo || hi < value) {
        printf("a choice from %d to %d is missing\n", (int)lo, (int)hi);
        exit(3);
    }
    return value;
}

static inline void assume(int holds) {
    if (!holds) {
        printf("discarded\n");
        exit(2);
    }
}

static inline void check(int holds, const char *message) {
    if (!holds) {
        printf("failed: %s\n", message);
        exit(1);
    }
}

static inline void show(const char *name, const int32_t *values, uint32_t len) {
    printf("%s =", name);
    for (uint32_t i = 0; i < len; i++) {
        printf(" %d", (int)values[i]);
    }
    printf("\n");
}
#else
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

void reach_error(void) {
    assert(0);
}

/* Discards the execution if it does not hold. Define it as your verifier does that. */
#ifndef CAISSA_ASSUME
#ifdef __CPROVER
#define CAISSA_ASSUME(holds) __CPROVER_assume(holds)
#else
extern void __VERIFIER_assume(int);
#define CAISSA_ASSUME(holds) __VERIFIER_assume(holds)
#endif
#endif

static inline void assume(int holds) {
    CAISSA_ASSUME(holds);
}

static inline int32_t choose(int32_t lo, int32_t hi) {
    int32_t value = __VERIFIER_nondet_int();
    CAISSA_ASSUME(lo <= value && value <= hi);
    return value;
}

static inline void check(int holds, const char *message) {
    (void)message;
    if (!holds) {
        reach_error();
        CAISSA_ASSUME(0);
    }
}
#endif
#endif

#ifndef CAISSA_ARITHMETIC
#define CAISSA_ARITHMETIC

/* Arithmetic that wraps around, also where that of C is undefined. */
static inline int32_t negate(int32_t a) {
    return (int32_t)(0u - (uint32_t)a);
}

static inline int32_t add(int32_t a, int32_t b) {
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

static inline int32_t subtract(int32_t a, int32_t b) {
    return (int32_t)((uint32_t)a - (uint32_t)b);
}

static inline int32_t multiply(int32_t a, int32_t b) {
    return (int32_t)((uint32_t)a * (uint32_t)b);
}

static inline int32_t divide(int32_t a, int32_t b) {
    return b == -1 ? negate(a) : a / b;
}

static inline int32_t modulo(int32_t a, int32_t b) {
    return b == -1 ? 0 : a % b;
}

static inline int32_t shift_left(int32_t a, int32_t b) {
    return (int32_t)((uint32_t)a << (b & 31));
}

static inline int32_t shift_right(int32_t a, int32_t b) {
    return a < 0 ? ~(~a >> (b & 31)) : a >> (b & 31);
}
#endif
