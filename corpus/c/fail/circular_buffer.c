// A circular buffer for one producer and one consumer. The consumer gives a slot back before it has read what is in it. If
// the producer was waiting for room it writes its next item there, and the consumer gets that one, twice.
// Source: Lamport's queue for one producer and one consumer, 1983.
// Repaired: pass/circular_buffer.c
//! check => bug kind=assertion bound=1

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
    atomic_store_explicit(&got_count, at + 1, memory_order_release);
    return slots[at % SLOTS]; // the slot is the producer's by now
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
