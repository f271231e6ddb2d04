// Worker threads that take jobs from a queue of limited length.
#ifndef KV_POOL_H
#define KV_POOL_H

#include "sync.h"

#include <stddef.h>

typedef struct kv_pool kv_pool;

typedef struct {
    void (*run)(void *argument);
    void *argument;
} kv_job;

kv_pool *kv_pool_start(size_t workers, size_t queue);
// Waits while the queue is full. False once the pool is stopping: the job stays with the caller.
bool kv_pool_submit(kv_pool *pool, kv_job job);
// No job is accepted any more. Those in the queue are still run; then the workers end. One thread may call it, once; others may still be
// calling kv_pool_submit.
void kv_pool_stop(kv_pool *pool);
// After kv_pool_stop, when nobody uses the pool.
void kv_pool_free(kv_pool *pool);

#endif
