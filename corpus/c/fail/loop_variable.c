// Each thread gets the address of the loop's variable as its number. The loop goes on meanwhile: both may read the same number, or one past
// the last.
// Source: folklore.
// Repaired: pass/loop_variable.c
//! check => bug kind=assertion bound=0

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
    int i;
    for (i = 0; i < WORKERS; i++) {
        pthread_create(&threads[i], NULL, work, &i);
    }
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(atomic_load(&seen) == 3);
    return 0;
}
