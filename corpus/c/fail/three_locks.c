// Three departments, each with a lock. Each of three threads moves people from one department to the next, and takes the
// lock of the first and then that of the second. When each holds its first one, they wait for each other in a circle.
// Source: Coffman, Elphick and Shoshani, System Deadlocks, 1971: circular wait.
// Repaired: pass/three_locks.c
//! check => bug kind=deadlock bound=1

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define DEPARTMENTS 3

struct department {
    pthread_mutex_t lock;
    int people;
};

static struct department departments[DEPARTMENTS] = {
    {PTHREAD_MUTEX_INITIALIZER, 5},
    {PTHREAD_MUTEX_INITIALIZER, 5},
    {PTHREAD_MUTEX_INITIALIZER, 5},
};

static void lock_both(struct department *from, struct department *to) {
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
}

static void *move_people(void *arg) {
    struct department *from = arg;
    struct department *to = &departments[(from - departments + 1) % DEPARTMENTS];
    lock_both(from, to);
    from->people -= 2;
    to->people += 2;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
    return NULL;
}

int main(void) {
    pthread_t threads[DEPARTMENTS];
    for (int i = 0; i < DEPARTMENTS; i++) {
        pthread_create(&threads[i], NULL, move_people, &departments[i]);
    }
    for (int i = 0; i < DEPARTMENTS; i++) {
        pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < DEPARTMENTS; i++) {
        assert(departments[i].people == 5);
    }
    return 0;
}
