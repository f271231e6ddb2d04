// The main thread sleeps for as long as the worker will surely need, and then takes the result. The worker may be slower than that.
// Source: folklore.
// Repaired: pass/sleep_sync.c
//! check => bug kind=assertion bound=0

#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <time.h>

static int result;

static void *work(void *unused) {
    (void)unused;
    struct timespec a_moment = {0, 1000000};
    nanosleep(&a_moment, NULL);
    result = 42;
    return NULL;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    struct timespec long_enough = {0, 100000000};
    nanosleep(&long_enough, NULL);
    assert(result == 42);
    pthread_join(worker, NULL);
    return 0;
}
