// A thread waits for another one in a loop that looks at a flag and gives way in between.
// Source: Fair Stateless Model Checking (Musuvathi and Qadeer, PLDI 2008): the good samaritan rule.
// Buggy: fail/spin_wait.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static int answer;
static atomic_bool done;

static void *compute(void *arg) {
    (void)arg;
    answer = 42;
    atomic_store(&done, true);
    return NULL;
}

static void *wait_for_it(void *arg) {
    (void)arg;
    while (!atomic_load(&done)) {
        sched_yield();
    }
    assert(answer == 42);
    return NULL;
}

int main(void) {
    pthread_t worker, waiter;
    pthread_create(&worker, NULL, compute, NULL);
    pthread_create(&waiter, NULL, wait_for_it, NULL);
    pthread_join(worker, NULL);
    pthread_join(waiter, NULL);
    return 0;
}
