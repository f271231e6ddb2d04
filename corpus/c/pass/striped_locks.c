// A hash table with fewer locks than buckets. The lock is chosen by the bucket, so that each bucket has one lock.
// Source: lock striping, as in Java's ConcurrentHashMap.
// Buggy: fail/striped_locks.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define BUCKETS 4
#define STRIPES 3
#define ROOM 4

struct bucket {
    int length;
    int keys[ROOM];
};

static struct bucket buckets[BUCKETS];
static pthread_mutex_t stripes[STRIPES] = {
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER,
};

static void add(int key) {
    int at = key % BUCKETS;
    pthread_mutex_t *lock = &stripes[at % STRIPES];
    pthread_mutex_lock(lock);
    struct bucket *bucket = &buckets[at];
    bucket->keys[bucket->length++] = key;
    pthread_mutex_unlock(lock);
}

static void *add_one(void *arg) {
    add(*(const int *)arg);
    return NULL;
}

int main(void) {
    int keys[2] = {1, 5}; // both in bucket 1
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, add_one, &keys[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    assert(buckets[1].length == 2 && "a key was lost");
    assert(buckets[1].keys[0] + buckets[1].keys[1] == 1 + 5);
    return 0;
}
