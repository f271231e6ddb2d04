// A function keeps its result in thread-specific data and returns a pointer to it. A thread hands that pointer on as its own result: when
// it has ended, the destructor of the key has freed it.
// Source: our own; functions like strerror keep a buffer for each thread.
// Repaired: pass/key_result.c
//! check => bug kind=use-after-free bound=0

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct point {
    int x, y;
};

static pthread_key_t key;

// The result is valid until the next call of the same thread.
static struct point *middle(int x, int y) {
    struct point *result = pthread_getspecific(key);
    if (result == NULL) {
        result = malloc(sizeof *result);
        pthread_setspecific(key, result);
    }
    result->x = x / 2;
    result->y = y / 2;
    return result;
}

static void *work(void *unused) {
    (void)unused;
    return middle(20, 40);
}

int main(void) {
    pthread_key_create(&key, free);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, work, NULL);
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(threads[i], &result);
        struct point *point = result;
        assert(point->x == 10 && point->y == 20);
    }
    pthread_key_delete(key);
    return 0;
}
