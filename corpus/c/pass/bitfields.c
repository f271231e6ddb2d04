// Two threads, each with a flag of its own. The flags are bytes: each is a memory location of its own, and to write one
// leaves the other alone.
// Source: C11, 3.14: adjacent bit fields are one memory location.
// Buggy: fail/bitfields.c
//! check => verified

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static struct {
    unsigned char connected;
    unsigned char logged_in;
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
