// Two workers meet at a barrier between two phases. Each writes its part before the barrier and reads the other's after it.
// Source: our own.
// Buggy: fail/barrier_early.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>

#define WORKERS 2

static pthread_barrier_t barrier;
static int numbers[WORKERS] = {0, 1};
static int parts[WORKERS];
static int serial;

static void *work(void *arg) {
    int number = *(int *)arg;
    parts[number] = number + 1;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
        serial++;
    }
    int sum = parts[0] + parts[1];
    assert(sum == 3);
    return NULL;
}

int main(void) {
    pthread_barrier_init(&barrier, NULL, WORKERS);
    pthread_t threads[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(threads[i], NULL);
    }
    // Exactly one of them is told that it is the one.
    assert(serial == 1);
    pthread_barrier_destroy(&barrier);
    return 0;
}
