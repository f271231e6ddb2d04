// A range that is changed and looked at under one lock.
// Source: folklore; CWE-667 (improper locking).
// Buggy: fail/forgotten_lock.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>

struct range {
    int low, high;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct range range = {0, 9};

static void *mover(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    range.low = 10;
    range.high = 19;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *reader(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    int low = range.low;
    int high = range.high;
    pthread_mutex_unlock(&lock);
    assert(low <= high);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, mover, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(range.low == 10 && range.high == 19);
    return 0;
}
