// Peterson's lock for two threads: a thread says that it wants to enter, gives the turn away, and waits while the other one
// wants to enter too and has the turn.
// Source: Peterson, Myths About the Mutual Exclusion Problem, 1981.
// Buggy: fail/peterson.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static atomic_bool wants[2];
static atomic_int turn;
static int counter;

static void lock(int me) {
    int other = 1 - me;
    atomic_store(&wants[me], true);
    atomic_store(&turn, other);
    while (atomic_load(&wants[other]) && atomic_load(&turn) == other) {
        sched_yield();
    }
}

static void unlock(int me) {
    atomic_store(&wants[me], false);
}

static void *count(void *arg) {
    int me = *(const int *)arg;
    lock(me);
    counter++;
    unlock(me);
    return NULL;
}

int main(void) {
    int names[2] = {0, 1};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, count, &names[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    assert(counter == 2 && "both threads were inside");
    return 0;
}
