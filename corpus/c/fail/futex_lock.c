// A lock made of a futex. Unlocking wakes a waiter up and then sets the lock free: whoever comes in between finds it taken and goes to
// sleep, and the wake-up is over.
// Source: our own; Drepper, Futexes Are Tricky, has the right ones.
// Repaired: pass/futex_lock.c
//! check => bug kind=deadlock bound=1

#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

// 1 while somebody has the lock.
static atomic_int taken;
static int count;

static void lock(void) {
    while (atomic_exchange(&taken, 1) != 0) {
        // Sleeps only if it is still 1.
        syscall(SYS_futex, &taken, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
    }
}

static void unlock(void) {
    syscall(SYS_futex, &taken, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    atomic_store(&taken, 0);
}

static void *work(void *unused) {
    (void)unused;
    lock();
    count++;
    unlock();
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, work, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(count == 2);
    return 0;
}
