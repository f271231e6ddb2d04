// One connection, which two threads try to get. The loop is there for interrupted calls, but it also ends when nothing is free: then the
// connection is used twice.
// Source: our own; POSIX, sem_trywait: EAGAIN and EINTR.
// Repaired: pass/sem_trywait.c
//! check => bug kind=assertion bound=1

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t connections;
static atomic_int in_use;

static void *request(void *unused) {
    (void)unused;
    while (sem_trywait(&connections) == -1) {
        if (errno != EINTR) {
            break;
        }
    }
    int users = atomic_fetch_add(&in_use, 1) + 1;
    assert(users == 1);
    atomic_fetch_sub(&in_use, 1);
    sem_post(&connections);
    return NULL;
}

int main(void) {
    sem_init(&connections, 0, 1);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, request, NULL);
    pthread_create(&threads[1], NULL, request, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    int left;
    sem_getvalue(&connections, &left);
    assert(left == 1);
    sem_destroy(&connections);
    return 0;
}
