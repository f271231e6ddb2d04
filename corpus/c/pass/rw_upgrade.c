// A value that is computed when it is first asked for. Whoever finds it missing lets go of the lock, takes it for writing and looks
// again.
// Source: folklore; POSIX leaves it open whether pthread_rwlock_wrlock then fails or waits for ever.
// Buggy: fail/rw_upgrade.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int known;
static int value;
static int computations;

static int get(void) {
    pthread_rwlock_rdlock(&lock);
    if (!known) {
        pthread_rwlock_unlock(&lock);
        pthread_rwlock_wrlock(&lock);
        if (!known) {
            value = 42;
            computations++;
            known = 1;
        }
    }
    int result = value;
    pthread_rwlock_unlock(&lock);
    return result;
}

static void *ask(void *unused) {
    (void)unused;
    assert(get() == 42);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, ask, NULL);
    pthread_create(&threads[1], NULL, ask, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(computations == 1);
    return 0;
}
