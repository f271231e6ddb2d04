// A sequence lock: the writer makes the sequence odd while it writes. The reader waits until it is even, but does not look
// at it again after it has read. A write that comes between its two reads is not noticed.
// Source: the Linux kernel; Boehm, Can Seqlocks Get Along With Programming Language Memory Models?, 2012.
// Repaired: pass/seqlock.c
//! check => bug kind=assertion bound=1

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_uint sequence;
// A point that always lies on the diagonal.
static atomic_int x = 1;
static atomic_int y = 1;

static void *move(void *arg) {
    (void)arg;
    unsigned seen = atomic_load(&sequence);
    atomic_store(&sequence, seen + 1);
    atomic_store(&x, 2);
    atomic_store(&y, 2);
    atomic_store(&sequence, seen + 2);
    return NULL;
}

static unsigned wait_for_even(void) {
    unsigned seen;
    while ((seen = atomic_load(&sequence)) % 2 == 1) {
        sched_yield();
    }
    return seen;
}

static void *look(void *arg) {
    int seen_x, seen_y;
    (void)arg;
    wait_for_even();
    seen_x = atomic_load(&x);
    seen_y = atomic_load(&y);
    assert(seen_x == seen_y && "half of a write was seen");
    return NULL;
}

int main(void) {
    pthread_t writer, reader;
    pthread_create(&writer, NULL, move, NULL);
    pthread_create(&reader, NULL, look, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return 0;
}
