// A worker says that it is done while it still holds the lock. The main thread takes its word for it and destroys the mutex, which the
// worker has yet to unlock.
// Source: CERT C CON31-C (do not destroy a mutex while it is locked).
// Repaired: pass/destroy_held.c
//! check => bug kind=destroyed bound=1

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
    pthread_mutex_destroy(&lock);
    pthread_join(worker, NULL);
    sem_destroy(&done);
    return 0;
}
