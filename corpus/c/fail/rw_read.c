// A table that counts how often it is asked. A look-up holds the lock for reading only, and so do all the others: two may read the same
// count, and one look-up is lost.
// Source: folklore.
// Repaired: pass/rw_read.c
//! check => bug kind=assertion bound=1

#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int table[2] = {10, 20};
static int lookups;

static void *look_up(void *arg) {
    int *place = arg;
    pthread_rwlock_rdlock(&lock);
    lookups++;
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
