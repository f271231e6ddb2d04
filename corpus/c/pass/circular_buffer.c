// A circular buffer for one producer and one consumer. The consumer reads a slot before it gives it back.
// Source: Lamport's queue for one producer and one consumer, 1983.
// Buggy: fail/circular_buffer.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

#define SLOTS 2
#define ITEMS 3

static int slots[SLOTS];
// How many items were ever put and ever got.
static atomic_uint put_count;
static atomic_uint got_count;

static void put(int item) {
    unsigned at = atomic_load_explicit(&put_count, memory_order_relaxed);
    while (at - atomic_load_explicit(&got_count, memory_order_acquire) == SLOTS) {
        sched_yield();
    }
    slots[at % SLOTS] = item;
    atomic_store_explicit(&put_count, at + 1, memory_order_release);
}

static int get(void) {
    unsigned at = atomic_load_explicit(&got_count, memory_order_relaxed);
    while (atomic_load_explicit(&put_count, memory_order_acquire) == at) {
        sched_yield();
    }
    int item = slots[at % SLOTS];
    atomic_store_explicit(&got_count, at + 1, memory_order_release);
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
        assert(get() == item && "an item was lost");
    }
    return NULL;
}

int main(void) {
    pthread_t producer, consumer;
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    return 0;
}
