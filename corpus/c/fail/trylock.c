// A pool with an item. The order is pool before item, so whoever has the item and wants the pool may only try. If that fails it lets go
// of the item and takes both in order. By then its look at the item is out of date: somebody may have begun to use it, and
// it is removed all the same.
// Source: our own; the pattern of trying a lock out of order, and dropping the first one if that fails, is common in kernels.
// Repaired: pass/trylock.c
//! check => bug kind=assertion bound=1

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t item_lock = PTHREAD_MUTEX_INITIALIZER;
// Changed with both locks, read with either.
static int items = 1;
// Of the item.
static int users;

// Looks the item up, and becomes a user of it.
static void *look_up(void *unused) {
    (void)unused;
    pthread_mutex_lock(&pool_lock);
    if (items == 1) {
        pthread_mutex_lock(&item_lock);
        users++;
        pthread_mutex_unlock(&item_lock);
    }
    pthread_mutex_unlock(&pool_lock);
    return NULL;
}

// Removes the item if nobody uses it.
static void *shrink(void *unused) {
    (void)unused;
    pthread_mutex_lock(&item_lock);
    if (users > 0) {
        pthread_mutex_unlock(&item_lock);
        return NULL;
    }
    if (pthread_mutex_trylock(&pool_lock) != 0) {
        pthread_mutex_unlock(&item_lock);
        // The item may be looked up here.
        pthread_mutex_lock(&pool_lock);
        pthread_mutex_lock(&item_lock);
    }
    assert(users == 0);
    items = 0;
    pthread_mutex_unlock(&item_lock);
    pthread_mutex_unlock(&pool_lock);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, look_up, NULL);
    pthread_create(&threads[1], NULL, shrink, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    // Either it was found and stays, or it is gone.
    assert(items == users);
    return 0;
}
