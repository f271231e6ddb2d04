// A bounded queue with two semaphores, for items and for room, and a lock. Both sides wait at their semaphore first and take
// the lock when they can go on.
// Source: the bounded buffer of Dijkstra, Cooperating Sequential Processes, 1965.
// Buggy: fail/bounded_queue.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

#define SLOTS 1
#define ITEMS 2

static int slots[SLOTS];
static unsigned put_count, got_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t items;
static sem_t room;

static void put(int item) {
    sem_wait(&room);
    pthread_mutex_lock(&lock);
    slots[put_count++ % SLOTS] = item;
    pthread_mutex_unlock(&lock);
    sem_post(&items);
}

static int get(void) {
    sem_wait(&items);
    pthread_mutex_lock(&lock);
    int item = slots[got_count++ % SLOTS];
    pthread_mutex_unlock(&lock);
    sem_post(&room);
    return item;
}

static void *produce(void *arg) {
    (void)arg;
    for (int item = 1; item <= ITEMS; item++) {
        put(item);
    }
    return NULL;
}

static void *consume(void *arg) {
    (void)arg;
    for (int item = 1; item <= ITEMS; item++) {
        assert(get() == item);
    }
    return NULL;
}

int main(void) {
    pthread_t producer, consumer;
    sem_init(&items, 0, 0);
    sem_init(&room, 0, SLOTS);
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    sem_destroy(&items);
    sem_destroy(&room);
    return 0;
}
