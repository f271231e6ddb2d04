// Two threads may close a connection, and whoever does frees its buffer. They look whether the buffer is still there, free
// it, and only then say that it is gone. If both look before either has said so, both free it.
// Source: our own.
// Repaired: pass/double_free.c
//! check => bug kind=double-free bound=1

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_SIZE 32

static _Atomic(char *) buffer;
static atomic_int closed_by;

static void close_connection(void) {
    char *mine = atomic_load(&buffer);
    if (mine != NULL) {
        free(mine);
        atomic_store(&buffer, NULL);
        atomic_fetch_add(&closed_by, 1);
    }
}

static void *on_error(void *arg) {
    (void)arg;
    close_connection();
    return NULL;
}

static void *on_timeout(void *arg) {
    (void)arg;
    close_connection();
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    char *fresh = malloc(BUFFER_SIZE);
    memset(fresh, 0, BUFFER_SIZE);
    atomic_store(&buffer, fresh);
    pthread_create(&threads[0], NULL, on_error, NULL);
    pthread_create(&threads[1], NULL, on_timeout, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(closed_by == 1 && atomic_load(&buffer) == NULL);
    return 0;
}
