// A service that is shut down. The worker looks whether it is to stop, and if not takes the lock. The main thread may have asked it
// to stop, and destroyed the mutex, in between.
// Source: folklore; POSIX, pthread_mutex_destroy.
// Repaired: pass/destroyed_mutex.c
//! check => bug kind=destroyed bound=1

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
    pthread_mutex_destroy(&lock);
    pthread_join(worker, NULL);
    sem_destroy(&started);
    assert(rounds <= 2);
    return 0;
}
