// The main thread asks a worker to stop under the lock, and waits for its end without it.
// Source: folklore.
// Buggy: fail/join_under_lock.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stop;
static int rounds;

static void *work(void *unused) {
    (void)unused;
    int stopped = 0;
    for (int i = 0; i < 2 && !stopped; i++) {
        pthread_mutex_lock(&lock);
        stopped = stop;
        if (!stopped) {
            rounds++;
        }
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    stop = 1;
    int before = rounds;
    pthread_mutex_unlock(&lock);
    pthread_join(worker, NULL);
    assert(rounds == before);
    return 0;
}
