// A queue of one place. Where it is full the producer lets go of the lock and is done.
// Source: folklore; CWE-765 (multiple unlocks of a critical resource).
// Buggy: fail/double_unlock.c
//! check => bounded bound=2

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
        return NULL;
    }
    queued++;
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
