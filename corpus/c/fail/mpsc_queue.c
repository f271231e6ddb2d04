// A queue for many producers and one consumer: a producer makes its node the last one and then links the one before to it.
// It reads the last node and stores its own in two steps. Two producers may get the same node before theirs, and the link
// to one of the two new nodes is overwritten.
// Source: Vyukov's MPSC queue of nodes (1024cores.net).
// Repaired: pass/mpsc_queue.c
//! check => bug kind=assertion bound=1

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define PRODUCERS 2

struct node {
    _Atomic(struct node *) next;
    int value;
};

struct queue {
    _Atomic(struct node *) last; // the producers' end
    struct node *first;          // the consumer's end: a node whose value has been taken
};

static struct node stub;
static struct node nodes[PRODUCERS];
static struct queue queue = {.last = &stub, .first = &stub};

static void push(struct queue *q, struct node *node) {
    atomic_store_explicit(&node->next, NULL, memory_order_relaxed);
    struct node *before = atomic_load(&q->last);
    // Another producer may find the same node here.
    atomic_store(&q->last, node);
    atomic_store_explicit(&before->next, node, memory_order_release);
}

// Returns NULL if there is nothing that is linked.
static struct node *pop(struct queue *q) {
    struct node *node = atomic_load_explicit(&q->first->next, memory_order_acquire);
    if (node != NULL) {
        q->first = node;
    }
    return node;
}

static void *produce(void *arg) {
    struct node *node = arg;
    node->value = (int)(node - nodes) + 1;
    push(&queue, node);
    return NULL;
}

int main(void) {
    pthread_t threads[PRODUCERS];
    int sum = 0;
    for (int i = 0; i < PRODUCERS; i++) {
        pthread_create(&threads[i], NULL, produce, &nodes[i]);
    }
    // Takes what is there while the producers work, and the rest when they are done.
    struct node *early = pop(&queue);
    if (early != NULL) {
        sum += early->value;
    }
    for (int i = 0; i < PRODUCERS; i++) {
        pthread_join(threads[i], NULL);
    }
    for (struct node *node; (node = pop(&queue)) != NULL;) {
        sum += node->value;
    }
    assert(sum == 1 + 2 && "a value was lost");
    return 0;
}
