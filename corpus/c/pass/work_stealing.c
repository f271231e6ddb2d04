// A work-stealing queue: the owner pushes and pops at the tail, a thief steals at the head. The pop first claims its item
// by moving the tail and then reads the head; if that has come too far, the lock decides who gets the last item.
// Source: the THE protocol of Cilk-5 (Frigo, Leiserson and Randall, PLDI 1998).
// Buggy: fail/work_stealing.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define ITEMS 2

struct queue {
    pthread_mutex_t lock;
    // The items are those from head up to tail, without tail itself.
    atomic_int head;
    atomic_int tail;
    int slots[ITEMS];
};

static struct queue queue = {.lock = PTHREAD_MUTEX_INITIALIZER};
static atomic_int taken[ITEMS];

static void push(struct queue *q, int item) {
    int tail = atomic_load(&q->tail);
    q->slots[tail] = item;
    atomic_store(&q->tail, tail + 1);
}

static bool pop(struct queue *q, int *item) {
    int tail = atomic_load(&q->tail) - 1;
    atomic_store(&q->tail, tail);
    int head = atomic_load(&q->head);
    if (head > tail) {
        // Perhaps a thief has the last item, or is about to give it back.
        atomic_store(&q->tail, tail + 1);
        pthread_mutex_lock(&q->lock);
        bool empty = atomic_load(&q->head) > tail;
        if (!empty) {
            atomic_store(&q->tail, tail);
        }
        pthread_mutex_unlock(&q->lock);
        if (empty) {
            return false;
        }
    }
    *item = q->slots[tail];
    return true;
}

static bool steal(struct queue *q, int *item) {
    pthread_mutex_lock(&q->lock);
    int head = atomic_load(&q->head);
    atomic_store(&q->head, head + 1);
    bool found = head + 1 <= atomic_load(&q->tail);
    if (found) {
        *item = q->slots[head];
    } else {
        atomic_store(&q->head, head);
    }
    pthread_mutex_unlock(&q->lock);
    return found;
}

static void *thief(void *arg) {
    int item;
    (void)arg;
    if (steal(&queue, &item)) {
        atomic_fetch_add(&taken[item], 1);
    }
    return NULL;
}

static void *owner(void *arg) {
    int item;
    (void)arg;
    for (int i = 0; i < ITEMS; i++) {
        push(&queue, i);
    }
    while (pop(&queue, &item)) {
        atomic_fetch_add(&taken[item], 1);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, owner, NULL);
    pthread_create(&threads[1], NULL, thief, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    for (int i = 0; i < ITEMS; i++) {
        assert(taken[i] == 1 && "an item was lost or taken twice");
    }
    return 0;
}
