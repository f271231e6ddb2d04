// A thread counts in thread-specific storage, and a destructor adds that to the total when the thread ends. The main thread deletes the
// storage when the thread has ended.
// Source: our own; C17 7.26.6.2: tss_delete calls no destructors.
// Buggy: fail/c11_tss.c
//! check => bounded bound=2

#include <assert.h>
#include <threads.h>

static tss_t storage;
static mtx_t lock;
static cnd_t changed;
static int counted;
static int total;

static void add_up(void *mine) {
    total += *(int *)mine;
}

static int work(void *arg) {
    int *mine = arg;
    tss_set(storage, mine);
    ++*mine;
    mtx_lock(&lock);
    counted = 1;
    cnd_signal(&changed);
    mtx_unlock(&lock);
    return 0;
}

int main(void) {
    static int count;
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    tss_create(&storage, add_up);
    thrd_t worker;
    thrd_create(&worker, work, &count);
    mtx_lock(&lock);
    while (!counted) {
        cnd_wait(&changed, &lock);
    }
    mtx_unlock(&lock);
    thrd_join(worker, NULL);
    tss_delete(storage);
    assert(total == 1);
    cnd_destroy(&changed);
    mtx_destroy(&lock);
    return 0;
}
