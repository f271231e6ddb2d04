// A table that counts how often it is asked. The count has a lock of its own.
// Source: folklore.
// Buggy: fail/rw_read.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
static int table[2] = {10, 20};
static int lookups;

static void *look_up(void *arg) {
    int *place = arg;
    pthread_rwlock_rdlock(&lock);
    pthread_mutex_lock(&count_lock);
    lookups++;
    pthread_mutex_unlock(&count_lock);
    assert(*place == 10 || *place == 20);
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, look_up, &table[0]);
    pthread_create(&threads[1], NULL, look_up, &table[1]);
    pthread_rwlock_wrlock(&lock);
    table[0] = 20;
    pthread_rwlock_unlock(&lock);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(lookups == 2);
    return 0;
}
