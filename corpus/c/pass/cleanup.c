// Two threads take an item each. The one that finds none ends at once, by pthread_exit deep inside; a cleanup handler lets go of the lock.
// Source: folklore; POSIX, pthread_cleanup_push.
// Buggy: fail/cleanup.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items = 1;
static int taken;

static void let_go(void *unused) {
    (void)unused;
    pthread_mutex_unlock(&lock);
}

static void take_item(void) {
    if (items == 0) {
        pthread_exit(NULL);
    }
    items--;
    taken++;
}

static void *work(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(let_go, NULL);
    take_item();
    pthread_cleanup_pop(1);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, work, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    pthread_mutex_lock(&lock);
    assert(items == 0 && taken == 1);
    pthread_mutex_unlock(&lock);
    return 0;
}
