// Two threads write a line each, word by word. The line too is written under the lock of the stream, which its owner may take again.
// Source: POSIX, flockfile.
// Buggy: fail/flockfile.c
//! check => bounded bound=2

#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *stream;

static void put(const char *word, char end) {
    flockfile(stream);
    fputs(word, stream);
    putc(end, stream);
    funlockfile(stream);
}

static void *write_line(void *name) {
    flockfile(stream);
    put("hello", ' ');
    put(name, '\n');
    funlockfile(stream);
    return NULL;
}

int main(void) {
    char *text;
    size_t size;
    stream = open_memstream(&text, &size);
    if (stream == NULL) {
        abort();
    }
    static char ann[] = "ann", bob[] = "bob";
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, write_line, ann);
    pthread_create(&threads[1], NULL, write_line, bob);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    fclose(stream);
    assert(strcmp(text, "hello ann\nhello bob\n") == 0 || strcmp(text, "hello bob\nhello ann\n") == 0);
    free(text);
    return 0;
}
