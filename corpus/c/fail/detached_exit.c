// A detached thread saves something while the main thread returns. Nobody waits for it: when the program ends it may not have saved
// anything.
// Source: folklore.
// Repaired: pass/detached_exit.c
//! check => bug kind=assertion bound=0

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int saved;

static void *save(void *unused) {
    (void)unused;
    saved = 1;
    return NULL;
}

static void at_the_end(void) {
    assert(saved == 1);
}

int main(void) {
    atexit(at_the_end);
    pthread_t saver;
    pthread_create(&saver, NULL, save, NULL);
    pthread_detach(saver);
    return 0;
}
