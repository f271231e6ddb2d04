// A thread polls a flag until a point of time, and gives way in between. When the time is up it does without the value.
// Source: our own.
// Buggy: fail/clock_poll.c
//! check => bounded bound=2

#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

static long long deadline;
static atomic_int ready;
static int value;

// In nanoseconds.
static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void *produce(void *unused) {
    (void)unused;
    struct timespec work = {0, 20000};
    nanosleep(&work, NULL);
    value = 42;
    atomic_store(&ready, 1);
    return NULL;
}

static void *consume(void *unused) {
    (void)unused;
    while (!atomic_load(&ready)) {
        if (now() > deadline) {
            return NULL;
        }
        sched_yield();
    }
    assert(value == 42);
    return NULL;
}

int main(void) {
    deadline = now() + 10000;
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, produce, NULL);
    pthread_create(&threads[1], NULL, consume, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
