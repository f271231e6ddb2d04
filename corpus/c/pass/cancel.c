// A worker that is cancelled. It looks for that in the middle of its round, while it has the lock; a cleanup handler lets go of it.
// Source: folklore; POSIX, pthread_cancel and pthread_testcancel.
// Buggy: fail/cancel.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t started;
static int begun, ended;

static void let_go(void *unused) {
    (void)unused;
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused) {
    (void)unused;
    sem_post(&started);
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(let_go, NULL);
    begun++;
    pthread_testcancel();
    ended++;
    pthread_cleanup_pop(1);
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
