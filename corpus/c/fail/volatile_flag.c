// A lock made of a volatile flag: a thread waits until nobody is inside and then says that it is. Volatile makes every
// access happen, in order, but not two of them at once: both threads may find nobody inside and both go in.
// Source: volatile taken for synchronisation, the classic.
// Repaired: pass/volatile_flag.c
//! check => bug kind=assertion bound=2

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

static volatile bool inside;
static int counter;

static void enter(void) {
    while (inside) {
        sched_yield();
    }
    inside = true;
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
