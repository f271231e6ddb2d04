// A consumer waits a second for a value. When the time is up it leaves the loop like one that was told that the value is there, and uses
// what is not.
// Source: folklore; POSIX, pthread_cond_timedwait: ETIMEDOUT.
// Repaired: pass/timedwait.c
//! check => bug kind=assertion bound=0

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;
static int value;

static void *consume(void *unused) {
    (void)unused;
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 1;
    pthread_mutex_lock(&lock);
    int error = 0;
    while (!ready && error != ETIMEDOUT) {
        error = pthread_cond_timedwait(&changed, &lock, &deadline);
    }
    assert(value == 42);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *produce(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    value = 42;
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t consumer, producer;
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_create(&producer, NULL, produce, NULL);
    pthread_join(consumer, NULL);
    pthread_join(producer, NULL);
    return 0;
}
