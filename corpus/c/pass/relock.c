// A total with a log. Adding to the total holds the lock and calls the log, which takes the lock too. The mutex is a recursive one,
// so its owner may.
// Source: folklore; CWE-764 (multiple locks of a critical resource).
// Buggy: fail/relock.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock;
static int total;
static int entries;

static void log_entry(void) {
    pthread_mutex_lock(&lock);
    entries++;
    pthread_mutex_unlock(&lock);
}

static void *add(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    total += 5;
    log_entry();
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attributes);
    pthread_mutexattr_destroy(&attributes);

    pthread_t threads[2];
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_create(&threads[1], NULL, add, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(total == 10);
    assert(entries == 2);
    pthread_mutex_destroy(&lock);
    return 0;
}
