// A table that is filled when it is first needed. Whoever finds that it is not filled fills it: two threads may both find that.
// Source: folklore.
// Repaired: pass/once.c
//! check => bug kind=assertion bound=1

#include <assert.h>
#include <pthread.h>

static int filled;
static int table[2];
static int fills;

static void fill(void) {
    fills++;
    table[0] = 1;
    table[1] = 2;
}

static void *use(void *unused) {
    (void)unused;
    if (!filled) {
        fill();
        filled = 1;
    }
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
