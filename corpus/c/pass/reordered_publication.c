// A thread hands a message over by a flag that it raises when the message is written: the store of the flag and the load
// that sees it order the two accesses of the message.
// Source: message passing, the classic.
// Buggy: fail/reordered_publication.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static struct {
    int id;
    int price;
} message;
static atomic_bool ready;

static void *send(void *arg) {
    (void)arg;
    message.id = 7;
    message.price = 250;
    atomic_store_explicit(&ready, true, memory_order_release);
    return NULL;
}

static void *receive(void *arg) {
    (void)arg;
    while (!atomic_load_explicit(&ready, memory_order_acquire)) {
        sched_yield();
    }
    assert(message.id == 7 && message.price == 250);
    return NULL;
}

int main(void) {
    pthread_t sender, receiver;
    pthread_create(&sender, NULL, send, NULL);
    pthread_create(&receiver, NULL, receive, NULL);
    pthread_join(sender, NULL);
    pthread_join(receiver, NULL);
    return 0;
}
