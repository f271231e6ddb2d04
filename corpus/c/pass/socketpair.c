// Two clients share a connection to a server that squares numbers. A lock keeps a request and its answer together.
// Source: our own.
// Buggy: fail/socketpair.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

// One end for the clients, one for the server.
static int ends[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int numbers[2] = {3, 4};

static void put(int end, int number) {
    if (send(end, &number, sizeof number, 0) != sizeof number) {
        abort();
    }
}

static int get(int end) {
    int number;
    if (recv(end, &number, sizeof number, 0) != sizeof number) {
        abort();
    }
    return number;
}

static void *client(void *arg) {
    int number = *(int *)arg;
    pthread_mutex_lock(&lock);
    put(ends[0], number);
    int answer = get(ends[0]);
    pthread_mutex_unlock(&lock);
    assert(answer == number * number);
    return NULL;
}

static void *serve(void *unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        int number = get(ends[1]);
        put(ends[1], number * number);
    }
    return NULL;
}

int main(void) {
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0) {
        abort();
    }
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, client, &numbers[0]);
    pthread_create(&threads[1], NULL, client, &numbers[1]);
    pthread_create(&threads[2], NULL, serve, NULL);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
    close(ends[0]);
    close(ends[1]);
    return 0;
}
