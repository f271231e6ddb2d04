// Two workers meet at a barrier between two phases. Each writes its part before the barrier, but already reads the other's there, which may
// not be written yet.
// Source: our own.
// Repaired: pass/barrier_early.c
//! check => bug kind=assertion bound=0

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
    int sum = parts[0] + parts[1];
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
        serial++;
    }
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
