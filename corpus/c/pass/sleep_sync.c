// The main thread waits for the end of the worker, and then takes the result.
// Source: folklore.
// Buggy: fail/sleep_sync.c
//! check => verified

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
    pthread_join(worker, NULL);
    assert(result == 42);
    return 0;
}
