// A hazard pointer: the reader says which object it is about to use, and the writer does not free that one. If the object is
// not the current one any more after the reader has said so, it begins again.
// Source: Michael, Hazard Pointers: Safe Memory Reclamation for Lock-Free Objects, 2004.
// Buggy: fail/hazard.c
//! check => bounded bound=2

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
    struct route *route;
    do {
        route = atomic_load(&current);
        atomic_store(&hazard, route);
    } while (atomic_load(&current) != route);
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
