// Two threads copy a name to the same place, under a lock. One of the two stays there as a whole.
// Source: our own.
// Buggy: fail/memcpy_race.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#define LONGEST 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char title[LONGEST];

static void *set_title(void *arg) {
    const char *text = arg;
    size_t size = strlen(text) + 1;
    pthread_mutex_lock(&lock);
    memcpy(title, text, size);
    pthread_mutex_unlock(&lock);
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
