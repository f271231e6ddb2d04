// A gate that two threads wait at. When it opens both are woken up.
// Source: folklore; CERT C CON38-C (preserve thread safety and liveness when using condition variables).
// Buggy: fail/lost_broadcast.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int is_open;
static int passed;

static void *pass(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!is_open) {
        pthread_cond_wait(&opened, &lock);
    }
    passed++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *open_gate(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    is_open = 1;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, pass, NULL);
    pthread_create(&threads[1], NULL, pass, NULL);
    pthread_create(&threads[2], NULL, open_gate, NULL);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
    assert(passed == 2);
    return 0;
}
