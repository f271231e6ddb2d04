// A consumer takes the lock and then waits for an item, with the lock. The producer needs the lock to bring one.
// Source: the classic mistake with the bounded buffer; CERT C POS52-C (no blocking operations while holding a lock).
// Repaired: pass/sem_under_lock.c
//! check => bug kind=deadlock bound=0

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t items;
static int stock;

static void *produce(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    stock++;
    pthread_mutex_unlock(&lock);
    sem_post(&items);
    return NULL;
}

static void *consume(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    sem_wait(&items);
    assert(stock == 1);
    stock--;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    sem_init(&items, 0, 0);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, produce, NULL);
    pthread_create(&threads[1], NULL, consume, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(stock == 0);
    sem_destroy(&items);
    return 0;
}
