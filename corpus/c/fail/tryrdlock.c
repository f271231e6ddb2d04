// A reader that must not be late tries for the lock, and reads in any case. While a writer is at it, the two halves of the record do
// not fit together.
// Source: folklore.
// Repaired: pass/tryrdlock.c
//! check => bug kind=assertion bound=1

#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
// The second is always the negative of the first.
static int first = 1, second = -1;

static void *writer(void *unused) {
    (void)unused;
    pthread_rwlock_wrlock(&lock);
    first = 2;
    second = -2;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

static void *reader(void *unused) {
    (void)unused;
    int error = pthread_rwlock_tryrdlock(&lock);
    int sum = first + second;
    if (error == 0) {
        pthread_rwlock_unlock(&lock);
    }
    assert(sum == 0);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
