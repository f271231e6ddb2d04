// Two threads copy a name to the same place, without a lock. The copies race: what stays there may be a part of the one and
// a part of the other.
// Source: our own.
// Repaired: pass/memcpy_race.c
//! check => bug kind=race bound=0

#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#define LONGEST 64

static char title[LONGEST];

static void *set_title(void *arg) {
    const char *text = arg;
    size_t size = strlen(text) + 1;
    memcpy(title, text, size);
    return NULL;
}

int main(void) {
    static char first[] = "The Principles of Chess";
    static char second[] = "Analysis of the Game";
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, set_title, first);
    pthread_create(&threads[1], NULL, set_title, second);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(strcmp(title, first) == 0 || strcmp(title, second) == 0);
    return 0;
}
