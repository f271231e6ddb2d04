// A service that is shut down. The main thread asks the worker to stop, and destroys the mutex when the worker has ended.
// Source: folklore; POSIX, pthread_mutex_destroy.
// Buggy: fail/destroyed_mutex.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static pthread_mutex_t lock;
static sem_t started;
static atomic_int stopping;
static int rounds;

static void *serve(void *unused) {
    (void)unused;
    sem_post(&started);
    for (int i = 0; i < 2; i++) {
        if (atomic_load(&stopping)) {
            break;
        }
        pthread_mutex_lock(&lock);
        rounds++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void) {
    pthread_mutex_init(&lock, NULL);
    sem_init(&started, 0, 0);
    pthread_t worker;
    pthread_create(&worker, NULL, serve, NULL);
    sem_wait(&started);
    atomic_store(&stopping, 1);
    pthread_join(worker, NULL);
    pthread_mutex_destroy(&lock);
    sem_destroy(&started);
    assert(rounds <= 2);
    return 0;
}
