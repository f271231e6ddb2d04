// A message is handed over by a flag with relaxed accesses. The receiver has its acquire fence, but the sender has no
// release fence: nothing orders the write of the message and its read, and they race.
// Source: C11, 7.17.4: a release fence synchronises with an acquire fence.
// Repaired: pass/fence.c
//! check => bug kind=race bound=0

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static int message;
static atomic_bool ready;

static void *send(void *arg) {
    (void)arg;
    message = 42;
    atomic_store_explicit(&ready, true, memory_order_relaxed);
    return NULL;
}

static void *receive(void *arg) {
    (void)arg;
    while (!atomic_load_explicit(&ready, memory_order_relaxed)) {
        sched_yield();
    }
    atomic_thread_fence(memory_order_acquire);
    assert(message == 42);
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
