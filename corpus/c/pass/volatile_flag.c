// A lock made of an atomic flag: to say that somebody is inside and to learn whether somebody was is one step.
// Source: volatile taken for synchronisation, the classic.
// Buggy: fail/volatile_flag.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static atomic_bool inside;
static int counter;

static void enter(void) {
    while (atomic_exchange(&inside, true)) {
        sched_yield();
    }
}

static void leave(void) {
    inside = false;
}

static void *count(void *arg) {
    (void)arg;
    enter();
    counter++;
    leave();
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, count, NULL);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    assert(counter == 2 && "both threads were inside");
    return 0;
}
