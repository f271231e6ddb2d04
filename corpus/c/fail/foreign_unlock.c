// A mutex as a signal. The main thread locks it and then waits for it again, until the worker unlocks it. But only its owner may unlock
// a mutex.
// Source: folklore; CERT C POS48-C (do not unlock another thread's mutex), CWE-832.
// Repaired: pass/foreign_unlock.c
//! check => bug kind=bad-unlock bound=0

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t finished = PTHREAD_MUTEX_INITIALIZER;
static int result;

static void *work(void *unused) {
    (void)unused;
    result = 42;
    pthread_mutex_unlock(&finished);
    return NULL;
}

int main(void) {
    pthread_mutex_lock(&finished);
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    pthread_mutex_lock(&finished);
    assert(result == 42);
    pthread_mutex_unlock(&finished);
    pthread_join(worker, NULL);
    return 0;
}
