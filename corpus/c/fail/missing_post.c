// Two threads take from a stock that a semaphore guards. The one that finds nothing left returns early and does not post the semaphore:
// whoever comes next waits for ever.
// Source: folklore; CWE-772 (missing release of a resource).
// Repaired: pass/missing_post.c
//! check => bug kind=deadlock bound=0

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t entry;
static int stock = 1;
static int taken;

static void *take(void *unused) {
    (void)unused;
    sem_wait(&entry);
    if (stock == 0) {
        return NULL;
    }
    stock--;
    taken++;
    sem_post(&entry);
    return NULL;
}

int main(void) {
    sem_init(&entry, 0, 1);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, take, NULL);
    pthread_create(&threads[1], NULL, take, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    sem_wait(&entry);
    assert(stock == 0 && taken == 1);
    sem_post(&entry);
    sem_destroy(&entry);
    return 0;
}
