// A token goes through a pipe: whoever has read it may use the record. The first thread finishes the record and then gives it away.
// Source: our own.
// Buggy: fail/pipe_token.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2];
static int length;
static char name[8];

static void *fill(void *unused) {
    (void)unused;
    name[0] = 'a';
    name[1] = 'b';
    length = 2;
    if (write(ends[1], "t", 1) != 1) {
        abort();
    }
    return NULL;
}

static void *use(void *unused) {
    (void)unused;
    char token;
    if (read(ends[0], &token, 1) != 1) {
        abort();
    }
    assert(token == 't');
    assert(length == 2);
    assert(name[length - 1] == 'b');
    return NULL;
}

int main(void) {
    if (pipe(ends) != 0) {
        abort();
    }
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, fill, NULL);
    pthread_create(&threads[1], NULL, use, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    close(ends[0]);
    close(ends[1]);
    return 0;
}
