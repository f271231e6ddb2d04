#include "pool.h"

#include "status.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

struct kv_pool {
    pthread_mutex_t lock;      // guards the queue
    pthread_cond_t not_empty;  // workers wait here
    pthread_cond_t not_full;   // who submits waits here
    kv_job *queue;             // a ring
    size_t capacity;
    size_t first;
    size_t count;
    atomic_bool stopping;      // written under the lock; kv_pool_submit has a look without it
    pthread_t *threads;
    size_t thread_count;
};

// The next job, or false if there will be none.
static bool take(kv_pool *pool, kv_job *job) {
    kv_lock(&pool->lock);
    while (pool->count == 0 && !atomic_load(&pool->stopping))
        kv_wait(&pool->not_empty, &pool->lock);
    bool taken = pool->count > 0;
    if (taken) {
        *job = pool->queue[pool->first];
        pool->first = (pool->first + 1) % pool->capacity;
        pool->count--;
        kv_signal(&pool->not_full);
    }
    kv_unlock(&pool->lock);
    return taken;
}

static void *work(void *argument) {
    kv_pool *pool = argument;
    kv_job job;
    while (take(pool, &job))
        job.run(job.argument);
    return NULL;
}

kv_pool *kv_pool_start(size_t workers, size_t queue) {
    kv_pool *pool = kv_alloc_zeroed(1, sizeof *pool);
    kv_mutex_init(&pool->lock);
    kv_cond_init(&pool->not_empty);
    kv_cond_init(&pool->not_full);
    pool->queue = kv_alloc_zeroed(queue, sizeof *pool->queue);
    pool->capacity = queue;
    atomic_init(&pool->stopping, false);
    pool->threads = kv_alloc_zeroed(workers, sizeof *pool->threads);
    pool->thread_count = workers;
    for (size_t i = 0; i < workers; i++)
        pool->threads[i] = kv_thread_start(work, pool);
    return pool;
}

bool kv_pool_submit(kv_pool *pool, kv_job job) {
    if (atomic_load(&pool->stopping))
        return false;
    kv_lock(&pool->lock);
    while (pool->count == pool->capacity && !atomic_load(&pool->stopping))
        kv_wait(&pool->not_full, &pool->lock);
    bool accepted = !atomic_load(&pool->stopping);
    if (accepted) {
        pool->queue[(pool->first + pool->count) % pool->capacity] = job;
        pool->count++;
        kv_signal(&pool->not_empty);
    }
    kv_unlock(&pool->lock);
    return accepted;
}

void kv_pool_stop(kv_pool *pool) {
    // BUG_SHUTDOWN takes no lock here: the flag is atomic, after all. But a worker that has seen it clear and is about to wait misses the
    // broadcast, and waits forever.
#ifndef BUG_SHUTDOWN
    kv_lock(&pool->lock);
#endif
    atomic_store(&pool->stopping, true);
    kv_broadcast(&pool->not_empty);
    kv_broadcast(&pool->not_full);
#ifndef BUG_SHUTDOWN
    kv_unlock(&pool->lock);
#endif
    for (size_t i = 0; i < pool->thread_count; i++)
        kv_thread_join(pool->threads[i]);
}

void kv_pool_free(kv_pool *pool) {
    assert(pool->count == 0);
    kv_cond_destroy(&pool->not_full);
    kv_cond_destroy(&pool->not_empty);
    kv_mutex_destroy(&pool->lock);
    free(pool->queue);
    free(pool->threads);
    free(pool);
}
