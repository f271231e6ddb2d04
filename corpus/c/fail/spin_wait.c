// A thread waits for another one in a loop that does nothing but look at a flag. It never gives way: on a machine where the
// other one has to share its processor, it takes the time that the other one needs to raise the flag.
// Source: Fair Stateless Model Checking (Musuvathi and Qadeer, PLDI 2008): the good samaritan rule.
// Repaired: pass/spin_wait.c
//! check => bug kind=good-samaritan bound=0

#include <assert.h>
#include <pthread.h>
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
