// A worker says that it is done while it still holds the lock. The main thread waits until it has ended before it destroys the mutex.
// Source: CERT C CON31-C (do not destroy a mutex while it is locked).
// Buggy: fail/destroy_held.c
//! check => verified

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock;
static sem_t done;
static int result;

static void *work(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    result = 42;
    sem_post(&done);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_mutex_init(&lock, NULL);
    sem_init(&done, 0, 0);
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    sem_wait(&done);
    assert(result == 42);
    pthread_join(worker, NULL);
    pthread_mutex_destroy(&lock);
    sem_destroy(&done);
    return 0;
}
