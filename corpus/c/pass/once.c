// A table that is filled when it is first needed, by pthread_once.
// Source: folklore.
// Buggy: fail/once.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table[2];
static int fills;

static void fill(void) {
    fills++;
    table[0] = 1;
    table[1] = 2;
}

static void *use(void *unused) {
    (void)unused;
    pthread_once(&once, fill);
    assert(table[0] + table[1] == 3);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, use, NULL);
    pthread_create(&threads[1], NULL, use, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(fills == 1);
    return 0;
}
