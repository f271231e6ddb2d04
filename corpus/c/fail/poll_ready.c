// Two threads look whether there is something to read, and read it. If there is one byte, both may see it; the one that is later waits
// for a second byte, which never comes.
// Source: folklore; the manual page of select warns of reads that block although something was there.
// Repaired: pass/poll_ready.c
//! check => bug kind=deadlock bound=1

#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2];
static atomic_int got;

static void *take(void *unused) {
    (void)unused;
    struct pollfd look = {.fd = ends[0], .events = POLLIN};
    if (poll(&look, 1, 0) == 1) {
        // The other one may read it here.
        char byte;
        if (read(ends[0], &byte, 1) == 1) {
            assert(byte == 'x');
            atomic_fetch_add(&got, 1);
        }
    }
    return NULL;
}

int main(void) {
    if (pipe2(ends, O_CLOEXEC) != 0 || write(ends[1], "x", 1) != 1) {
        abort();
    }
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, take, NULL);
    pthread_create(&threads[1], NULL, take, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(atomic_load(&got) == 1);
    close(ends[0]);
    close(ends[1]);
    return 0;
}
