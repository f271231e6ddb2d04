// A semaphore that is to let one thread at a time to a count. It begins with 2, so both are let in and may read the same count.
// Source: folklore.
// Repaired: pass/semaphore.c
//! check => bug kind=assertion bound=1

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t entry;
static int count;

static void *work(void *unused) {
    (void)unused;
    sem_wait(&entry);
    count++;
    sem_post(&entry);
    return NULL;
}

int main(void) {
    // One for each thread?
    sem_init(&entry, 0, 2);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, work, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(count == 2);
    sem_destroy(&entry);
    return 0;
}
