// A registry that the first caller makes, kept in a static variable of the function that returns it. Two threads may both
// find that there is none and make one each. What was entered in the one that is overwritten is lost.
// Source: lazy initialisation of a static, the classic.
// Repaired: pass/static_init.c
//! check => bug kind=assertion bound=1

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct registry {
    atomic_int plugins;
};

static struct registry *the_registry(void) {
    static struct registry *registry;
    if (registry == NULL) {
        registry = calloc(1, sizeof *registry);
    }
    return registry;
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
