// A thread pool with one worker. Shutting down sets a flag and wakes the worker, but not under the lock. A worker that has
// looked at the flag and is about to wait misses the wake-up: it waits for ever, and so does who joins it.
// Source: our own.
// Repaired: pass/thread_pool.c
//! check => bug kind=deadlock bound=1

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    void (*task)(void); // the next one to be done, if any
    atomic_bool shutting_down;
    pthread_t worker;
};

static struct pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
static sem_t task_done;
static int result;

static void *work(void *arg) {
    struct pool *p = arg;
    for (;;) {
        pthread_mutex_lock(&p->lock);
        while (p->task == NULL && !atomic_load(&p->shutting_down)) {
            pthread_cond_wait(&p->changed, &p->lock);
        }
        void (*task)(void) = p->task;
        p->task = NULL;
        pthread_mutex_unlock(&p->lock);
        if (task == NULL) {
            return NULL;
        }
        task();
    }
}

static void submit(struct pool *p, void (*task)(void)) {
    pthread_mutex_lock(&p->lock);
    p->task = task;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

static void shut_down(struct pool *p) {
    atomic_store(&p->shutting_down, true);
    pthread_cond_broadcast(&p->changed); // the worker may not be waiting yet
    pthread_join(p->worker, NULL);
}

static void compute(void) {
    result = 6 * 7;
    sem_post(&task_done);
}

int main(void) {
    sem_init(&task_done, 0, 0);
    pthread_create(&pool.worker, NULL, work, &pool);
    submit(&pool, compute);
    sem_wait(&task_done);
    assert(result == 42);
    shut_down(&pool);
    sem_destroy(&task_done);
    return 0;
}
