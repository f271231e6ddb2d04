// A queue of one place. Where it is full the producer lets go of the lock, and once more at the end: the mutex is unlocked twice. By
// then another producer may have it.
// Source: folklore; CWE-765 (multiple unlocks of a critical resource).
// Repaired: pass/double_unlock.c
//! check => bug kind=bad-unlock bound=0

#include <assert.h>
#include <pthread.h>

#define PLACES 1

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int queued;
static int refused;

static void *produce(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    if (queued == PLACES) {
        refused++;
        pthread_mutex_unlock(&lock);
    } else {
        queued++;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, produce, NULL);
    pthread_create(&threads[1], NULL, produce, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(queued == PLACES);
    assert(refused == 1);
    return 0;
}
