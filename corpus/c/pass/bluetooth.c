// The Bluetooth driver, repaired: a request registers itself as pending before it looks whether the driver is stopping.
// Source: the sample PnP driver of KISS (PLDI 2004), as in Iterative Context Bounding, section 4.1.
// Buggy: fail/bluetooth.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

// One for the driver itself, and one for each request under way.
static atomic_int pending_io = 1;
// Set when the driver is asked to stop.
static atomic_bool stopping;
// Posted when nothing is pending any more.
static sem_t stopping_event;
// Set when the resources of the driver are gone.
static atomic_bool stopped;

static void end_io(void) {
    if (atomic_fetch_sub(&pending_io, 1) == 1) {
        sem_post(&stopping_event);
    }
}

static bool begin_io(void) {
    atomic_fetch_add(&pending_io, 1);
    if (atomic_load(&stopping)) {
        end_io();
        return false;
    }
    return true;
}

static void *request(void *arg) {
    (void)arg;
    if (begin_io()) {
        assert(!atomic_load(&stopped) && "the driver was used after it had stopped");
        end_io();
    }
    return NULL;
}

static void *stop(void *arg) {
    (void)arg;
    atomic_store(&stopping, true);
    end_io();
    sem_wait(&stopping_event);
    atomic_store(&stopped, true);
    return NULL;
}

int main(void) {
    pthread_t requester, stopper;
    sem_init(&stopping_event, 0, 0);
    pthread_create(&requester, NULL, request, NULL);
    pthread_create(&stopper, NULL, stop, NULL);
    pthread_join(requester, NULL);
    pthread_join(stopper, NULL);
    sem_destroy(&stopping_event);
    return 0;
}
