// Two threads need two locks. Each takes one and tries the other; if that is taken it politely gives its own back and begins
// again. They take them in opposite orders: in step with each other both fail for ever.
// Source: Fair Stateless Model Checking (Musuvathi and Qadeer, PLDI 2008), Fig. 1.
// Repaired: pass/livelock.c
//! check => bug kind=livelock bound=1

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;
static int meals; // under both locks

static void eat(pthread_mutex_t *first, pthread_mutex_t *second) {
    for (;;) {
        pthread_mutex_lock(first);
        if (pthread_mutex_trylock(second) == 0) {
            break;
        }
        pthread_mutex_unlock(first);
    }
    meals++;
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *plato(void *arg) {
    (void)arg;
    eat(&left, &right);
    return NULL;
}

static void *socrates(void *arg) {
    (void)arg;
    eat(&right, &left);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, plato, NULL);
    pthread_create(&threads[1], NULL, socrates, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(meals == 2);
    return 0;
}
