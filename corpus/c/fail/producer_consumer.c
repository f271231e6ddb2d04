// Two producers and a consumer with a ring of two places. Semaphores count what is free and what is filled, but nothing keeps the
// producers from each other: both may take the same place, and an item is lost.
// Source: the classic; Dijkstra.
// Repaired: pass/producer_consumer.c
//! check => bug kind=assertion bound=1

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#define PLACES 2

static sem_t empty, filled;
static int ring[PLACES];
// The next place to fill.
static int next;
static int items[2] = {1, 2};

static void *produce(void *arg) {
    int item = *(int *)arg;
    sem_wait(&empty);
    ring[next] = item;
    next = (next + 1) % PLACES;
    sem_post(&filled);
    return NULL;
}

int main(void) {
    sem_init(&empty, 0, PLACES);
    sem_init(&filled, 0, 0);
    pthread_t producers[2];
    pthread_create(&producers[0], NULL, produce, &items[0]);
    pthread_create(&producers[1], NULL, produce, &items[1]);
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        sem_wait(&filled);
        sum += ring[i % PLACES];
        sem_post(&empty);
    }
    pthread_join(producers[0], NULL);
    pthread_join(producers[1], NULL);
    assert(sum == 3);
    sem_destroy(&empty);
    sem_destroy(&filled);
    return 0;
}
