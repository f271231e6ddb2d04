// A library that keeps the number of the last error in a variable, as errno does: one for each thread.
// Source: errno before there were threads.
// Buggy: fail/thread_local.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define NO_ERROR 0
#define NEGATIVE 1

static _Thread_local int last_error;
static atomic_int calls; // for the statistics of the library

static int square_root(int x) {
    int root = 0;
    while ((root + 1) * (root + 1) <= x) {
        root++;
    }
    last_error = x < 0 ? NEGATIVE : NO_ERROR;
    atomic_fetch_add(&calls, 1);
    return root;
}

static void *wrong_call(void *arg) {
    (void)arg;
    square_root(-4);
    assert(last_error == NEGATIVE);
    return NULL;
}

static void *right_call(void *arg) {
    (void)arg;
    assert(square_root(49) == 7);
    assert(last_error == NO_ERROR);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, wrong_call, NULL);
    pthread_create(&threads[1], NULL, right_call, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(calls == 2);
    return 0;
}
