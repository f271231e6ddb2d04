// A thread hands a message over by a flag, but raises the flag before it has written the message. A receiver that sees the
// flag in between reads an old message. Even if it comes later, nothing orders the write and the read.
// Source: message passing, the classic.
// Repaired: pass/reordered_publication.c
//! check => bug kind=assertion bound=1

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
    atomic_store_explicit(&ready, true, memory_order_release);
    message.id = 7;
    message.price = 250;
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
