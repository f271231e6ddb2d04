// A detached thread saves something. The main thread waits for a semaphore that it posts, and only then returns.
// Source: folklore.
// Buggy: fail/detached_exit.c
//! check => verified

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t done;
static int saved;

static void *save(void *unused) {
    (void)unused;
    saved = 1;
    sem_post(&done);
    return NULL;
}

static void at_the_end(void) {
    assert(saved == 1);
}

int main(void) {
    atexit(at_the_end);
    sem_init(&done, 0, 0);
    pthread_t saver;
    pthread_create(&saver, NULL, save, NULL);
    pthread_detach(saver);
    sem_wait(&done);
    return 0;
}
