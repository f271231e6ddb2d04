// A worker that is cancelled. It looks for that in the middle of its round, while it has the lock; the lock stays locked, and the main
// thread waits for it.
// Source: folklore; POSIX, pthread_cancel and pthread_testcancel.
// Repaired: pass/cancel.c
//! check => bug kind=deadlock bound=1

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t started;
static int begun, ended;

static void *work(void *unused) {
    (void)unused;
    sem_post(&started);
    pthread_mutex_lock(&lock);
    begun++;
    pthread_testcancel();
    ended++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    sem_init(&started, 0, 0);
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    sem_wait(&started);
    pthread_cancel(worker);
    void *result;
    pthread_join(worker, &result);
    pthread_mutex_lock(&lock);
    assert(begun == 1);
    assert(ended == (result == PTHREAD_CANCELED ? 0 : 1));
    pthread_mutex_unlock(&lock);
    sem_destroy(&started);
    return 0;
}
