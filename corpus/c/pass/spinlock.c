// Two threads draw a number. Each looks at the next one and moves it on under one hold of the spin lock.
// Source: our own.
// Buggy: fail/spinlock.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>

static pthread_spinlock_t lock;
static int next = 1;
static int drawn[2];

static void *draw(void *arg) {
    int *mine = arg;
    pthread_spin_lock(&lock);
    *mine = next;
    next = *mine + 1;
    pthread_spin_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, draw, &drawn[0]);
    pthread_create(&threads[1], NULL, draw, &drawn[1]);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(drawn[0] != drawn[1]);
    pthread_spin_destroy(&lock);
    return 0;
}
