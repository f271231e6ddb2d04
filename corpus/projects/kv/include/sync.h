// Thin layers over pthread calls that cannot fail unless this program misuses them. A failure ends the process.
//
// Lock order, outermost first:
//     stripe (table.c) -> recency list (lru.c)
//     stripe (table.c) -> log (log.c)
// No thread locks two stripes, and none locks a stripe while it holds the pool's, the timer's, the list's or the log's lock.
#ifndef KV_SYNC_H
#define KV_SYNC_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

void kv_mutex_init(pthread_mutex_t *mutex);
void kv_mutex_destroy(pthread_mutex_t *mutex);
void kv_lock(pthread_mutex_t *mutex);
void kv_unlock(pthread_mutex_t *mutex);

// Condition variables that measure time by the clock of clock.h.
void kv_cond_init(pthread_cond_t *cond);
void kv_cond_destroy(pthread_cond_t *cond);
void kv_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
// False once the deadline has passed.
bool kv_wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t deadline_ms);
void kv_signal(pthread_cond_t *cond);
void kv_broadcast(pthread_cond_t *cond);

pthread_t kv_thread_start(void *(*run)(void *), void *argument);
void kv_thread_join(pthread_t thread);

#endif
