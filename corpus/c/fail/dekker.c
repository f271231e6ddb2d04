// Dekker's lock without its courtesy: a thread that wants to enter and does not have the turn waits for it, but goes on
// saying that it wants to enter. The one that has the turn waits for just that to end. Both wait for ever.
// Source: Dijkstra, Cooperating Sequential Processes, 1965, which gives the algorithm as Dekker's.
// Repaired: pass/dekker.c
//! check => bug kind=livelock bound=1

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
    while (atomic_load(&wants[other])) {
        if (atomic_load(&turn) == me) {
            sched_yield();
            continue;
        }
        while (atomic_load(&turn) != me) {
            sched_yield();
        }
    }
}

static void unlock(int me) {
    atomic_store(&turn, 1 - me);
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
