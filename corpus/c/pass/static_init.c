// A registry that the first caller makes, under a lock, kept in a static variable of the function that returns it.
// Source: lazy initialisation of a static, the classic.
// Buggy: fail/static_init.c
//! check => bounded bound=2

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct registry {
    atomic_int plugins;
};

static struct registry *the_registry(void) {
    static struct registry *registry;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (registry == NULL) {
        registry = calloc(1, sizeof *registry);
    }
    struct registry *found = registry;
    pthread_mutex_unlock(&lock);
    return found;
}

static void *register_plugin(void *arg) {
    (void)arg;
    atomic_fetch_add(&the_registry()->plugins, 1);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, register_plugin, NULL);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    assert(the_registry()->plugins == 2 && "a plugin was lost");
    free(the_registry());
    return 0;
}
