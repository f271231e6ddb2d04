// A hazard pointer: the reader says which object it is about to use, and the writer does not free that one. But the reader
// does not look whether the object is still the current one after it has said so: it may have been freed before.
// Source: Michael, Hazard Pointers: Safe Memory Reclamation for Lock-Free Objects, 2004.
// Repaired: pass/hazard.c
//! check => bug kind=use-after-free bound=1

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct route {
    int hops;
};

static _Atomic(struct route *) current;
// What the reader uses at the moment.
static _Atomic(struct route *) hazard;

static struct route *route_new(int hops) {
    struct route *route = malloc(sizeof *route);
    route->hops = hops;
    return route;
}

static struct route *protect(void) {
    struct route *route = atomic_load(&current);
    // The writer does not know yet that this one is in use.
    atomic_store(&hazard, route);
    return route;
}

static void *read_route(void *arg) {
    (void)arg;
    struct route *route = protect();
    assert(route->hops == 3 || route->hops == 5);
    atomic_store(&hazard, NULL);
    return NULL;
}

static void *change_route(void *arg) {
    (void)arg;
    struct route *old = atomic_exchange(&current, route_new(5));
    while (atomic_load(&hazard) == old) {
        sched_yield();
    }
    free(old);
    return NULL;
}

int main(void) {
    pthread_t reader, writer;
    atomic_store(&current, route_new(3));
    pthread_create(&reader, NULL, read_route, NULL);
    pthread_create(&writer, NULL, change_route, NULL);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    free(atomic_load(&current));
    return 0;
}
