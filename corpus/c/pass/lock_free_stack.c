// A lock-free stack of nodes that are used again. The top carries a version that every change of the stack raises, so that
// a pop whose top was away in the meantime fails and tries again.
// Source: Treiber, 1986; the ABA problem and its version counter are in the IBM System/370 manual.
// Buggy: fail/lock_free_stack.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NODES 2
#define NONE NODES

// The number of a node below, the version above.
static _Atomic uint64_t top = 0;
static atomic_uint next[NODES] = {1, NONE};
static atomic_bool in_use[NODES];

static unsigned node_of(uint64_t word) {
    return (unsigned)word;
}

static uint64_t with_node(uint64_t old, unsigned node) {
    uint64_t version = (old >> 32) + 1;
    return version << 32 | node;
}

static unsigned pop(void) {
    uint64_t seen = atomic_load(&top);
    unsigned node;
    do {
        node = node_of(seen);
        if (node == NONE) {
            return NONE;
        }
    } while (!atomic_compare_exchange_strong(&top, &seen, with_node(seen, atomic_load(&next[node]))));
    assert(!atomic_exchange(&in_use[node], true) && "a node has two owners");
    return node;
}

static void push(unsigned node) {
    uint64_t seen = atomic_load(&top);
    atomic_store(&in_use[node], false);
    do {
        atomic_store(&next[node], node_of(seen));
    } while (!atomic_compare_exchange_strong(&top, &seen, with_node(seen, node)));
}

static void *take_both(void *arg) {
    (void)arg;
    pop();
    pop();
    return NULL;
}

static void *take_both_and_return_one(void *arg) {
    (void)arg;
    unsigned first = pop();
    pop();
    if (first != NONE) {
        push(first);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, take_both, NULL);
    pthread_create(&threads[1], NULL, take_both_and_return_one, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
