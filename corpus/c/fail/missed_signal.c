// A waiter looks at a flag under the mutex and waits for the condition. The flag is set and signalled without the mutex: that may happen
// between the look and the wait. The signal goes to nobody, and no other will come.
// Source: folklore; Butenhof, Programming with POSIX Threads, on condition variables and their predicates.
// Repaired: pass/missed_signal.c
//! check => bug kind=deadlock bound=1

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int ready;
static int value;

static void *wait_for_it(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!atomic_load(&ready)) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    assert(value == 42);
    return NULL;
}

static void *set(void *unused) {
    (void)unused;
    value = 42;
    // The flag is atomic, but that is not the point.
    atomic_store(&ready, 1);
    pthread_cond_signal(&changed);
    return NULL;
}

int main(void) {
    pthread_t waiter, setter;
    pthread_create(&waiter, NULL, wait_for_it, NULL);
    pthread_create(&setter, NULL, set, NULL);
    pthread_join(waiter, NULL);
    pthread_join(setter, NULL);
    return 0;
}
