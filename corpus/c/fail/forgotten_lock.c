// A range that is changed under a lock, and looked at without it. The reader may look between the two writes, or the writer may
// run between the two reads: the range is upside down for a moment.
// Source: folklore; CWE-667 (improper locking).
// Repaired: pass/forgotten_lock.c
//! check => bug kind=assertion bound=1

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
    // Reading does no harm, so it seems.
    int low = range.low;
    int high = range.high;
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
