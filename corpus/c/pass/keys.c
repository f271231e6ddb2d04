// Each thread counts for itself, in thread-specific data. The destructor of the key adds what it has counted to the total when the
// thread ends, under a lock.
// Source: our own.
// Buggy: fail/keys.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

// Runs when a thread ends that has counted.
static void add_up(void *arg) {
    int *mine = arg;
    pthread_mutex_lock(&lock);
    total += *mine;
    pthread_mutex_unlock(&lock);
    free(mine);
}

static void count(void) {
    int *mine = pthread_getspecific(key);
    if (mine == NULL) {
        mine = calloc(1, sizeof *mine);
        pthread_setspecific(key, mine);
    }
    ++*mine;
}

static void *work(void *unused) {
    (void)unused;
    count();
    count();
    return NULL;
}

int main(void) {
    pthread_key_create(&key, add_up);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, work, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(total == 4);
    pthread_key_delete(key);
    return 0;
}
