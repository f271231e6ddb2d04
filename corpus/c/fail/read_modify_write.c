// Two threads count. To add one is to read, to add and to write; if both read before either writes, one count is lost.
// Source: the lost update, the classic.
// Repaired: pass/read_modify_write.c
//! check => bug kind=assertion bound=1

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define ROUNDS 2

static int counter;

static void *count(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        counter++;
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, count, NULL);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    assert(counter == 2 * ROUNDS);
    return 0;
}
