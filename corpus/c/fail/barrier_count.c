// Two workers meet at a barrier between two phases. The barrier was made for three, as if the main thread came too. It does not, and
// nobody passes.
// Source: folklore.
// Repaired: pass/barrier_count.c
//! check => bug kind=deadlock bound=0

#include <assert.h>
#include <pthread.h>

#define WORKERS 2

static pthread_barrier_t barrier;
static int numbers[WORKERS] = {0, 1};
static int squares[WORKERS];
static int sums[WORKERS];

static void *work(void *arg) {
    int number = *(int *)arg;
    squares[number] = (number + 1) * (number + 1);
    pthread_barrier_wait(&barrier);
    sums[number] = squares[0] + squares[1];
    return NULL;
}

int main(void) {
    pthread_barrier_init(&barrier, NULL, WORKERS + 1);
    pthread_t threads[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(threads[i], NULL);
        assert(sums[i] == 5);
    }
    pthread_barrier_destroy(&barrier);
    return 0;
}
