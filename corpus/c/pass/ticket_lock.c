// A ticket lock: a thread draws a ticket, in one step, and waits until its number is called.
// Source: Mellor-Crummey and Scott, 1991.
// Buggy: fail/ticket_lock.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

struct ticket_lock {
    atomic_uint next_ticket;
    atomic_uint now_serving;
};

static struct ticket_lock lock;
static int counter;

static unsigned draw(struct ticket_lock *l) {
    return atomic_fetch_add(&l->next_ticket, 1);
}

static void ticket_lock(struct ticket_lock *l) {
    unsigned ticket = draw(l);
    while (atomic_load(&l->now_serving) != ticket) {
        sched_yield();
    }
}

static void ticket_unlock(struct ticket_lock *l) {
    atomic_fetch_add(&l->now_serving, 1);
}

static void *count(void *arg) {
    (void)arg;
    ticket_lock(&lock);
    counter++;
    ticket_unlock(&lock);
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
    assert(counter == 2);
    return 0;
}
