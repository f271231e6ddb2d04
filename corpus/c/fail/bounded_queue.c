// A bounded queue with two semaphores, for items and for room, and a lock. The consumer takes the lock first and then waits
// for an item. If there is none, the producer cannot get the lock to bring one: a deadlock.
// Source: the bounded buffer of Dijkstra, Cooperating Sequential Processes, 1965.
// Repaired: pass/bounded_queue.c
//! check => bug kind=deadlock bound=0

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
    pthread_mutex_lock(&lock);
    sem_wait(&items); // holds the lock that the producer needs
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
