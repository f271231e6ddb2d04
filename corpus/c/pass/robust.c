// A robust mutex whose owner ends in the middle of a change. The next one to lock it gets EOWNERDEAD, finishes the change and
// says that the mutex is consistent again.
// Source: POSIX, pthread_mutexattr_setrobust and pthread_mutex_consistent.
// Buggy: fail/robust.c
//! check => bounded bound=2

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock;
// Their sum is always 100. Atomic, because an owner that ends has no unlock that would order what it wrote.
static atomic_int left = 60, right = 40;

static void take(void) {
    if (pthread_mutex_lock(&lock) == EOWNERDEAD) {
        right = 100 - left;
        pthread_mutex_consistent(&lock);
    }
}

static void *mover(void *unused) {
    (void)unused;
    take();
    left -= 10;
    // Gives up here: 10 are on their way, and the lock is held.
    return NULL;
}

static void *auditor(void *unused) {
    (void)unused;
    take();
    assert(left + right == 100);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &attributes);
    pthread_mutexattr_destroy(&attributes);

    pthread_t threads[2];
    pthread_create(&threads[0], NULL, mover, NULL);
    pthread_create(&threads[1], NULL, auditor, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    take();
    assert(left == 50 && right == 50);
    pthread_mutex_unlock(&lock);
    pthread_mutex_destroy(&lock);
    return 0;
}
