// Three dining philosophers. Each takes the fork of the smaller number first, so the last one begins on its right.
// Source: Dijkstra.
// Buggy: fail/philosophers.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>

#define COUNT 3

static pthread_mutex_t forks[COUNT] = {
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER,
};
static int seats[COUNT] = {0, 1, 2};
static int meals[COUNT];

static void *philosopher(void *arg) {
    int seat = *(int *)arg;
    int left = seat;
    int right = (seat + 1) % COUNT;
    pthread_mutex_lock(&forks[left < right ? left : right]);
    pthread_mutex_lock(&forks[left < right ? right : left]);
    meals[seat]++;
    pthread_mutex_unlock(&forks[right]);
    pthread_mutex_unlock(&forks[left]);
    return NULL;
}

int main(void) {
    pthread_t threads[COUNT];
    for (int i = 0; i < COUNT; i++) {
        pthread_create(&threads[i], NULL, philosopher, &seats[i]);
    }
    for (int i = 0; i < COUNT; i++) {
        pthread_join(threads[i], NULL);
        assert(meals[i] == 1);
    }
    return 0;
}
