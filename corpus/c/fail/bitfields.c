// Two threads, each with a flag of its own. The flags are bit fields that lie in one byte: to write one is to read and to
// write the other one too. The writes race, and one may undo the other.
// Source: C11, 3.14: adjacent bit fields are one memory location.
// Repaired: pass/bitfields.c
//! check --cc gcc => bug kind=race bound=0
//! check --cc clang => bug kind=assertion bound=1

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static struct {
    unsigned connected : 1;
    unsigned logged_in : 1;
} status;

static void *connect_client(void *arg) {
    (void)arg;
    status.connected = 1;
    return NULL;
}

static void *log_in(void *arg) {
    (void)arg;
    status.logged_in = 1;
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, connect_client, NULL);
    pthread_create(&threads[1], NULL, log_in, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(status.connected == 1 && status.logged_in == 1);
    return 0;
}
