// A table that is brought up to date. If the lock is busy, the thread waits for it, and looks whether another one has done it.
// Source: our own.
// Buggy: fail/trywrlock.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int version = 1;

static void *update(void *unused) {
    (void)unused;
    if (pthread_rwlock_trywrlock(&lock) != 0) {
        pthread_rwlock_wrlock(&lock);
    }
    if (version == 1) {
        version = 2;
    }
    pthread_rwlock_unlock(&lock);
    return NULL;
}

static void *reader(void *unused) {
    (void)unused;
    pthread_rwlock_rdlock(&lock);
    int seen = version;
    pthread_rwlock_unlock(&lock);
    assert(seen == 1 || seen == 2);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, update, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(version == 2);
    return 0;
}
