// A semaphore as a signal. The main thread waits for it until the worker posts it.
// Source: folklore; CERT C POS48-C (do not unlock another thread's mutex), CWE-832.
// Buggy: fail/foreign_unlock.c
//! check => verified

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t finished;
static int result;

static void *work(void *unused) {
    (void)unused;
    result = 42;
    sem_post(&finished);
    return NULL;
}

int main(void) {
    sem_init(&finished, 0, 0);
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    sem_wait(&finished);
    assert(result == 42);
    pthread_join(worker, NULL);
    sem_destroy(&finished);
    return 0;
}
