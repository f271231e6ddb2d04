// A message is handed over by a flag with relaxed accesses and two fences: what comes before the release fence is ordered
// before what comes after the acquire fence.
// Source: C11, 7.17.4: a release fence synchronises with an acquire fence.
// Buggy: fail/fence.c
//! check => bounded bound=2

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
    atomic_thread_fence(memory_order_release);
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
