// A total with a log, and a mutex that checks for errors. The log looks whether its caller has the lock already, and unlocks only
// what it has locked.
// Source: folklore; POSIX, pthread_mutex_lock: EDEADLK of PTHREAD_MUTEX_ERRORCHECK.
// Buggy: fail/errorcheck.c
//! check => bounded bound=2

#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;
static int total;
static int entries;

static void log_entry(void) {
    int already = pthread_mutex_lock(&lock) == EDEADLK;
    entries++;
    if (!already) {
        pthread_mutex_unlock(&lock);
    }
}

static void *add(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    log_entry();
    total += 5;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lock, &attributes);
    pthread_mutexattr_destroy(&attributes);

    pthread_t threads[2];
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_create(&threads[1], NULL, add, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    log_entry();
    assert(total == 10);
    assert(entries == 3);
    pthread_mutex_destroy(&lock);
    return 0;
}
