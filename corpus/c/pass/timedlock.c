// Seats that two threads book. Each waits a second for the lock, and does not book if the time is up.
// Source: folklore; POSIX, pthread_mutex_timedlock: ETIMEDOUT.
// Buggy: fail/timedlock.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <time.h>

#define SEATS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seats = SEATS;
static int booked[2];

static void *book(void *arg) {
    int *mine = arg;
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 1;
    int error = pthread_mutex_timedlock(&lock, &deadline);
    if (error != 0) {
        return NULL;
    }
    seats--;
    *mine = 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, book, &booked[0]);
    pthread_create(&threads[1], NULL, book, &booked[1]);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(seats + booked[0] + booked[1] == SEATS);
    return 0;
}
