#include "sync.h"

#include "clock.h"
#include "status.h"

#include <errno.h>
#include <time.h>

static void must(const char *what, int error) {
    if (error)
        kv_die(what, error);
}

void kv_mutex_init(pthread_mutex_t *mutex) {
    must("pthread_mutex_init", pthread_mutex_init(mutex, NULL));
}

void kv_mutex_destroy(pthread_mutex_t *mutex) {
    must("pthread_mutex_destroy", pthread_mutex_destroy(mutex));
}

void kv_lock(pthread_mutex_t *mutex) {
    must("pthread_mutex_lock", pthread_mutex_lock(mutex));
}

void kv_unlock(pthread_mutex_t *mutex) {
    must("pthread_mutex_unlock", pthread_mutex_unlock(mutex));
}

void kv_cond_init(pthread_cond_t *cond) {
    pthread_condattr_t attributes;
    must("pthread_condattr_init", pthread_condattr_init(&attributes));
    must("pthread_condattr_setclock", pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC));
    must("pthread_cond_init", pthread_cond_init(cond, &attributes));
    must("pthread_condattr_destroy", pthread_condattr_destroy(&attributes));
}

void kv_cond_destroy(pthread_cond_t *cond) {
    must("pthread_cond_destroy", pthread_cond_destroy(cond));
}

void kv_wait(pthread_cond_t *cond, pthread_mutex_t *mutex) {
    must("pthread_cond_wait", pthread_cond_wait(cond, mutex));
}

bool kv_wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t deadline_ms) {
    struct timespec deadline = kv_timespec_of(deadline_ms);
    int error = pthread_cond_timedwait(cond, mutex, &deadline);
    if (error == ETIMEDOUT)
        return false;
    must("pthread_cond_timedwait", error);
    return true;
}

void kv_signal(pthread_cond_t *cond) {
    must("pthread_cond_signal", pthread_cond_signal(cond));
}

void kv_broadcast(pthread_cond_t *cond) {
    must("pthread_cond_broadcast", pthread_cond_broadcast(cond));
}

pthread_t kv_thread_start(void *(*run)(void *), void *argument) {
    pthread_t thread;
    must("pthread_create", pthread_create(&thread, NULL, run, argument));
    return thread;
}

void kv_thread_join(pthread_t thread) {
    must("pthread_join", pthread_join(thread, NULL));
}
