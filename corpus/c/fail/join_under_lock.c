// The main thread asks a worker to stop and waits for its end, all under the lock. The worker needs the lock to see that it is to stop.
// Source: folklore.
// Repaired: pass/join_under_lock.c
//! check => bug kind=deadlock bound=0

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
    pthread_join(worker, NULL);
    pthread_mutex_unlock(&lock);
    assert(rounds == before);
    return 0;
}
