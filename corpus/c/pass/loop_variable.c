// Each thread gets the address of a number of its own.
// Source: folklore.
// Buggy: fail/loop_variable.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define WORKERS 2

// A bit for each number.
static atomic_int seen;

static void *work(void *arg) {
    int number = *(int *)arg;
    atomic_fetch_or(&seen, 1 << number);
    return NULL;
}

int main(void) {
    pthread_t threads[WORKERS];
    int numbers[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    }
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(atomic_load(&seen) == 3);
    return 0;
}
